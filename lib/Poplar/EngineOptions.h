// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of Engine and compileGraph.

#ifndef POPULUS_LIB_POPLAR_ENGINEOPTIONS_H
#define POPULUS_LIB_POPLAR_ENGINEOPTIONS_H

#include <poplar/OptionFlags.hpp>

#include <string>

namespace poplar::core {

struct EngineOptions {
  bool allowOutOfMemory = false;
  /// Record cycles step by step for the execution profile.
  bool profileExecution = true;
  /// Ask stream callbacks for data before it is needed.
  bool enablePrefetch = true;
  /// Host threads of the graph compiler; 0: as many as the machine has.
  unsigned compilationThreads = 0;
};

/// Reads options, with those of the environment variable POPLAR_ENGINE_OPTIONS
/// in front. Throws invalid_option for a key or value that is unknown.
EngineOptions parseEngineOptions(const OptionFlags &options);

} // namespace poplar::core

#endif
