// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// TensorRemap of Graphcore's domain: its input in another layout, spread evenly
// over the tiles.

#include "lib/PopART/IR/Gradients.h"
#include "lib/PopART/IR/OpTable.h"
#include "lib/PopART/Lowering/Lowering.h"

#include <poputil/TileMapping.hpp>

namespace populus::popir {

namespace {

class TensorRemap final : public DeviceOp {
public:
  using DeviceOp::DeviceOp;

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

  /// The gradient gets another layout, too, unless remap_type says that only
  /// the tensor does.
  void differentiate(Gradients &g) const override {
    constexpr std::int64_t Forward = 2;
    if (attributes().getInt("remap_type", 0) == Forward)
      g.set(0, g.dy());
    else
      g.set(0,
            g.opLike("TensorRemap", {&g.dy()}, attributes(), "ai.graphcore"));
  }

  bool ownsResult() const override { return true; }
};

const RegisterOp<TensorRemap> registration("TensorRemap", {1}, "ai.graphcore",
                                           1);

} // namespace

} // namespace populus::popir
