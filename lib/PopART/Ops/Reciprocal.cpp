// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reciprocal: 1 / x.

#include "lib/PopART/Ops/Elementwise.h"

#include <popops/ElementWise.hpp>

namespace popart {

namespace {

class Reciprocal final : public UnaryOp {
public:
  using UnaryOp::UnaryOp;

private:
  poplar::Tensor apply(Lowering &lowering, poplar::Tensor x) const override {
    return popops::inv(lowering.graph(), x, lowering.program(),
                       lowering.debug(*this));
  }
};

const RegisterOp<Reciprocal> registration("Reciprocal", {6, 13});

} // namespace

} // namespace popart
