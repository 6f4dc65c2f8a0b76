// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Some of a program's replicas: those that have taken the same branch. Replica
// r has the r-th equal share of all tiles; of 8 tiles and 4 replicas, the set
// {0, 3} has tiles 0, 1, 6 and 7.

#ifndef POPULUS_RUNTIME_SESSION_REPLICASET_H
#define POPULUS_RUNTIME_SESSION_REPLICASET_H

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace populus::runtime {

class ReplicaSet {
public:
  /// \p members has an entry for each replica, whose number divides that of
  /// the tiles.
  ReplicaSet(std::uint32_t numTiles, std::vector<bool> members)
      : tilesEach(numTiles / static_cast<std::uint32_t>(members.size())),
        members(std::move(members)) {}

  /// The number of all replicas, members or not.
  std::uint32_t numReplicas() const {
    return static_cast<std::uint32_t>(members.size());
  }
  bool has(std::uint32_t replica) const { return members[replica]; }
  std::uint32_t replicaOf(std::uint32_t tile) const { return tile / tilesEach; }
  bool hasTile(std::uint32_t tile) const { return has(replicaOf(tile)); }

  /// Returns whether one of \p count tiles from \p first on is a member's.
  bool hasSomeOf(std::uint32_t first, std::uint32_t count) const {
    const auto begin = members.begin();
    const auto end = begin + replicaOf(first + count - 1) + 1;
    return std::find(begin + replicaOf(first), end, true) != end;
  }

  /// The first replica that is no member.
  std::uint32_t firstOther() const {
    std::uint32_t replica = 0;
    while (replica != numReplicas() && members[replica])
      ++replica;
    return replica;
  }

private:
  std::uint32_t tilesEach;
  std::vector<bool> members;
};

} // namespace populus::runtime

#endif
