// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// popc as a library: runs all compilations that a command line asks for and
// joins their results.

#ifndef POPULUS_LIB_CODELET_COMPILER_H
#define POPULUS_LIB_CODELET_COMPILER_H

#include "lib/Archive/Archive.h"
#include "lib/Codelet/Options.h"
#include "lib/Frontend/Diagnostics.h"

#include <optional>

namespace populus::codelet {

/// The exit statuses of docs/architecture.md that popc uses.
enum Status { Success = 0, Failure = 1, Usage = 2, Internal = 70 };

/// A file to be written, or text for the standard output where the path is "-".
struct OutputFile {
  std::string path;
  std::vector<std::uint8_t> bytes;
};

struct Compilation {
  int status = Success;
  /// Warnings and errors, as they go to the standard error.
  std::string diagnostics;
  /// The same diagnostics, one by one.
  std::vector<frontend::Message> messages;
  /// The commands that -v shows.
  std::string commands;
  /// The archive, in mode Archive.
  archive::Archive archive;
  /// All files but the archive.
  std::vector<OutputFile> files;
};

/// `standardInput` is the text of the input "-", read from the process's
/// standard input where it is not given.
Compilation compileAll(const Options &options,
                       std::optional<std::string> standardInput);

} // namespace populus::codelet

#endif
