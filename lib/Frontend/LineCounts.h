// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Executions of the lines of a source, for -fprofile-use. `ipu-report DIR
// --lcov FILE` writes those of a run on the emulated IPU as a tracefile of
// lcov. LLVM's optimiser takes sampled profiles, which are lists of functions
// with counts by line, so the counts become one for the functions of a module.
// For example, line 8 of a function that begins at line 6 is its line 2:
//
//   _ZN5Scale7computeEv:4100:1
//    2: 4096

#ifndef POPULUS_LIB_FRONTEND_LINECOUNTS_H
#define POPULUS_LIB_FRONTEND_LINECOUNTS_H

#include <llvm/ADT/StringMap.h>
#include <llvm/IR/Module.h>

#include <cstdint>
#include <map>
#include <string>

namespace populus::frontend {

class LineCounts {
public:
  /// Reads the text of a tracefile: its records SF (a source) and DA (a line
  /// and its count). Returns an error message, empty for success.
  std::string read(llvm::StringRef text);

  /// Returns a sampled profile, as text, of the functions of a module that was
  /// compiled with locations and has not been optimised, and has LLVM use it.
  /// It is empty if the counts are of other sources.
  std::string addTo(llvm::Module &module) const;

private:
  using Lines = std::map<std::uint32_t, std::uint64_t>;

  const Lines *linesOf(const llvm::DIFile &file) const;

  llvm::StringMap<Lines> sources; // by path
};

} // namespace populus::frontend

#endif
