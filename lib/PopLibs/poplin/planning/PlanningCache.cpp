// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looks plans up before they are made.

#include "lib/PopLibs/poplin/planning/PlanningCacheImpl.h"
#include "lib/PopLibs/poputil/Log.h"

#include <pvti/pvti.hpp>

#include <cstdint>
#include <string>

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

double memoryOf(const MatMulPlan &plan) { return plan.memory; }
double memoryOf(const ConvPlan &plan) { return plan.memory(); }

/// Logs a plan, and warns of one that takes more memory than it should.
template <class Plan>
void logPlan(const char *name, const Plan &plan, const CostModel &cost) {
  const auto bytes = static_cast<std::uint64_t>(memoryOf(plan));
  const std::string text = std::string(name) + ": " +
                           std::to_string(plan.blocks()) + " blocks on " +
                           std::to_string(cost.numTiles) + " tiles, about " +
                           std::to_string(bytes) + " temporary bytes on a tile";
  poputil::logDetail(text);
  if (memoryOf(plan) > cost.bytesAvailable)
    poputil::logWarning(
        text + ", more than the " +
        std::to_string(static_cast<std::uint64_t>(cost.bytesAvailable)) +
        " that availableMemoryProportion allows; there is no smaller plan");
}

CostModel costModel(const PlanningCacheImpl::Setting &setting) {
  return std::apply([](const auto &...values) { return CostModel(values...); },
                    setting);
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
                  const CostModel cost = costModel(setting);
                  const MatMulPlan plan = planMatMul(shape, cost);
                  logPlan("poplin::planMatMul", plan, cost);
                  return plan;
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
                  const CostModel cost = costModel(setting);
                  const ConvPlan plan = planConv(shape, cost);
                  logPlan("poplin::planConv", plan, cost);
                  return plan;
                });
}

} // namespace poplin
