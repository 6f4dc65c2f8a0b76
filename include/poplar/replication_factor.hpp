// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The number of replicas of a graph, as a type of its own so that it cannot be
// mistaken for a number of tiles or IPUs.

#ifndef POPULUS_INCLUDE_POPLAR_REPLICATION_FACTOR_HPP
#define POPULUS_INCLUDE_POPLAR_REPLICATION_FACTOR_HPP

namespace poplar {

struct replication_factor {
  constexpr explicit replication_factor(unsigned factor) : factor(factor) {}
  constexpr operator unsigned() const { return factor; }

private:
  unsigned factor;
};

} // namespace poplar

#endif
