// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tanh: the hyperbolic tangent.

#include "lib/PopART/Ops/Elementwise.h"

#include <popnn/NonLinearity.hpp>

namespace popart {

namespace {

class Tanh final : public UnaryOp {
public:
  using UnaryOp::UnaryOp;

private:
  poplar::Tensor apply(Lowering &lowering, poplar::Tensor x) const override {
    return popnn::tanh(lowering.graph(), x, lowering.program(),
                       lowering.debug(*this));
  }
};

const RegisterOp<Tanh> registration("Tanh", {6, 13});

} // namespace

} // namespace popart
