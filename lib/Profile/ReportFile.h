// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A report in a file (profile.pop): eight magic bytes, the length as eight
// bytes in little-endian order, and the message Report of Report.proto. Reading
// validates everything that other code relies on: indices are in range, every
// row has one entry per tile, and the program graph is acyclic. So users of a
// report need no checks.

#ifndef POPULUS_LIB_PROFILE_REPORTFILE_H
#define POPULUS_LIB_PROFILE_REPORTFILE_H

#include "lib/Profile/Report.pb.h"

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

namespace populus::profile {

/// The last byte is the version of the format.
inline constexpr std::string_view ReportMagic = "POPPROF\4";

inline constexpr const char *ReportFileName = "profile.pop";

/// The report cannot be read; the message is complete.
class ReportFileError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// Serialises a report as the bytes of a file.
std::string serializeReport(const report::Report &report);
/// Bytes of a file that contains this message.
std::string reportBytes(std::string_view message);

/// Parses a report. `name` is used in messages. Throws ReportFileError.
std::shared_ptr<const report::Report> parseReport(std::string_view bytes,
                                                  const std::string &name);

/// Reads a report from a file, or from ReportFileName in a folder. Throws
/// ReportFileError.
std::shared_ptr<const report::Report> readReport(const std::string &path);

/// Describes the first contradiction in a report; empty: none
/// (ReportCheck.cpp).
std::string contradictionIn(const report::Report &report);

} // namespace populus::profile

#endif
