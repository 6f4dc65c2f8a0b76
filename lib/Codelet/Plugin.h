// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface between lib/Poplar and the codelet compiler: one function of a
// shared library (libpopulus_codelet.so, beside libpoplar.so). The library is
// loaded when a program adds codelets from source, so programs with .gp files
// only never load LLVM.

#ifndef POPULUS_LIB_CODELET_PLUGIN_H
#define POPULUS_LIB_CODELET_PLUGIN_H

#include <cstdint>
#include <string>
#include <vector>

namespace populus::codelet {

struct CompileRequest {
  /// popc's arguments, inputs included, output excluded.
  std::vector<std::string> arguments;
  /// Source text for the input "-"; empty if no argument is "-".
  std::string standardInput;
};

struct CompileResult {
  /// popc's exit status (docs/architecture.md); 0 is success.
  int status = 0;
  /// Warnings and errors as popc prints them.
  std::string diagnostics;
  /// The bytes of the .gp file.
  std::vector<std::uint8_t> archive;
};

inline constexpr const char *PluginLibrary = "libpopulus_codelet.so";
inline constexpr const char *PluginEntry = "populus_compile_codelets";
using PluginFunction = void (*)(const CompileRequest &, CompileResult &);

} // namespace populus::codelet

#endif
