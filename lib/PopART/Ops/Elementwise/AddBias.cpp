// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// AddBias of Graphcore's domain: adds an element of a vector to each channel,
// which is dimension 1.

#include "lib/PopART/IR/Gradients.h"
#include "lib/PopART/IR/OpTable.h"
#include "lib/PopART/Lowering/Lowering.h"
#include "lib/PopART/Ops/Shape/Shapes.h"

#include <fmt/format.h>
#include <popops/ElementWise.hpp>

namespace populus::popir {

namespace {

class AddBias final : public DeviceOp {
public:
  using DeviceOp::DeviceOp;

  std::vector<TensorInfo> infer() const override {
    checkFloat(*this);
    if (inputShape(0).size() < 2 || inputShape(1) != Shape{inputShape(0)[1]})
      failInput(fmt::format("its bias {} is not for the channels of {}",
                            toString(inputShape(1)), toString(inputShape(0))));
    return {input(0).info};
  }

  void lower(Lowering &lowering) const override {
    const poplar::Tensor x = lowering.input(*this, 0);
    std::vector<std::size_t> shape(x.rank(), 1);
    shape[1] = x.dim(1);
    lowering.setOutput(*this,
                       popops::add(lowering.graph(), x,
                                   lowering.input(*this, 1).reshape(shape),
                                   lowering.program(), lowering.debug(*this)));
  }

  void differentiate(Gradients &g) const override {
    g.set(0, g.dy());
    if (g.wants(1))
      g.set(1, g.sumOfChannels(g.dy()));
  }

  bool ownsResult() const override { return true; }
};

const RegisterOp<AddBias> registration("AddBias", {1}, "ai.graphcore", 2);

} // namespace

} // namespace populus::popir
