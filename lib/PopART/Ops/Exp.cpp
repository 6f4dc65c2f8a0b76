// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exp: the exponential.

#include "lib/PopART/Ops/Elementwise.h"

#include <popops/ElementWise.hpp>

namespace popart {

namespace {

class Exp final : public UnaryOp {
public:
  using UnaryOp::UnaryOp;

private:
  poplar::Tensor apply(Lowering &lowering, poplar::Tensor x) const override {
    return popops::exp(lowering.graph(), x, lowering.program(),
                       lowering.debug(*this));
  }
};

const RegisterOp<Exp> registration("Exp", {6, 13});

} // namespace

} // namespace popart
