// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groups of replicas by stride: 8 replicas with a stride of 2 and groups of 2
// are {0, 2}, {1, 3}, {4, 6}, {5, 7}.

#ifndef POPULUS_INCLUDE_POPART_REPLICAGROUPING_HPP
#define POPULUS_INCLUDE_POPART_REPLICAGROUPING_HPP

#include <popart/commgroup.hpp>
#include <popart/error.hpp>

#include <ostream>
#include <string>
#include <vector>

namespace popart {

class ReplicaGrouping {
public:
  ReplicaGrouping(unsigned numReplicas, unsigned stride, unsigned groupSize)
      : numReplicas(numReplicas), stride(groupSize == 1 ? 1 : stride),
        groupSize(groupSize) {
    if (numReplicas == 0 || stride == 0 || groupSize == 0 ||
        numReplicas % groupSize != 0 ||
        numReplicas % (this->stride * groupSize) != 0)
      throw error("{} replicas have no groups of {} with a stride of {}",
                  numReplicas, groupSize, stride);
  }
  /// One group of all replicas.
  explicit ReplicaGrouping(unsigned numReplicas)
      : ReplicaGrouping(numReplicas, 1, numReplicas) {}

  unsigned getNumReplicas() const { return numReplicas; }
  unsigned getStride() const { return stride; }
  unsigned getGroupSize() const { return groupSize; }
  unsigned getNumGroups() const { return numReplicas / groupSize; }
  unsigned getGroupAt(unsigned replica) const {
    check(replica, numReplicas, "replica");
    return replica / (stride * groupSize) * stride + replica % stride;
  }
  unsigned getIndexInGroupAt(unsigned replica) const {
    check(replica, numReplicas, "replica");
    return replica / stride % groupSize;
  }
  unsigned getReplicaAt(unsigned group, unsigned index = 0) const {
    check(group, getNumGroups(), "group");
    check(index, groupSize, "member");
    return group / stride * stride * groupSize + group % stride +
           index * stride;
  }
  std::vector<unsigned> getReplicasAt(unsigned group) const {
    std::vector<unsigned> replicas;
    for (unsigned i = 0; i != groupSize; ++i)
      replicas.push_back(getReplicaAt(group, i));
    return replicas;
  }
  /// Each replica's place in its group becomes its group, and the reverse.
  ReplicaGrouping getTranspose() const {
    const unsigned groups = getNumGroups();
    if (groups == 1)
      return ReplicaGrouping(numReplicas, 1, 1);
    if (groupSize == 1)
      return ReplicaGrouping(numReplicas);
    if (stride != 1 && stride * groupSize != numReplicas)
      throw error("{} has no transpose", str());
    return ReplicaGrouping(numReplicas, stride == 1 ? groupSize : 1, groups);
  }
  std::string str() const {
    return "ReplicaGrouping(numReplicas=" + std::to_string(numReplicas) +
           ", stride=" + std::to_string(stride) +
           ", groupSize=" + std::to_string(groupSize) + ")";
  }
  bool operator==(const ReplicaGrouping &other) const {
    return numReplicas == other.numReplicas && stride == other.stride &&
           groupSize == other.groupSize;
  }
  bool operator!=(const ReplicaGrouping &other) const {
    return !(*this == other);
  }

private:
  static void check(unsigned number, unsigned limit, const char *what) {
    if (number >= limit)
      throw error("there is no {} {}; there are {}", what, number, limit);
  }

  unsigned numReplicas, stride, groupSize;
};

inline std::ostream &operator<<(std::ostream &out,
                                const ReplicaGrouping &grouping) {
  return out << grouping.str();
}

} // namespace popart

#endif
