// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one way in which tools and libraries write a file: it appears whole or
// not at all. It is written beside its place and renamed, so a disk that is
// full or a program that is interrupted leaves what was there before. A link
// stays, and the file that it leads to is replaced; what is no file (a pipe,
// /dev/null) is written into.

#ifndef POPULUS_RUNTIME_SUPPORT_OUTPUTFILE_H
#define POPULUS_RUNTIME_SUPPORT_OUTPUTFILE_H

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>

namespace populus::runtime {

/// The readers of a new file: all that the user's umask allows, or its owner.
enum class Readers { Usual, Owner };

/// Lets `write` fill the file. Returns why it cannot be written ("No space left
/// on device"), or an empty text. An exception of `write` passes through,
/// unless there is no room for what it wrote before.
std::string writeFile(const std::filesystem::path &path,
                      const std::function<void(std::ostream &)> &write,
                      Readers readers = Readers::Usual);

/// Writes `bytes`.
std::string writeFile(const std::filesystem::path &path,
                      std::string_view bytes);

/// Returns true for a path that takes bytes and is no regular file.
bool isDevice(const std::filesystem::path &path);

/// The file that a link leads to, whether it exists or not; other paths as they
/// are.
std::filesystem::path behindLinks(const std::filesystem::path &path);

/// For the end of a tool: sees that all of standard output has arrived. Where
/// it has not, says so, and turns a `status` of success into one of failure.
int finishOutput(const char *tool, int status);

} // namespace populus::runtime

#endif
