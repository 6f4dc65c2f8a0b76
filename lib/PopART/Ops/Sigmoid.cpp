// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sigmoid: 1 / (1 + exp(-x)).

#include "lib/PopART/Ops/Elementwise.h"

#include <popnn/NonLinearity.hpp>

namespace popart {

namespace {

class Sigmoid final : public UnaryOp {
public:
  using UnaryOp::UnaryOp;

private:
  poplar::Tensor apply(Lowering &lowering, poplar::Tensor x) const override {
    return popnn::sigmoid(lowering.graph(), x, lowering.program(),
                          lowering.debug(*this));
  }
};

const RegisterOp<Sigmoid> registration("Sigmoid", {6, 13});

} // namespace

} // namespace popart
