// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looks plans up before they are made.

#include "lib/PopLibs/poplin/planning/PlanningCacheImpl.h"

#include <pvti/pvti.hpp>

namespace poplin {
namespace {

/// `name`: of the span in which a plan is made.
template <class Plan, class Key, class Make>
Plan lookUp(std::map<Key, Plan> *plans, const Key &key, const char *name,
            Make make) {
  if (plans) {
    const auto found = plans->find(key);
    if (found != plans->end())
      return found->second;
  }
  const pvti::Tracepoint span(&pvti::tracePoplar, name);
  const Plan plan = make();
  if (plans)
    plans->emplace(key, plan);
  return plan;
}

} // namespace

PlanningCache::PlanningCache() : impl(new PlanningCacheImpl) {}
PlanningCache::~PlanningCache() = default;

std::size_t PlanningCache::size() const {
  return impl->matMulPlans.size() + impl->convPlans.size();
}

MatMulPlan getMatMulPlan(const poplar::Graph &graph, const MatMulShape &shape,
                         const poplar::Type &operandType,
                         const Options &options, PlanningCache *cache) {
  const poplar::Type dataType = productType(operandType);
  const PlanningCacheImpl::Setting setting{
      graph.getTarget(), dataType, options.availableMemoryProportion,
      options.halfSums, options.constantWeights};
  return lookUp(cache ? &cache->impl->matMulPlans : nullptr,
                std::make_pair(setting, shape), "poplin::planMatMul", [&] {
                  return planMatMul(shape,
                                    CostModel(graph.getTarget(), dataType,
                                              options.availableMemoryProportion,
                                              options.halfSums,
                                              options.constantWeights));
                });
}

ConvPlan getConvPlan(const poplar::Graph &graph, const ConvShape &shape,
                     const poplar::Type &operandType, const Options &options,
                     PlanningCache *cache) {
  const poplar::Type dataType = productType(operandType);
  const PlanningCacheImpl::Setting setting{
      graph.getTarget(), dataType, options.availableMemoryProportion,
      options.halfSums, options.constantWeights};
  return lookUp(cache ? &cache->impl->convPlans : nullptr,
                std::make_pair(setting, shape), "poplin::planConv", [&] {
                  return planConv(shape,
                                  CostModel(graph.getTarget(), dataType,
                                            options.availableMemoryProportion,
                                            options.halfSums,
                                            options.constantWeights));
                });
}

} // namespace poplin
