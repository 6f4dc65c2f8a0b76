// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OneHot: for each index a row with the on value at that index and the off
// value elsewhere. An index out of range gives a row of off values.

#include "lib/PopART/Ops/Elementwise/Elementwise.h"
#include "lib/PopART/Ops/Shape/Shapes.h"

#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>

#include <numeric>

namespace populus::popir {

namespace {

class OneHot final : public DeviceOp {
public:
  using DeviceOp::DeviceOp;

  std::vector<TensorInfo> infer() const override {
    if (input(2).info.numElements() != 2)
      failInput("its values are not two, off and on");
    Shape shape = inputShape(0);
    shape.insert(shape.begin() + axis(), depth());
    return {{input(2).info.type, shape}};
  }

  void lower(Lowering &lowering) const override {
    auto dim = static_cast<unsigned>(axis());
    poplar::Tensor index = lowering.input(*this, 0);
    if (index.elementType() != poplar::INT)
      index = popops::cast(lowering.graph(), index, poplar::INT,
                           lowering.program(), lowering.debug(*this));
    poplar::Tensor values = lowering.input(*this, 2).flatten();
    // Negative indices count from the end.
    auto extent = static_cast<int>(depth());
    expr::Any place = expr::Select(expr::_1 + expr::Const(extent), expr::_1,
                                   expr::Lt(expr::_1, expr::Const(0)));
    poplar::Tensor on =
        popops::map(lowering.graph(), expr::Equal(place, expr::_2),
                    {index.expand({dim}), places(lowering, dim, extent)},
                    lowering.program(), lowering.debug(*this));
    lowering.setOutput(*this,
                       popops::map(lowering.graph(),
                                   expr::Select(expr::_1, expr::_2, expr::_3),
                                   {values[1], values[0], on},
                                   lowering.program(), lowering.debug(*this)));
  }

  /// Sums dy over off elements and over on elements.
  void differentiate(Gradients &g) const override {
    g.endRest(); // places that are floating point make steps
    if (!g.wants(2))
      return;
    Value &marks =
        g.constant(HostTensor::ofInts({0, 1}).convertedTo(g.dy().info.type));
    Value &on = g.op("OneHot", {&g.x(0), &g.x(1), &marks}, {{"axis", axis()}});
    auto sumOver = [&](Value &part) -> Value & {
      return g.reshape(g.reduceAll("ReduceSum", g.mul(g.dy(), part)), {1});
    };
    Value &sums = g.concat({&sumOver(g.from(1, on)), &sumOver(on)}, 0);
    g.set(2, g.reshape(sums, inputShape(2)));
  }

private:
  std::int64_t axis() const {
    return normalAxis(*this, attributes().getInt("axis", -1),
                      input(0).info.rank() + 1);
  }

  std::int64_t depth() const {
    std::vector<std::int64_t> value = constantInput(1, "depth").toInts();
    if (value.size() != 1 || value[0] < 1 || value[0] > (1 << 30))
      failInput("its depth is not one positive number");
    return value[0];
  }

  poplar::Tensor places(Lowering &lowering, unsigned dim, int extent) const {
    std::vector<std::int64_t> list(extent);
    std::iota(list.begin(), list.end(), 0);
    std::vector<std::size_t> shape(output().info.rank(), 1);
    shape[dim] = extent;
    return lowering
        .addConstant(HostTensor::ofInts(list).convertedTo(DataType::Int32),
                     {lowering.debug(*this), "places"})
        .reshape(shape);
  }
};

const RegisterOp<OneHot> registration("OneHot", {9, 11, 28});

} // namespace

} // namespace populus::popir
