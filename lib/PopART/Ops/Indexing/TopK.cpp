// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// TopK: the largest or smallest elements along an axis with their places; Sort:
// all of them; ReduceMedian: the one in the middle, the lower one of two.

#include "lib/PopART/IR/Gradients.h"
#include "lib/PopART/IR/OpTable.h"
#include "lib/PopART/Lowering/Lowering.h"
#include "lib/PopART/Ops/Adjoints.h"
#include "lib/PopART/Ops/Shape/Shapes.h"

#include <fmt/format.h>
#include <popops/Cast.hpp>
#include <popops/TopK.hpp>

#include <algorithm>
#include <numeric>

namespace populus::popir {

namespace {

struct Selection {
  poplar::Tensor values, places;
};

/// The first `k` of each row of [rows, elements] in an order.
Selection firstOfRows(Lowering &lowering, const Op &op,
                      const poplar::Tensor &rows, std::size_t k, bool largest,
                      bool isSorted = true) {
  popops::SortOrder order = !isSorted ? popops::SortOrder::NONE
                            : largest ? popops::SortOrder::DESCENDING
                                      : popops::SortOrder::ASCENDING;
  auto [values, places] = popops::topKWithPermutation(
      lowering.graph(), lowering.program(), rows,
      popops::TopKParams(static_cast<unsigned>(k), largest, order, true),
      lowering.debug(op));
  return {values, popops::cast(lowering.graph(), places, poplar::INT,
                               lowering.program(), lowering.debug(op))};
}

/// The first `k` along a dimension.
Selection firstAlong(Lowering &lowering, const Op &op, const poplar::Tensor &x,
                     unsigned dim, std::size_t k, bool largest,
                     bool isSorted = true) {
  poplar::Tensor rolled = x.dimRoll(dim, x.rank() - 1);
  std::vector<std::size_t> shape = rolled.shape();
  std::size_t extent = shape.back();
  shape.back() = k;
  Selection result = firstOfRows(
      lowering, op,
      rolled.reshape({extent == 0 ? 0 : x.numElements() / extent, extent}), k,
      largest, isSorted);
  auto restored = [&](const poplar::Tensor &t) {
    return t.reshape(shape).dimRoll(x.rank() - 1, dim);
  };
  return {restored(result.values), restored(result.places)};
}

/// Zeros, with the gradients of values at the places that they came from.
void differentiateSelection(Gradients &g, std::int64_t axis) {
  g.set(0, g.op("ScatterElements", {&g.zerosLike(g.x().info), &g.y(1), &g.dy()},
                {{"axis", axis}}));
}

class TopK final : public DeviceOp {
public:
  using DeviceOp::DeviceOp;

  std::vector<TensorInfo> infer() const override {
    Shape shape = inputShape(0);
    if (count() < 0 || count() > shape[axis()])
      failInput(fmt::format("there are no {} elements in {}", count(),
                            shape[axis()]));
    shape[axis()] = count();
    return {{input(0).info.type, shape}, {DataType::Int64, shape}};
  }

  void lower(Lowering &lowering) const override {
    Selection found = firstAlong(lowering, *this, lowering.input(*this, 0),
                                 static_cast<unsigned>(axis()), count(),
                                 attributes().getInt("largest", 1) != 0,
                                 attributes().getInt("sorted", 1) != 0);
    if (hasOutput(0))
      lowering.setOutput(*this, found.values);
    if (hasOutput(1))
      lowering.setOutput(*this, found.places, 1);
  }

  void differentiate(Gradients &g) const override {
    differentiateSelection(g, axis());
  }

private:
  std::int64_t axis() const {
    return normalAxis(*this, attributes().getInt("axis", -1),
                      input(0).info.rank());
  }
  std::int64_t count() const {
    if (version() == 1)
      return attributes().getInt("k", 0);
    std::vector<std::int64_t> k = constantInput(1, "K").toInts();
    if (k.size() != 1)
      failInput("K is not one number");
    return k[0];
  }
};

const RegisterOp<TopK> topK("TopK", {1, 10, 11, 24});

class Sort final : public DeviceOp {
public:
  using DeviceOp::DeviceOp;

  std::vector<TensorInfo> infer() const override {
    axis();
    return {input(0).info, {DataType::Int32, inputShape(0)}};
  }

  void lower(Lowering &lowering) const override {
    Selection sorted = firstAlong(lowering, *this, lowering.input(*this, 0),
                                  axis(), inputShape(0)[axis()],
                                  attributes().getInt("descending", 0) != 0);
    if (hasOutput(0))
      lowering.setOutput(*this, sorted.values);
    if (hasOutput(1))
      lowering.setOutput(*this, sorted.places, 1);
  }

  void differentiate(Gradients &g) const override {
    differentiateSelection(g, axis());
  }

private:
  unsigned axis() const {
    return static_cast<unsigned>(normalAxis(
        *this, attributes().getInt("axis", -1), input(0).info.rank()));
  }
};

const RegisterOp<Sort> sort("Sort", {1}, "ai.graphcore", 1);

class ReduceMedian final : public DeviceOp {
public:
  using DeviceOp::DeviceOp;

  std::vector<TensorInfo> infer() const override {
    std::vector<std::int64_t> reduced = axes();
    Shape shape;
    std::int64_t count = 1;
    for (std::int64_t i = 0; i != input(0).info.rank(); ++i) {
      bool isReduced = std::ranges::count(reduced, i) != 0;
      count *= isReduced ? inputShape(0)[i] : 1;
      if (!isReduced)
        shape.push_back(inputShape(0)[i]);
      else if (attributes().getInt("keepdims", 1) != 0)
        shape.push_back(1);
    }
    if (count == 0)
      failInput("there is no median of nothing");
    return {{input(0).info.type, shape}, {DataType::Int32, shape}};
  }

  void lower(Lowering &lowering) const override {
    std::vector<std::int64_t> reduced = axes();
    std::vector<unsigned> order;
    std::size_t rows = 1;
    for (std::int64_t i = 0; i != input(0).info.rank(); ++i)
      if (std::ranges::count(reduced, i) == 0) {
        order.push_back(static_cast<unsigned>(i));
        rows *= inputShape(0)[i];
      }
    order.insert(order.end(), reduced.begin(), reduced.end());
    poplar::Tensor x = lowering.input(*this, 0).dimShuffle(order);
    std::size_t extent = 1;
    for (std::int64_t dim : reduced)
      extent *= inputShape(0)[dim];
    std::size_t middle = (extent - 1) / 2;
    Selection sorted =
        firstOfRows(lowering, *this, x.reshape({rows, extent}), extent, false);
    const poplar::Tensor results[] = {sorted.values, sorted.places};
    for (std::size_t i : {0, 1})
      if (hasOutput(i))
        lowering.setOutput(*this,
                           results[i]
                               .slice(middle, middle + 1, 1)
                               .reshape(toPoplar(output(i).info.shape)),
                           i);
  }

  void differentiate(Gradients &g) const override {
    const RowsOf rows(inputShape(0), axes());
    Value &zeros = g.zerosLike({input(0).info.type, rows.shape()});
    const Shape column = {rows.numRows(), 1};
    Value &scattered =
        g.op("ScatterElements",
             {&zeros, &g.reshape(g.y(1), column), &g.reshape(g.dy(), column)},
             {{"axis", std::int64_t(1)}});
    g.set(0, rows.join(g, scattered));
  }

private:
  std::vector<std::int64_t> axes() const {
    std::vector<std::int64_t> result =
        normalAxes(*this, attributes().getInts("axes"), input(0).info.rank());
    if (!attributes().has("axes")) {
      result.resize(input(0).info.rank());
      std::iota(result.begin(), result.end(), 0);
    }
    return result;
  }
};

const RegisterOp<ReduceMedian> reduceMedian("ReduceMedian", {1}, "ai.graphcore",
                                            1);

} // namespace

} // namespace populus::popir
