// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Log: the natural logarithm.

#include "lib/PopART/Ops/Elementwise.h"

#include <popops/ElementWise.hpp>

namespace popart {

namespace {

class Log final : public UnaryOp {
public:
  using UnaryOp::UnaryOp;

private:
  poplar::Tensor apply(Lowering &lowering, poplar::Tensor x) const override {
    return popops::log(lowering.graph(), x, lowering.program(),
                       lowering.debug(*this));
  }
};

const RegisterOp<Log> registration("Log", {6, 13});

} // namespace

} // namespace popart
