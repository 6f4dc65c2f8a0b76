// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Number of replicas of a graph. The type prevents confusion with a number of
// tiles or IPUs.

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
