// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands of several groups that are computed as one (CombinedGroups.h).

#ifndef POPULUS_LIB_POPLIBS_POPLIN_CONVOLUTION_DIAGONALGROUPS_H
#define POPULUS_LIB_POPLIBS_POPLIN_CONVOLUTION_DIAGONALGROUPS_H

#include "lib/PopLibs/poplin/planning/ConvPlan.h"

#include <poplar/Graph.hpp>

namespace poplin {

/// The input [batch, groups, channels, rows, columns], with fewer groups.
poplar::Tensor combinedInput(const poplar::Tensor &in, std::size_t together);

/// Combines weights [groups, outChannels, inChannels, rows, columns] as \p plan
/// requires, with the layout of the plan.
poplar::Tensor diagonalWeights(poplar::Graph &graph, const ConvShape &combined,
                               const ConvPlan &plan,
                               const poplar::Tensor &weights,
                               poplar::program::Sequence &prog,
                               const poplar::DebugContext &debugContext);

} // namespace poplin

#endif
