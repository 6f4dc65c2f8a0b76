// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groups of few channels on the matrix unit. The unit always multiplies 8 or 16
// channels, so a smaller group would leave it partly idle. Several groups are
// therefore combined to one with a block-diagonal weight matrix:
//
//    group 0  [ W0  0   0  ]
//    group 1  [ 0   W1  0  ]
//    group 2  [ 0   0   W2 ]

#ifndef POPULUS_LIB_POPLIBS_POPLIN_PLANNING_COMBINEDGROUPS_H
#define POPULUS_LIB_POPLIBS_POPLIN_PLANNING_COMBINEDGROUPS_H

#include "lib/PopLibs/poplin/planning/ConvPlan.h"

#include <cstddef>
#include <vector>

namespace poplin {

/// Numbers of groups that may be worth combining: divisors of the number of
/// groups for which the combined input channels fit one channel group of the
/// unit.
std::vector<std::size_t> groupsWorthATry(const ConvShape &shape);

/// Returns the shape with \p together groups combined to one.
ConvShape combinedShape(ConvShape shape, std::size_t together);

/// Cost of making the weights of a plan for combined groups.
double diagonalCost(const ConvPlan &plan, const ConvShape &combined,
                    const CostModel &cost);

} // namespace poplin

#endif
