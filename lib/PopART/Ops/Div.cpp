// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Div: the quotient of two tensors, element by element; integers are truncated,
// with NumPy broadcasting.

#include "lib/PopART/Ops/Elementwise.h"

#include <popops/ElementWise.hpp>

namespace popart {

namespace {

class Div final : public BinaryOp {
public:
  using BinaryOp::BinaryOp;

private:
  poplar::Tensor apply(Lowering &lowering, poplar::Tensor a,
                       poplar::Tensor b) const override {
    return popops::div(lowering.graph(), a, b, lowering.program(),
                       lowering.debug(*this));
  }
  double compute(double a, double b) const override { return a / b; }
  std::int64_t compute(std::int64_t a, std::int64_t b) const override {
    if (b == 0)
      failInput("it divides the constant " + std::to_string(a) + " by zero");
    // The smallest integer has no negation: let it wrap around.
    return b == -1 ? wrapping(0, a, [](auto x, auto y) { return x - y; })
                   : a / b;
  }
};

const RegisterOp<Div> registration("Div", {6, 7, 13, 14});

} // namespace

} // namespace popart
