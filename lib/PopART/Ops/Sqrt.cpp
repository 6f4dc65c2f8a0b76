// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sqrt: the square root.

#include "lib/PopART/Ops/Elementwise.h"

#include <popops/ElementWise.hpp>

namespace popart {

namespace {

class Sqrt final : public UnaryOp {
public:
  using UnaryOp::UnaryOp;

private:
  poplar::Tensor apply(Lowering &lowering, poplar::Tensor x) const override {
    return popops::sqrt(lowering.graph(), x, lowering.program(),
                        lowering.debug(*this));
  }
};

const RegisterOp<Sqrt> registration("Sqrt", {6, 13});

} // namespace

} // namespace popart
