// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Abs: the absolute value.

#include "lib/PopART/Ops/Elementwise.h"

#include <popops/ElementWise.hpp>

namespace popart {

namespace {

class Abs final : public UnaryOp {
public:
  using UnaryOp::UnaryOp;

private:
  poplar::Tensor apply(Lowering &lowering, poplar::Tensor x) const override {
    return popops::abs(lowering.graph(), x, lowering.program(),
                       lowering.debug(*this));
  }
};

const RegisterOp<Abs> registration("Abs", {6, 13});

} // namespace

} // namespace popart
