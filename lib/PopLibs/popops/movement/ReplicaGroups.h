// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collectives in groups of replicas, for popops and gcl. All replicas run the
// same vertices. Only the pairs of sender and receiver differ, and the member's
// index in its group, which is computed on the tiles.

#ifndef POPULUS_LIB_POPLIBS_POPOPS_MOVEMENT_REPLICAGROUPS_H
#define POPULUS_LIB_POPLIBS_POPOPS_MOVEMENT_REPLICAGROUPS_H

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <popops/Operation.hpp>

#include <map>

namespace popops {

/// Replica r is member (r / stride) % size of its group.
class ReplicaGroups {
public:
  /// Throws unless the groups contain all replicas of the graph.
  ReplicaGroups(poplar::Graph &graph, unsigned size, unsigned stride,
                poplar::program::Sequence &prog,
                const poplar::DebugContext &debugContext);
  /// One group of all.
  ReplicaGroups(poplar::Graph &graph, poplar::program::Sequence &prog,
                const poplar::DebugContext &debugContext);

  unsigned size() const { return members; }

  /// Combines \p t of all members, in place.
  void allReduce(const poplar::Tensor &t, Operation op) const;
  /// Copies \p t of the first member to all members.
  void broadcast(const poplar::Tensor &t) const { broadcastFrom(0, t); }
  /// This member's part of \p t, [size, ...].
  poplar::Tensor ownPart(const poplar::Tensor &t) const;
  /// [size, shape of \p t...].
  poplar::Tensor allGather(const poplar::Tensor &t) const;
  /// Slice i of \p t, [size, ...], goes to member i.
  poplar::Tensor allToAll(const poplar::Tensor &t) const;

private:
  void broadcastFrom(unsigned root, const poplar::Tensor &t) const;
  /// Copies from member i to member receivers[i] in each group.
  void copy(const poplar::Tensor &from, const poplar::Tensor &to,
            const std::map<unsigned, unsigned> &receivers) const;
  void setNeutral(Operation op, const poplar::Tensor &received,
                  const poplar::Tensor &t) const;
  /// The member's number, as a tensor of one element.
  poplar::Tensor ownNumber() const;

  poplar::Graph &graph;
  poplar::program::Sequence &prog;
  const poplar::DebugContext &dc;
  unsigned replicas, members, stride;
};

} // namespace popops

#endif
