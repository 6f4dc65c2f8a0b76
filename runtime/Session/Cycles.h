// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Modelled cycles by what they are spent on, and their sums.

#ifndef POPULUS_RUNTIME_SESSION_CYCLES_H
#define POPULUS_RUNTIME_SESSION_CYCLES_H

#include <cstdint>

namespace populus::runtime {

/// Modelled cycles of an IPU. Its tiles wait for each other at syncs, so these
/// are sums over steps of the slowest tile. Waiting for other IPUs counts as
/// sync.
struct Cycles {
  std::uint64_t total = 0;
  std::uint64_t compute = 0;
  std::uint64_t exchange = 0;
  std::uint64_t sync = 0;
  std::uint64_t host = 0;

  bool operator==(const Cycles &) const = default;

  /// Sets the total to the sum of the parts.
  Cycles &addUp() {
    total = compute + exchange + sync + host;
    return *this;
  }

  Cycles &operator+=(const Cycles &other) {
    total += other.total;
    compute += other.compute;
    exchange += other.exchange;
    sync += other.sync;
    host += other.host;
    return *this;
  }
  Cycles &operator-=(const Cycles &other) {
    total -= other.total;
    compute -= other.compute;
    exchange -= other.exchange;
    sync -= other.sync;
    host -= other.host;
    return *this;
  }
  Cycles operator*(std::uint64_t times) const {
    return {total * times, compute * times, exchange * times, sync * times,
            host * times};
  }
};

} // namespace populus::runtime

#endif
