// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groups of few channels on the matrix unit. Several groups are taken for one,
// whose weights are a matrix with those of each group on its diagonal and zeros
// elsewhere: the unit multiplies by 8 or 16 channels in any case, and a group
// that has fewer leaves the rest of it idle.

#ifndef POPULUS_LIB_POPLIBS_POPLIN_CONVOLUTION_DIAGONALGROUPS_H
#define POPULUS_LIB_POPLIBS_POPLIN_CONVOLUTION_DIAGONALGROUPS_H

#include "lib/PopLibs/poplin/convolution/ConvPlan.h"

#include <poplar/Graph.hpp>

namespace poplin {

/// Numbers of groups that may be worth combining: divisors of the number of
/// groups for which the combined input channels fit one channel group of the
/// unit.
std::vector<std::size_t> groupsWorthATry(const ConvShape &shape);

/// The convolution with \p together groups taken for one.
ConvShape combinedShape(ConvShape shape, std::size_t together);

/// Cost of making the weights of such a plan.
double diagonalCost(const ConvPlan &plan, const ConvShape &combined,
                    const CostModel &cost);

/// The input [batch, groups, channels, rows, columns], with fewer groups.
poplar::Tensor combinedInput(const poplar::Tensor &in, std::size_t together);

/// The weights [groups, outChannels, inChannels, rows, columns] of the groups
/// that \p plan takes together, where it uses them.
poplar::Tensor diagonalWeights(poplar::Graph &graph, const ConvShape &combined,
                               const ConvPlan &plan,
                               const poplar::Tensor &weights,
                               poplar::program::Sequence &prog,
                               const poplar::DebugContext &debugContext);

} // namespace poplin

#endif
