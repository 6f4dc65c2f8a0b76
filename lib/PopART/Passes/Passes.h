// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of the passes, one a file. Each returns
// how many places it changed.

#ifndef POPULUS_LIB_POPART_PASSES_PASSES_H
#define POPULUS_LIB_POPART_PASSES_PASSES_H

#include "lib/PopART/Passes/Pass.h"

namespace populus::popir {

#define GRAPH_PASS(NAME, FUNCTION, ...) std::size_t FUNCTION(Graph &graph);
#define MODULE_PASS(NAME, FUNCTION, ...)                                       \
  std::size_t FUNCTION(Module &module, const PassOptions &options);
#include "lib/PopART/Passes/Passes.def"

} // namespace populus::popir

#endif
