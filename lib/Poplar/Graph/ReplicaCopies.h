// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies between replicas that all happen at once, for libraries of
// collectives. The tensors of a public CrossReplicaCopy are the same in all
// replicas; here each pair of replicas may copy other parts. For example, each
// of two replicas sends the half of `t` that the other one has to add up:
//
//    source   destination   from -> to
//    t[1]     received      0 -> 1
//    t[0]     received      1 -> 0

#ifndef POPULUS_LIB_POPLAR_GRAPH_REPLICACOPIES_H
#define POPULUS_LIB_POPLAR_GRAPH_REPLICACOPIES_H

#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

#include <map>
#include <vector>

namespace poplar::core {

struct ReplicaCopy {
  Tensor source, destination;
  /// The receiving replica of each sending one, which may be the same.
  std::map<unsigned, unsigned> receivers;
};

/// Makes one exchange of \p copies, of which there is at least one. No two of
/// them write the same element of a replica, and none reads one that another
/// writes.
program::Program makeReplicaCopies(std::vector<ReplicaCopy> copies,
                                   const DebugContext &debugContext);

} // namespace poplar::core

#endif
