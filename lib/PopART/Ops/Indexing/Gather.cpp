// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gather: slices of a tensor at indices along an axis. With indices known, the
// device sees a view; else it looks up rows.

#include "lib/PopART/IR/Gradients.h"
#include "lib/PopART/IR/OpTable.h"
#include "lib/PopART/Lowering/Lowering.h"
#include "lib/PopART/Ops/Indexing/Indexing.h"
#include "lib/PopART/Ops/Shape/Shapes.h"

#include <fmt/format.h>
#include <popops/Cast.hpp>
#include <popops/DynamicSlice.hpp>

#include <algorithm>

namespace populus::popir {

namespace {

class Gather final : public DeviceOp {
public:
  using DeviceOp::DeviceOp;

  std::vector<TensorInfo> infer() const override {
    if (input(1).isConstant())
      indices();
    const Shape &data = inputShape(0);
    std::int64_t dim = axis();
    checkChoice(*this, dim, dim + 1);
    Shape shape(data.begin(), data.begin() + dim);
    shape.insert(shape.end(), inputShape(1).begin(), inputShape(1).end());
    shape.insert(shape.end(), data.begin() + dim + 1, data.end());
    return {{input(0).info.type, shape}};
  }

  std::optional<std::vector<HostTensor>> evaluate() const override {
    const HostTensor &data = *input(0).constant();
    HostTensor result(infer()[0]);
    std::int64_t dim = axis(), extent = data.shape()[dim];
    std::size_t bytes = product(data.shape(), dim + 1, data.shape().size()) *
                        sizeOf(data.type());
    std::byte *to = result.bytes().data();
    for (std::int64_t row = 0; row != product(data.shape(), 0, dim); ++row)
      for (std::int64_t index : indices()) {
        std::copy_n(data.bytes().data() + (row * extent + index) * bytes, bytes,
                    to);
        to += bytes;
      }
    return std::vector{std::move(result)};
  }

  /// A table is laid out for look-ups.
  poplar::Tensor createInput(Lowering &lowering,
                             std::size_t index) const override {
    const Shape &data = inputShape(0);
    if (index != 0 || input(1).isConstant() || axis() != 0 ||
        numElements(data) == 0)
      return poplar::Tensor();
    return popops::createSliceableTensor(
               lowering.graph(), deviceType(input(0).info.type),
               toPoplar({data[0], product(data, 1, data.size())}), {0}, {1}, 0,
               {lowering.debug(*this), "table"})
        .reshape(toPoplar(data));
  }

  void lower(Lowering &lowering) const override {
    lowering.setOutput(*this, input(1).isConstant() ? selected(lowering)
                                                    : lookedUp(lowering));
  }

  /// Rows are added up at the places that they came from. With the axis in
  /// front they are rows of a table.
  void differentiate(Gradients &g) const override {
    const Shape &data = inputShape(0);
    const auto dim = static_cast<std::size_t>(axis());
    const std::size_t rank = data.size(), places = inputShape(1).size();
    std::vector<std::int64_t> indicesFirst, axisFirst, back(rank);
    for (std::size_t i = 0; i != places; ++i)
      indicesFirst.push_back(static_cast<std::int64_t>(dim + i));
    axisFirst.push_back(static_cast<std::int64_t>(dim));
    for (std::size_t i = 0; i != rank; ++i)
      if (i != dim) {
        indicesFirst.push_back(
            static_cast<std::int64_t>(i < dim ? i : i + places - 1));
        axisFirst.push_back(static_cast<std::int64_t>(i));
      }
    Shape table;
    for (std::size_t i = 0; i != rank; ++i) {
      table.push_back(data[static_cast<std::size_t>(axisFirst[i])]);
      back[static_cast<std::size_t>(axisFirst[i])] =
          static_cast<std::int64_t>(i);
    }
    Value &rows = dim == 0 ? g.dy() : g.transpose(g.dy(), indicesFirst);
    Value &column =
        g.unsqueeze(g.cast(g.x(1), DataType::Int64), {std::int64_t(places)});
    Value &zeros = g.zerosLike({g.dy().info.type, table});
    Value &sums = g.op("ScatterND", {&zeros, &column, &rows},
                       {{"reduction", std::string("add")}});
    g.set(0, dim == 0 ? sums : g.transpose(sums, back));
  }

private:
  poplar::Tensor lookedUp(Lowering &lowering) const {
    auto dim = static_cast<unsigned>(axis());
    const Shape &data = inputShape(0);
    poplar::Tensor table = lowering.input(*this, 0).dimRoll(dim, 0);
    poplar::Tensor places = popops::cast(
        lowering.graph(),
        scaledIndices(lowering, *this, lowering.input(*this, 1), data[dim], 1)
            .flatten(),
        poplar::UNSIGNED_INT, lowering.program(), lowering.debug(*this));
    poplar::Tensor rows = takeRows(
        lowering, *this,
        table.reshape(toPoplar(
            {data[dim],
             table.numElements() == 0 ? 0 : numElements(data) / data[dim]})),
        places);
    // [indices…, before the axis…, after it…]
    Shape shape = inputShape(1);
    std::size_t rank = shape.size();
    for (std::size_t i = 0; i != data.size(); ++i)
      if (i != dim)
        shape.push_back(data[i]);
    std::vector<unsigned> order;
    for (unsigned i = 0; i != dim; ++i)
      order.push_back(static_cast<unsigned>(rank) + i);
    for (unsigned i = 0; i != rank; ++i)
      order.push_back(i);
    for (auto i = static_cast<unsigned>(rank) + dim; i != shape.size(); ++i)
      order.push_back(i);
    return rows.reshape(toPoplar(shape)).dimShuffle(order);
  }

  poplar::Tensor selected(Lowering &lowering) const {
    poplar::Tensor data = lowering.input(*this, 0);
    auto dim = static_cast<unsigned>(axis());
    std::vector<poplar::Tensor> parts;
    for (std::int64_t index : indices())
      parts.push_back(data.slice(index, index + 1, dim));
    return (parts.empty() ? data.slice(0, 0, dim) : poplar::concat(parts, dim))
        .reshape(toPoplar(output().info.shape));
  }

  std::int64_t axis() const {
    if (input(0).info.rank() == 0)
      failInput("its data has no dimension to gather along");
    return normalAxis(*this, attributes().getInt("axis", 0),
                      input(0).info.rank());
  }

  /// In [0, extent).
  std::vector<std::int64_t> indices() const {
    std::vector<std::int64_t> result = constantInput(1, "indices").toInts();
    std::int64_t extent = inputShape(0)[axis()];
    for (std::int64_t &index : result) {
      if (index < -extent || index >= extent)
        failInput(fmt::format("index {} is out of range for extent {}", index,
                              extent));
      index += index < 0 ? extent : 0;
    }
    return result;
  }
};

const RegisterOp<Gather> registration("Gather", {1, 11, 13});

} // namespace

} // namespace populus::popir
