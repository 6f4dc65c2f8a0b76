// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Neg: the negative.

#include "lib/PopART/Ops/Elementwise.h"

#include <popops/ElementWise.hpp>

namespace popart {

namespace {

class Neg final : public UnaryOp {
public:
  using UnaryOp::UnaryOp;

private:
  poplar::Tensor apply(Lowering &lowering, poplar::Tensor x) const override {
    return popops::neg(lowering.graph(), x, lowering.program(),
                       lowering.debug(*this));
  }
};

const RegisterOp<Neg> registration("Neg", {6, 13});

} // namespace

} // namespace popart
