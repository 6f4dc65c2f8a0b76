// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Liveness of the blocks of variables. Blocks that are never live at the same
// time may share memory. A block is always live if the host can see it, if it
// has initial contents, or if a program reads bytes that it has not written
// before, which an earlier run left there. Any other block is live in intervals
// of *moments*: positions of steps in the control program with all calls
// expanded.

#ifndef POPULUS_LIB_POPLAR_LOWERING_LIVENESS_H
#define POPULUS_LIB_POPLAR_LOWERING_LIVENESS_H

#include "lib/Poplar/Lowering/Draft.h"
#include "lib/Poplar/Lowering/VariableLiveness.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace poplar::core {

class Liveness {
public:
  /// Analyses a draft whose programs are lowered and places not yet resolved.
  explicit Liveness(const Draft &draft);

  /// Returns true if a block does not share its memory.
  bool isAlwaysLive(std::uint32_t block) const {
    return block >= intervals.size() || intervals[block].empty();
  }
  /// Intervals of a block, in order and not touching; empty if it is always
  /// live.
  const std::vector<LiveInterval> &of(std::uint32_t block) const {
    return intervals[block];
  }
  bool isLiveAt(std::uint32_t block, std::uint32_t moment) const {
    return std::any_of(
        of(block).begin(), of(block).end(), [&](const LiveInterval &interval) {
          return interval.first <= moment && moment <= interval.last;
        });
  }
  bool interfere(std::uint32_t a, std::uint32_t b) const;

  /// Returns true if two blocks, neither always live, are live together only
  /// while a step runs.
  bool meetOnlyAt(std::uint32_t a, std::uint32_t b, std::uint32_t step) const;
  /// Adds the intervals of another block to those of a block.
  void unite(std::uint32_t block, std::uint32_t other);

  /// The step that runs at each moment.
  const std::vector<std::uint32_t> &stepsByMoment() const { return stepAt; }

  /// Makes a block always live. Returns its previous intervals.
  std::vector<LiveInterval> keepAlive(std::uint32_t block) {
    return std::exchange(intervals[block], {});
  }
  /// Undoes keepAlive().
  void restore(std::uint32_t block, std::vector<LiveInterval> when) {
    intervals[block] = std::move(when);
  }

private:
  void shareOperands(const Draft &draft);

  /// Calls a function with each interval in which both blocks are live, until
  /// it returns false.
  template <typename Function>
  void forEachMeeting(std::uint32_t a, std::uint32_t b,
                      Function function) const;

  std::vector<std::uint32_t> stepAt;                // by moment
  std::vector<std::vector<LiveInterval>> intervals; // by block
};

} // namespace poplar::core

#endif
