// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans convolutions and matrix products before they are built, so that a cache
// has all plans.

#ifndef POPULUS_POPLIN_CONVPREPLAN_HPP
#define POPULUS_POPLIN_CONVPREPLAN_HPP

#include <poplin/Convolution.hpp>
#include <poplin/MatMul.hpp>

#include <set>

namespace poplin {

void preplan(const std::set<ConvPlanParams> &convs,
             const std::set<MatMulPlanParams> &matmuls, PlanningCache &cache);

} // namespace poplin

#endif
