// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Output files appear complete or not at all: they are written beside their
// place and renamed. What is no file (a pipe, /dev/null) is written into.

#ifndef POPULUS_LIB_POPART_SUPPORT_OUTPUTFILE_H
#define POPULUS_LIB_POPART_SUPPORT_OUTPUTFILE_H

#include <functional>
#include <iosfwd>
#include <string>

namespace populus::popir {

/// Lets `fill` fill the file. Throws Error where it cannot be written.
void writeFile(const std::string &path,
               const std::function<void(std::ostream &)> &fill);

/// The same, for a file that only its owner may read and write.
void writePrivateFile(const std::string &path,
                      const std::function<void(std::ostream &)> &fill);

/// Writes `text` to `path`, or to standard output where it is empty or "-".
void writeText(const std::string &path, const std::string &text);

/// An Error now, before long work, where a file cannot be written there.
void checkWritable(const std::string &path);

} // namespace populus::popir

#endif
