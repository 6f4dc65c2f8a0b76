// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One compilation: a source, a target, Clang's arguments; out come the bytes of
// the result, the vertex types that were found and the diagnostics. Several may
// run at once in different threads.

#ifndef POPULUS_LIB_FRONTEND_COMPILE_H
#define POPULUS_LIB_FRONTEND_COMPILE_H

#include "lib/Archive/Archive.h"
#include "lib/Frontend/Diagnostics.h"

#include <map>
#include <optional>
#include <set>

namespace populus::frontend {

enum class Result {
  Object, // IPU: relocatable object; cpu: relocatable object as well
  Assembly,
  LlvmIr,
  Bitcode,
  Preprocessed,
  Checked, // no bytes, only diagnostics
};

struct CompileJob {
  const runtime::TargetInfo *target = nullptr;
  /// The name for the results: the target's, or its variant's.
  std::string targetName;
  /// The arguments of `clang -cc1`, without the input.
  std::vector<std::string> arguments;
  std::string input;
  /// Source text in place of the file `input`, which then is its name only.
  std::optional<std::string> text;
  Result result = Result::Object;
  /// Functions that other sources bring, whatever the libraries' are refused
  /// for.
  std::set<std::string> definedElsewhere;
  /// A file of counts by source line to optimise by, or empty.
  std::string lineCounts;
  /// Warnings of slow idioms and of workers that disturb each other.
  bool checkCodelets = false;
};

struct CompileOutput {
  bool success = false;
  std::vector<std::uint8_t> bytes;
  std::vector<archive::VertexType> vertexTypes;
  std::vector<Diagnostic> diagnostics;
  /// Remarks of the optimiser (-fsave-optimization-record) and the path that
  /// they are asked for; empty if they are not.
  std::string remarks, remarksPath;
  /// Texts of sources, by path, with the fix-its of checkCodelets applied.
  std::map<std::string, std::string> fixedSources;
};

/// C, C++ or LLVM IR.
CompileOutput compile(const CompileJob &job);

/// Assembly that needs no preprocessing; `text` is the source.
CompileOutput assemble(const CompileJob &job);

} // namespace populus::frontend

#endif
