// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The container of a .gp file: the Unix `ar` format in its GNU flavour, so that
// `ar t` and `ar x` work on codelet archives. Dates and owners are written as
// zero, which makes equal contents equal bytes.

#ifndef POPULUS_LIB_ARCHIVE_AR_H
#define POPULUS_LIB_ARCHIVE_AR_H

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace populus::archive {

struct ArMember {
  std::string name;
  std::span<const std::uint8_t> bytes;
};

/// Splits an archive into its members; they point into `bytes`. Throws
/// ArchiveError, naming `file`.
std::vector<ArMember> readAr(std::span<const std::uint8_t> bytes,
                             const std::string &file);

/// Names may have any length but no '/' and no line end.
std::vector<std::uint8_t> writeAr(std::span<const ArMember> members);

} // namespace populus::archive

#endif
