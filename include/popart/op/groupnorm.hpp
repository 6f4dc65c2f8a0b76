// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PopART's operator GroupNormalization.

#ifndef POPULUS_INCLUDE_POPART_OP_GROUPNORM_HPP
#define POPULUS_INCLUDE_POPART_OP_GROUPNORM_HPP

#include <popart/op/builtin.hpp>

#include <cstdint>

namespace popart {

class GroupNormOp : public BuiltinOp {
public:
  POPULUS_BUILTIN_OP(GroupNormOp, BuiltinOp, "ai.graphcore",
                     "GroupNormalization")
  GroupNormOp(const OperatorIdentifier &opid, std::int64_t numGroups,
              float epsilon, const Op::Settings &settings)
      : BuiltinOp("ai.graphcore", "GroupNormalization", opid, settings,
                  attributesOf(numGroups, epsilon)) {}
  static InIndex getXInIndex() { return 0; }
  static InIndex getScaleInIndex() { return 1; }
  static InIndex getBInIndex() { return 2; }
  static OutIndex getYOutIndex() { return 0; }
  static OutIndex getMeanOutIndex() { return 1; }
  static OutIndex getInvStdDevOutIndex() { return 2; }

  std::int64_t getNumGroups() const {
    return attributes().getAttribute<Attributes::Int>("num_groups", 1);
  }
  float getEpsilon() const {
    return attributes().getAttribute<Attributes::Float>("epsilon", 1e-5F);
  }

private:
  static Attributes attributesOf(std::int64_t numGroups, float epsilon) {
    Attributes attributes;
    attributes.setAttribute("num_groups", numGroups);
    attributes.setAttribute("epsilon", epsilon);
    return attributes;
  }
};

} // namespace popart

#endif
