// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Abort of Graphcore's domain: ends the run with an error, always or where its
// input, a scalar, is not zero. It has no result.

#include "lib/PopART/IR/OpTable.h"
#include "lib/PopART/Lowering/Lowering.h"

#include <popops/Cast.hpp>

namespace populus::popir {

namespace {

class Abort final : public DeviceOp {
public:
  using DeviceOp::DeviceOp;

  bool hasEffect() const override { return true; }

  std::vector<TensorInfo> infer() const override {
    if (hasInput(0) && input(0).info.numElements() != 1)
      failInput("its condition is not a scalar");
    return {};
  }

  void lower(Lowering &lowering) const override {
    const std::string message = "the model aborts: " + describe();
    if (!hasInput(0)) {
      lowering.program().add(
          poplar::program::Abort(message, lowering.debug(*this)));
      return;
    }
    poplar::Tensor condition = lowering.input(*this, 0).reshape({});
    if (condition.elementType() != poplar::BOOL)
      condition = popops::cast(lowering.graph(), condition, poplar::BOOL,
                               lowering.program(), lowering.debug(*this));
    lowering.program().add(poplar::program::AbortOnCondition(
        condition, message, lowering.debug(*this)));
  }
};

const RegisterOp<Abort> registration("Abort", {1}, "ai.graphcore", 1);

} // namespace

} // namespace populus::popir
