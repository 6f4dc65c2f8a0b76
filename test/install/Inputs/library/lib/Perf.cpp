// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Estimators in the manner of PopLibs' own: macros over the introspector.

#include "Perf.hpp"
#include <cassert>
#include <functional>
#include <poplar/Graph.hpp>
#include <poplar/PerfEstimateFunc.hpp>
#include <poplar/VertexIntrospector.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>
using namespace poplar;
#define MAKE_PERF_ESTIMATOR_NAME(codelet) getPerfEstimateFor##codelet
#define CODELET_FIELD(field) const auto field = vertex.getFieldInfo(#field)
#define CODELET_SCALAR_VAL(field, type)                                        \
  const auto field = vertex.getFieldInfo(#field).getInitialValue<type>(target)
namespace sten {
using PerfTable = std::vector<std::pair<std::string, poplar::PerfEstimateFunc>>;
VertexPerfEstimate
MAKE_PERF_ESTIMATOR_NAME(Blur)(const VertexIntrospector &vertex,
                               const Target &target, const Type &type,
                               unsigned edge) {
  CODELET_FIELD(in);
  CODELET_FIELD(out);
  CODELET_SCALAR_VAL(width, unsigned short);
  CODELET_SCALAR_VAL(scale, float);
  (void)scale;
  (void)edge;
  assert(in.size() == out.size() + 2);
  const auto layout = in.getProfilerVectorLayout(0);
  if (layout != layout::Vector::Span)
    throw poputil::poplibs_error("layout");
  if (in.getProfilerVectorLayout(1) != layout::Vector::OnePtr)
    throw poputil::poplibs_error("layout 1");
  std::uint64_t cycles = 20, flops = 0;
  for (unsigned i = 0; i != out.size(); ++i) {
    cycles += 5 + out.getSizeAtIndex(i) * (type == HALF ? 12u : 10u) /
                      target.getVectorWidth(type);
    flops += 10 * width;
  }
  return {cycles, flops};
}
VertexPerfEstimate
MAKE_PERF_ESTIMATOR_NAME(Count)(const VertexIntrospector &vertex,
                                const Target &target, const Type &) {
  CODELET_FIELD(in);
  return VertexPerfEstimate(10 + in.size() / target.getNumWorkerContexts() * 4);
}
template <typename... Args>
static PerfEstimateFunc
bindArgs(VertexPerfEstimate (*f)(const VertexIntrospector &, const Target &,
                                 Args...),
         typename std::decay<Args>::type... args) {
  return [=](const VertexIntrospector &v, const Target &t) {
    return f(v, t, args...);
  };
}
void registerPerfFunctions(Graph &graph) {
  PerfTable t;
  for (auto ty : {FLOAT, HALF}) {
    t.emplace_back(
        poputil::templateVertex("sten::Blur", ty, "sten::Edge::CLAMP", false),
        bindArgs(getPerfEstimateForBlur, ty, 0u));
    t.emplace_back(
        poputil::templateVertex("sten::Blur", ty, "sten::Edge::ZERO", true),
        std::bind(getPerfEstimateForBlur, std::placeholders::_1,
                  std::placeholders::_2, ty, 1u));
    t.emplace_back(poputil::templateVertex("sten::Count", ty),
                   bindArgs(getPerfEstimateForCount, ty));
  }
  for (auto &e : t)
    graph.registerPerfEstimator(e.first, e.second);
}
} // namespace sten
