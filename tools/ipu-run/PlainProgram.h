// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ipu-run --tile: objects of an ordinary C or C++ program are linked with the
// device library and run on one worker of one tile.

#ifndef POPULUS_TOOLS_IPU_RUN_PLAINPROGRAM_H
#define POPULUS_TOOLS_IPU_RUN_PLAINPROGRAM_H

#include "runtime/Session/Session.h"

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace populus::run {

/// The program cannot be linked, or an object cannot be read.
class PlainProgramError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// Code, data and stack are larger than a tile's memory.
class OutOfMemoryError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// A program of one compute set with one vertex, which is the whole program.
/// `arguments` are those of main() behind the program's name.
std::shared_ptr<const runtime::Executable>
linkPlainProgram(const std::vector<std::string> &files,
                 const std::vector<std::string> &arguments,
                 const std::string &target);

struct PlainProgramResult {
  int status = 0; // of exit() or main()
  runtime::RunStats stats;
};

/// Runs it; it reads from and prints to this process's standard streams. Throws
/// runtime::RunError. `atEnd` is called when it has ended, or has failed.
PlainProgramResult
runPlainProgram(std::shared_ptr<const runtime::Executable> executable,
                runtime::SessionOptions options,
                const std::function<void(const runtime::Session &)> &atEnd);

} // namespace populus::run

#endif
