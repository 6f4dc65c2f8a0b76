// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Common part of the searches for plans: each method tries all sensible
// divisions and keeps the cheapest.

#ifndef POPULUS_LIB_POPLIBS_POPLIN_PLANNING_PLANSEARCH_H
#define POPULUS_LIB_POPLIBS_POPLIN_PLANNING_PLANSEARCH_H

#include "lib/PopLibs/poplin/planning/ConvPlan.h"

#include <algorithm>

namespace poplin {

/// Bytes of a vertex's state.
inline constexpr double StateBytes = 80;

/// A plan whose divisions are still to be chosen.
ConvPlan undividedPlan(const ConvShape &shape, const CostModel &cost);

/// The cost of an input that does not lie in full groups.
double regroupCost(const ConvPlan &plan, const ConvShape &form,
                   const CostModel &cost);

/// Replaces \p best by \p plan if that is cheaper.
void consider(ConvPlan &best, const ConvPlan &plan, double cost);

/// Calls visit for all sensible divisions of \p out, \p rows and \p in.
template <class Visit>
void forEachDivision(ConvPlan plan, std::size_t out, std::size_t rows,
                     std::size_t in, Visit visit) {
  const std::size_t limit = std::max<std::size_t>(
      1, plan.tiles.tiles / (plan.images.parts * plan.groups));
  for (std::size_t outParts : candidateParts(out, limit))
    for (std::size_t rowParts :
         candidateParts(rows, std::max<std::size_t>(1, limit / outParts)))
      for (std::size_t inParts : candidateParts(
               in, std::max<std::size_t>(1, limit / (outParts * rowParts)))) {
        plan.outChannels = {out, outParts};
        plan.rows = {rows, rowParts};
        plan.inChannels = {in, inParts};
        plan.tiles.pieces = plan.blocks() * inParts;
        visit(plan);
      }
}

/// The cheapest plan of the direct method.
ConvPlan planDirect(const ConvShape &shape, const CostModel &cost);

} // namespace poplin

#endif
