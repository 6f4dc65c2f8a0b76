// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions behind the table of PassManager.cpp, one a file. Each returns
// how many places it changed.

#ifndef POPULUS_LIB_POPART_PASSES_PASSES_H
#define POPULUS_LIB_POPART_PASSES_PASSES_H

#include "lib/PopART/Passes/Pass.h"

namespace populus::popir {

// Passes over each graph.
std::size_t removeIdentities(Graph &graph);
std::size_t foldBatchNorms(Graph &graph);
std::size_t padIntoWindow(Graph &graph);
std::size_t mergeDuplicates(Graph &graph);
std::size_t fuseNorms(Graph &graph);
std::size_t scatterIntoSum(Graph &graph);
std::size_t fuseElementwise(Graph &graph);
std::size_t computeInPlace(Graph &graph);

// Passes over the module.
std::size_t prune(Module &module, const PassOptions &options);
std::size_t convertToHalf(Module &module, const PassOptions &options);
std::size_t outline(Module &module, const PassOptions &options);
std::size_t assignIpus(Module &module, const PassOptions &options);
std::size_t copyBetweenIpus(Module &module, const PassOptions &options);
std::size_t orderStages(Module &module, const PassOptions &options);
std::size_t stashStages(Module &module, const PassOptions &options);

} // namespace populus::popir

#endif
