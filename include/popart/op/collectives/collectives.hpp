// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Base class of the operators that replicas compute together, with their group
// and the operator that combines values.

#ifndef POPULUS_INCLUDE_POPART_OP_COLLECTIVES_COLLECTIVES_HPP
#define POPULUS_INCLUDE_POPART_OP_COLLECTIVES_COLLECTIVES_HPP

#include <popart/commgroup.hpp>
#include <popart/op/builtin.hpp>
#include <popart/replicagrouping.hpp>

#include <cstdint>

namespace popart {

class CollectivesBaseOp : public BuiltinOp {
public:
  using BuiltinOp::BuiltinOp;
  static InIndex getInIndex() { return 0; }
  static OutIndex getOutIndex() { return 0; }

  /// Number of replicas of a group, and the distance between them.
  std::int64_t getCommSize() const { return number("__group_size", 1); }
  std::int64_t getCommStride() const { return number("__group_stride", 1); }

protected:
  std::int64_t number(const char *name, std::int64_t otherwise) const {
    return attributes().getAttribute<Attributes::Int>(name, otherwise);
  }
  static Attributes
  attributesOf(const ReplicaGrouping &grouping,
               CollectiveOperator op = CollectiveOperator::Add) {
    Attributes attributes;
    attributes.setAttribute<std::int64_t>("__group_size",
                                          grouping.getGroupSize());
    attributes.setAttribute<std::int64_t>("__group_stride",
                                          grouping.getStride());
    attributes.setAttribute<std::int64_t>("__collectiveOperator",
                                          static_cast<int>(op));
    return attributes;
  }
};

} // namespace popart

#endif
