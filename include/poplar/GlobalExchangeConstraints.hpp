// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bandwidth limits between IPUs, for planners.

#ifndef POPULUS_INCLUDE_POPLAR_GLOBALEXCHANGECONSTRAINTS_HPP
#define POPULUS_INCLUDE_POPLAR_GLOBALEXCHANGECONSTRAINTS_HPP

#include <utility>
#include <vector>

namespace poplar {

/// From one IPU to another.
struct GlobalExchangeFlow {
  unsigned src;
  unsigned dst;
  GlobalExchangeFlow(unsigned src, unsigned dst) : src(src), dst(dst) {}

  friend bool operator==(const GlobalExchangeFlow &a,
                         const GlobalExchangeFlow &b) {
    return a.src == b.src && a.dst == b.dst;
  }
};

/// Flows that share a bandwidth, in bits a second.
struct GlobalExchangeConstraint {
  double bandwidth;
  std::vector<GlobalExchangeFlow> flows;
  GlobalExchangeConstraint(double bandwidth,
                           std::vector<GlobalExchangeFlow> flows)
      : bandwidth(bandwidth), flows(std::move(flows)) {}

  friend bool operator==(const GlobalExchangeConstraint &a,
                         const GlobalExchangeConstraint &b) {
    return a.bandwidth == b.bandwidth && a.flows == b.flows;
  }
};

} // namespace poplar

#endif
