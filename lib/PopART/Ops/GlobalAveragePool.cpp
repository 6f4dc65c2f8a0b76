// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// GlobalAveragePool: the mean of each channel's whole field, of any rank.

#include "lib/PopART/Lowering/Lowering.h"
#include "lib/PopART/Ops/Registry.h"
#include "lib/PopART/Ops/Shapes.h"
#include "lib/PopART/Ops/Window.h"

#include <popops/Reduce.hpp>

#include <numeric>

namespace popart {

namespace {

class GlobalAveragePool final : public Op {
public:
  using Op::Op;

  std::vector<TensorInfo> infer() const override {
    checkFloat(*this);
    const Shape &x = inputShape(0);
    Shape result = {x[0], x[1]};
    result.resize(2 + fieldOf(*this, x).size(), 1);
    return {{input(0).info.type, result}};
  }

  void lower(Lowering &lowering) const override {
    const Shape &x = inputShape(0);
    auto count = static_cast<float>(numElements(fieldOf(*this, x)));
    std::vector<std::size_t> dims(x.size() - 2);
    std::iota(dims.begin(), dims.end(), 2);
    poplar::Tensor scale =
        lowering.addConstant(HostTensor::ofFloats({}, {1.0f / count}),
                             {lowering.debug(*this), "scale"});
    poplar::Tensor mean =
        popops::reduce(lowering.graph(), lowering.input(*this, 0), dims,
                       {popops::Operation::ADD, false, scale},
                       lowering.program(), lowering.debug(*this));
    lowering.setOutput(*this, mean.reshape(toPoplar(output().info.shape)));
  }
};

const RegisterOp<GlobalAveragePool> registration("GlobalAveragePool", {1});

} // namespace

} // namespace popart
