// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PopART's operator Nll: the negative logarithm of labels' probabilities.

#ifndef POPULUS_INCLUDE_POPART_OP_NLL_HPP
#define POPULUS_INCLUDE_POPART_OP_NLL_HPP

#include <popart/losses.hpp>
#include <popart/op/loss.hpp>

namespace popart {

class NllOp : public LossOp {
public:
  POPULUS_BUILTIN_OP(NllOp, LossOp, "ai.graphcore", "Nll")
  static InIndex getProbsInIndex() { return 0; }
  static InIndex getLabelInIndex() { return 1; }
};

} // namespace popart

#endif
