// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PopART's operator L1: lambda times the sum of absolute values. Programs of
// older versions find the loss L1Loss here, too.

#ifndef POPULUS_INCLUDE_POPART_OP_L1_HPP
#define POPULUS_INCLUDE_POPART_OP_L1_HPP

#include <popart/losses.hpp>
#include <popart/op/loss.hpp>

namespace popart {

class L1Op : public LossOp {
public:
  POPULUS_BUILTIN_OP(L1Op, LossOp, "ai.graphcore", "L1")
  L1Op(const OperatorIdentifier &opid, float lambda, ReductionType reduction,
       const Op::Settings &settings)
      : LossOp("ai.graphcore", "L1", opid, settings,
               reducing(reduction, withLambda(lambda))) {}
  static InIndex getInIndex() { return 0; }

  float getLambda() const {
    return attributes().getAttribute<Attributes::Float>("lambda", 1.0F);
  }

private:
  static Attributes withLambda(float lambda) {
    Attributes attributes;
    attributes.setAttribute("lambda", lambda);
    return attributes;
  }
};

} // namespace popart

#endif
