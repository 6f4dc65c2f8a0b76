// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collectives along rings of members. Each member owns a share of the data. In
// a reduction the sum of a share begins at the member behind its owner, and
// goes around the ring until the owner adds its own term. Four members,
// clockwise, where 2:01 is the sum of share 2 from members 0 and 1:
//
//             member 0   1         2         3
//    step 1   3:0 ->     0:1 ->    1:2 ->    2:3 ->
//    step 2   2:30 ->    3:01 ->   0:12 ->   1:23 ->
//    step 3   1:230 ->   2:301 ->  3:012 ->  0:123 ->
//    then     0:1230     1:2301    2:3012    3:0123
//
// A gathering is the same way without sums. Methods differ in their lanes: the
// order of the members, and the part of each share that goes this way.

#ifndef POPULUS_LIB_POPLIBS_POPOPS_MOVEMENT_RINGCOLLECTIVES_H
#define POPULUS_LIB_POPLIBS_POPOPS_MOVEMENT_RINGCOLLECTIVES_H

#include "lib/PopLibs/popops/movement/ReplicaGroups.h"

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#include <vector>

namespace popops {

class RingCollectives {
public:
  /// \p method is that of a ring; \p copies has no copies yet.
  RingCollectives(poplar::Graph &graph, CollectiveMethod method,
                  MemberCopies copies, poplar::program::Sequence &prog,
                  const poplar::DebugContext &dc);

  /// Returns a member's share of the combination. \p shares has those of all
  /// members.
  poplar::Tensor reduceScatter(const std::vector<poplar::Tensor> &shares,
                               Operation op);

  /// Copies \p share of member i to \p results[i] in all members, which may
  /// have fewer elements.
  void allGather(const poplar::Tensor &share,
                 const std::vector<poplar::Tensor> &results);

private:
  struct Lane {
    std::vector<unsigned> ring; // members in their order
    unsigned part;              // of a share
    unsigned steps;
    /// The buffer of a sum that goes on, of one that arrives, and of the own
    /// term that is added to it.
    poplar::Tensor sum, arriving, own;

    unsigned member(unsigned position) const {
      return ring[position % ring.size()];
    }
  };

  poplar::Tensor partOf(const poplar::Tensor &share, unsigned part) const;
  unsigned mostSteps() const;
  void addStep(const Lane &lane, unsigned step,
               const std::vector<poplar::Tensor> &shares, bool withOwn);
  bool addsOwn(std::size_t lane, unsigned step) const;

  poplar::Graph &graph;
  MemberCopies copies;
  poplar::program::Sequence &prog;
  const poplar::DebugContext &dc;
  unsigned parts = 1;
  std::size_t share = 0; // elements of a share
  std::vector<Lane> lanes;
};

} // namespace popops

#endif
