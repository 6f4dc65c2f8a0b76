// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ArgMax and ArgMin: the place of the extreme element along an axis, the first
// or the last one where it appears several times; Hardmax: one at that place,
// zero elsewhere.

#include "lib/PopART/Ops/Elementwise/Elementwise.h"
#include "lib/PopART/Ops/Reduction/Reduction.h"
#include "lib/PopART/Ops/Shape/Shapes.h"

#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>

#include <numeric>

namespace populus::popir {

namespace {

using popops::Operation;

/// [0, 1, …] along dimension `dim` of a tensor of `rank` dimensions.
poplar::Tensor placesAlong(Lowering &lowering, const Op &op, std::size_t extent,
                           std::size_t dim, std::size_t rank) {
  std::vector<std::int64_t> places(extent);
  std::iota(places.begin(), places.end(), 0);
  std::vector<std::size_t> shape(rank, 1);
  shape[dim] = extent;
  return lowering
      .addConstant(HostTensor::ofInts(places).convertedTo(DataType::Int32),
                   {lowering.debug(op), "places"})
      .reshape(shape);
}

/// The place of the extreme element along `dim`, which stays with extent 1.
poplar::Tensor placeOfExtreme(Lowering &lowering, const Op &op,
                              const poplar::Tensor &x, std::size_t dim,
                              Operation extreme, bool last) {
  std::size_t extent = x.dim(dim);
  poplar::Tensor value = reduceKeepingDims(lowering, op, x, {dim}, extreme);
  poplar::Tensor places = placesAlong(lowering, op, extent, dim, x.rank());
  // A place that loses to each other one, and exists: of nothing but NaNs it is
  // the result.
  int other = last ? 0 : static_cast<int>(extent) - 1;
  poplar::Tensor candidates =
      popops::map(lowering.graph(),
                  expr::Select(expr::_3, expr::Const(other),
                               expr::Equal(expr::_1, expr::_2)),
                  {x, value, places}, lowering.program(), lowering.debug(op));
  return reduceKeepingDims(lowering, op, candidates, {dim},
                           last ? Operation::MAX : Operation::MIN);
}

class ArgExtreme final : public DeviceOp {
public:
  using DeviceOp::DeviceOp;

  std::vector<TensorInfo> infer() const override {
    Shape shape = inputShape(0);
    if (attributes().getInt("keepdims", 1) != 0)
      shape[axis()] = 1;
    else
      shape.erase(shape.begin() + axis());
    if (inputShape(0)[axis()] == 0)
      failInput("the axis that it looks along is empty");
    return {{DataType::Int64, shape}};
  }

  void lower(Lowering &lowering) const override {
    Operation extreme = id().type == "ArgMax" ? Operation::MAX : Operation::MIN;
    bool last = attributes().getInt("select_last_index", 0) != 0;
    lowering.setOutput(*this,
                       placeOfExtreme(lowering, *this, lowering.input(*this, 0),
                                      axis(), extreme, last)
                           .reshape(toPoplar(output().info.shape)));
  }

private:
  std::int64_t axis() const {
    if (input(0).info.rank() == 0)
      failInput("its input is a scalar");
    return normalAxis(*this, attributes().getInt("axis", 0),
                      input(0).info.rank());
  }
};

const RegisterOp<ArgExtreme> argMax("ArgMax", {1, 11, 12, 13});
const RegisterOp<ArgExtreme> argMin("ArgMin", {1, 11, 12, 13});

class Hardmax final : public DeviceOp {
public:
  using DeviceOp::DeviceOp;

  std::vector<TensorInfo> infer() const override {
    checkFloat(*this);
    axis();
    return {input(0).info};
  }

  void lower(Lowering &lowering) const override {
    poplar::Tensor x = lowering.input(*this, 0);
    std::size_t dim = axis();
    if (version() < 13) { // all dimensions from the axis on count as one
      const Shape &shape = inputShape(0);
      x = x.reshape(toPoplar(
          {product(shape, 0, dim), product(shape, dim, shape.size())}));
      dim = 1;
    }
    poplar::Tensor place =
        placeOfExtreme(lowering, *this, x, dim, Operation::MAX, false);
    poplar::Tensor places =
        placesAlong(lowering, *this, x.dim(dim), dim, x.rank());
    poplar::Tensor result = popops::map(
        lowering.graph(),
        expr::Cast(expr::Equal(expr::_1, expr::_2), x.elementType()),
        {place, places}, lowering.program(), lowering.debug(*this));
    lowering.setOutput(*this, result.reshape(toPoplar(output().info.shape)));
  }

  /// Steps are flat.
  void differentiate(Gradients &g) const override {
    g.set(0, g.zerosLike(g.x().info));
  }

private:
  std::size_t axis() const {
    return normalAxis(*this,
                      attributes().getInt("axis", version() < 13 ? 1 : -1),
                      input(0).info.rank());
  }
};

const RegisterOp<Hardmax> hardmax("Hardmax", {1, 11, 13});

} // namespace

} // namespace populus::popir
