// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// TensorRemap of Graphcore's domain: its input in another layout, spread evenly
// over the tiles.

#include "lib/PopART/Lowering/Lowering.h"
#include "lib/PopART/Ops/Registry.h"

#include <poputil/TileMapping.hpp>

namespace popart {

namespace {

class TensorRemap final : public Op {
public:
  using Op::Op;

  std::vector<TensorInfo> infer() const override { return {input(0).info}; }

  void lower(Lowering &lowering) const override {
    const poplar::Tensor x = lowering.input(*this, 0);
    poplar::Tensor result = lowering.graph().addVariable(
        x.elementType(), x.shape(), lowering.debug(*this));
    poputil::mapTensorLinearly(lowering.graph(), result);
    lowering.program().add(
        poplar::program::Copy(x, result, false, lowering.debug(*this)));
    lowering.setOutput(*this, result);
  }

  bool ownsResult() const override { return true; }
};

const RegisterOp<TensorRemap> registration("TensorRemap", {1}, "ai.graphcore");

} // namespace

} // namespace popart
