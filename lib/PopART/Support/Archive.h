// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writing of tar archives (POSIX ustar), for reproducers.

#ifndef POPULUS_LIB_POPART_SUPPORT_ARCHIVE_H
#define POPULUS_LIB_POPART_SUPPORT_ARCHIVE_H

#include <string>
#include <utility>
#include <vector>

namespace populus::popir {

/// Writes files, by name and content, into an archive. Names have at most 99
/// characters. The bytes depend on nothing else.
void writeArchive(
    const std::string &path,
    const std::vector<std::pair<std::string, std::string>> &files);

} // namespace populus::popir

#endif
