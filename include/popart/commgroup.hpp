// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groups of replicas that take part in a collective or share a variable.

#ifndef POPULUS_INCLUDE_POPART_COMMGROUP_HPP
#define POPULUS_INCLUDE_POPART_COMMGROUP_HPP

#include <ostream>

namespace popart {

enum class CommGroupType {
  /// All replicas are one group.
  All = 0,
  /// Neighbours: 0 to size - 1, size to 2 * size - 1, ...
  Consecutive,
  /// Evenly spread members: 0, n / size, 2 * n / size, ...
  Orthogonal,
  /// Each replica is a group.
  None,
};

/// Operator by which a collective combines the values of a group's replicas.
enum class CollectiveOperator {
  Add = 0,
  Mean,
  Mul,
  Min,
  Max,
  LogicalAnd,
  LogicalOr,
  /// The sum of the squares.
  SquareAdd,
  /// Each replica's own.
  Local
};

class CommGroup {
public:
  CommGroup() {}
  CommGroup(CommGroupType type, unsigned replicaGroupSize)
      : type(type), replicaGroupSize(replicaGroupSize) {}

  bool operator==(const CommGroup &other) const {
    return type == other.type && replicaGroupSize == other.replicaGroupSize;
  }
  bool operator!=(const CommGroup &other) const { return !(*this == other); }

  CommGroupType type = CommGroupType::All;
  /// Number of replicas of a group; 0 for All and None.
  unsigned replicaGroupSize = 0;
};

inline std::ostream &operator<<(std::ostream &out, CommGroupType type) {
  switch (type) {
  case CommGroupType::All:
    return out << "All";
  case CommGroupType::Consecutive:
    return out << "Consecutive";
  case CommGroupType::Orthogonal:
    return out << "Orthogonal";
  case CommGroupType::None:
    return out << "None";
  }
  return out;
}
inline std::ostream &operator<<(std::ostream &out, const CommGroup &group) {
  return out << "CommGroup(type=" << group.type
             << ", replicaGroupSize=" << group.replicaGroupSize << ")";
}

} // namespace popart

#endif
