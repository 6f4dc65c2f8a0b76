// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Relu: max(x, 0).

#include "lib/PopART/Ops/Elementwise.h"

#include <popnn/NonLinearity.hpp>

namespace popart {

namespace {

class Relu final : public UnaryOp {
public:
  using UnaryOp::UnaryOp;

private:
  poplar::Tensor apply(Lowering &lowering, poplar::Tensor x) const override {
    return popnn::relu(lowering.graph(), x, lowering.program(),
                       lowering.debug(*this));
  }
};

const RegisterOp<Relu> registration("Relu", {6, 13, 14});

} // namespace

} // namespace popart
