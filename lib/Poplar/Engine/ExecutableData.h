// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// State of a poplar::Executable: the runtime's executable, which an Engine
// shares with its session.

#ifndef POPULUS_LIB_POPLAR_ENGINE_EXECUTABLEDATA_H
#define POPULUS_LIB_POPLAR_ENGINE_EXECUTABLEDATA_H

#include "lib/Poplar/Support/EngineOptions.h"
#include "runtime/Format/Executable.h"

#include <poplar/ArrayRef.hpp>
#include <poplar/Program.hpp>

#include <functional>
#include <memory>

namespace poplar::core {

struct ExecutableData {
  std::shared_ptr<populus::runtime::Executable> executable;
};

/// The engines that will run an executable.
enum class CompiledFor {
  ThisEngine, // the one that compiles it
  AnyEngine,
};

/// compileGraph without its report.
ExecutableData compile(const Graph &graph, ArrayRef<program::Program> programs,
                       const EngineOptions &options, CompiledFor purpose,
                       std::function<void(int, int)> progress);

} // namespace poplar::core

#endif
