// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans by what they were made for.

#ifndef POPULUS_LIB_POPLIBS_POPLIN_PLANNING_PLANNINGCACHEIMPL_H
#define POPULUS_LIB_POPLIBS_POPLIN_PLANNING_PLANNINGCACHEIMPL_H

#include "lib/PopLibs/poplin/planning/ConvPlan.h"
#include "lib/PopLibs/poplin/planning/MatMulPlan.h"
#include "lib/PopLibs/poplin/planning/Options.h"

#include <poplar/Graph.hpp>
#include <poplin/PlanningCache.hpp>

#include <map>
#include <tuple>

namespace poplin {

class PlanningCacheImpl {
public:
  /// Inputs of a plan besides the shape.
  using Setting = std::tuple<poplar::Target, poplar::Type, double, bool, bool>;

  std::map<std::pair<Setting, MatMulShape>, MatMulPlan> matMulPlans;
  std::map<std::pair<Setting, ConvShape>, ConvPlan> convPlans;
};

/// The plan from the cache (which may be null), or a new one.
MatMulPlan getMatMulPlan(const poplar::Graph &graph, const MatMulShape &shape,
                         const poplar::Type &dataType, const Options &options,
                         PlanningCache *cache);
ConvPlan getConvPlan(const poplar::Graph &graph, const ConvShape &shape,
                     const poplar::Type &dataType, const Options &options,
                     PlanningCache *cache);

} // namespace poplin

#endif
