// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cost models of vertices, for devices without cycle-exact emulation.

#ifndef POPULUS_INCLUDE_POPLAR_PERFESTIMATEFUNC_HPP
#define POPULUS_INCLUDE_POPLAR_PERFESTIMATEFUNC_HPP

#include <poplar/Target.hpp>
#include <poplar/VertexIntrospector.hpp>

#include <cstdint>
#include <functional>

namespace poplar {

struct VertexPerfEstimate {
  VertexPerfEstimate() : cycles(0), flops(0) {}
  VertexPerfEstimate(std::uint64_t cycles, std::uint64_t flops = 0)
      : cycles(cycles), flops(flops) {}

  /// Instructions that the vertex issues on its worker.
  std::uint64_t cycles;
  std::uint64_t flops;
};

using PerfEstimateFunc = std::function<VertexPerfEstimate(
    const VertexIntrospector &vertex, const Target &target)>;
using CycleEstimateFunc = std::function<std::uint64_t(
    const VertexIntrospector &vertex, const Target &target)>;

} // namespace poplar

#endif
