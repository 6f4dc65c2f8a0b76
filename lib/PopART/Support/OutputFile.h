// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomic output files: they are written to a temporary file in the same folder,
// which is then renamed. Pipes and devices (/dev/null) are written directly.

#ifndef POPULUS_LIB_POPART_SUPPORT_OUTPUTFILE_H
#define POPULUS_LIB_POPART_SUPPORT_OUTPUTFILE_H

#include <functional>
#include <iosfwd>
#include <string>

namespace populus::popir {

/// Writes a file by calling `fill`. Throws an Error if that fails.
void writeFile(const std::string &path,
               const std::function<void(std::ostream &)> &fill);

/// Writes a file that only its owner may read and write.
void writePrivateFile(const std::string &path,
                      const std::function<void(std::ostream &)> &fill);

/// Writes `text` to `path`, or to standard output if it is empty or "-".
void writeText(const std::string &path, const std::string &text);

/// Throws an Error if a file cannot be written there; to be called before long
/// work.
void checkWritable(const std::string &path);

} // namespace populus::popir

#endif
