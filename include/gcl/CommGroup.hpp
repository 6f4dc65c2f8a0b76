// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groups of replicas for a collective: all replicas, or groups of equal size.

#ifndef POPULUS_GCL_COMMGROUP_HPP
#define POPULUS_GCL_COMMGROUP_HPP

#include <iosfwd>

namespace gcl {

enum class CommGroupType {
  /// All replicas are one group.
  ALL,
  /// With stride 1, {0 ... k-1}, {k ... 2k-1} and so on. With stride s, members
  /// are s apart, and groups lie inside of blocks of k * s replicas.
  CONSECUTIVE,
  /// The members of a group are n / k apart, where n is the number of replicas.
  ORTHOGONAL
};

class CommGroup {
public:
  /// Makes one group of all replicas.
  CommGroup() : groupType(CommGroupType::ALL), size(0), groupStride(1) {}
  /// Groups of \p replicaGroupSize members; 0 stands for all replicas.
  CommGroup(CommGroupType type, unsigned replicaGroupSize, unsigned stride = 1)
      : groupType(type), size(replicaGroupSize), groupStride(stride) {}

  CommGroupType type() const { return groupType; }
  unsigned replicaGroupSize() const { return size; }
  unsigned replicaGroupStride() const { return groupStride; }

  friend bool operator==(const CommGroup &a, const CommGroup &b) {
    return a.groupType == b.groupType && a.size == b.size &&
           a.groupStride == b.groupStride;
  }
  friend bool operator!=(const CommGroup &a, const CommGroup &b) {
    return !(a == b);
  }

private:
  CommGroupType groupType;
  unsigned size, groupStride;
};

std::ostream &operator<<(std::ostream &out, CommGroupType type);
std::ostream &operator<<(std::ostream &out, const CommGroup &group);

} // namespace gcl

#endif
