// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PopART's operator IdentityLoss, which reduces a tensor to a loss.

#ifndef POPULUS_INCLUDE_POPART_OP_IDENTITYLOSS_HPP
#define POPULUS_INCLUDE_POPART_OP_IDENTITYLOSS_HPP

#include <popart/losses.hpp>
#include <popart/op/loss.hpp>

namespace popart {

class IdentityLossOp : public LossOp {
public:
  POPULUS_BUILTIN_OP(IdentityLossOp, LossOp, "ai.graphcore", "IdentityLoss")
  IdentityLossOp(const OperatorIdentifier &opid, ReductionType reduction,
                 const Op::Settings &settings)
      : LossOp("ai.graphcore", "IdentityLoss", opid, settings,
               reducing(reduction)) {}
  static InIndex getInIndex() { return 0; }
};

} // namespace popart

#endif
