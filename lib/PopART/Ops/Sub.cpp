// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sub: the difference of two tensors, with NumPy broadcasting.

#include "lib/PopART/Ops/Elementwise.h"

#include <popops/ElementWise.hpp>

namespace popart {

namespace {

class Sub final : public BinaryOp {
public:
  using BinaryOp::BinaryOp;

private:
  poplar::Tensor apply(Lowering &lowering, poplar::Tensor a,
                       poplar::Tensor b) const override {
    return popops::sub(lowering.graph(), a, b, lowering.program(),
                       lowering.debug(*this));
  }
  double compute(double a, double b) const override { return a - b; }
  std::int64_t compute(std::int64_t a, std::int64_t b) const override {
    return wrapping(a, b, [](auto x, auto y) { return x - y; });
  }
};

const RegisterOp<Sub> registration("Sub", {6, 7, 13, 14});

} // namespace

} // namespace popart
