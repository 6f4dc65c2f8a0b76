// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ScatterReduce, GroupedScatterReduce and GroupedGather of Graphcore's domain.
//
// ScatterReduce combines elements of its data with the same index along an
// axis. Example (sum): data [1, 2, 4], indices [0, 2, 0], axis size 3 -> [5, 0,
// 2]. The initial values are a third input, or the neutral element: 0, 1, or
// the smallest or largest number. The indices have the data's shape or are
// broadcast to it; a vector of indices selects slices along the axis. Grouped
// operators work on each element of the first dimension (of extent group_size)
// separately; axes count from the first dimension.

#include "lib/PopART/IR/Float16.h"
#include "lib/PopART/IR/OpTable.h"
#include "lib/PopART/Lowering/Lowering.h"
#include "lib/PopART/Ops/Indexing/Indexing.h"
#include "lib/PopART/Ops/Shape/Shapes.h"

#include <fmt/format.h>
#include <popops/Cast.hpp>
#include <poputil/Util.hpp>

#include <algorithm>
#include <limits>

namespace populus::popir {

namespace {

void checkGroups(const Op &op, std::int64_t axis) {
  const std::int64_t size = op.attributes().getInt("group_size", 1);
  if (axis == 0 || size < 1 || op.inputShape(0)[0] != size ||
      op.inputShape(1).empty() || op.inputShape(1)[0] != size)
    op.failInput(fmt::format("data {} and indices {} do not begin with {} "
                             "groups, or its axis is that of the groups",
                             toString(op.inputShape(0)),
                             toString(op.inputShape(1)), size));
}

class ScatterReduce final : public DeviceOp {
public:
  using DeviceOp::DeviceOp;

  std::vector<TensorInfo> infer() const override {
    if (isGrouped())
      checkGroups(*this, axis());
    kind();
    alignedIndices();
    const std::int64_t size = attributes().getInt("axis_size", 0);
    if (size < 1)
      failInput(fmt::format("its axis_size {} is not possible", size));
    Shape shape = inputShape(0);
    shape[axis()] = size;
    if (hasInput(2) && input(2).info != TensorInfo{input(0).info.type, shape})
      failInput(fmt::format("it begins with {}, and its result is {}",
                            toString(input(2).info),
                            toString(TensorInfo{input(0).info.type, shape})));
    return {{input(0).info.type, shape}};
  }

  void lower(Lowering &lowering) const override {
    poplar::Tensor result =
        poputil::duplicate(lowering.graph(), beginning(lowering),
                           lowering.program(), lowering.debug(*this));
    const poplar::Tensor data = lowering.input(*this, 0);
    const poplar::Tensor indices =
        lowering.input(*this, 1).reshape(toPoplar(alignedIndices()));
    const ElementGroups groups(broadcast(indices), axis(),
                               indices.numElements() == indices.dim(axis()));
    updateRowsOfGroups(lowering, *this, groups.grouped(result),
                       groups.grouped(data),
                       placesAlong(lowering, *this, groups.indices(),
                                   output().info.shape[axis()]),
                       kind());
    lowering.setOutput(*this, result);
  }

  void differentiate(Gradients &g) const override {
    ScatterGradient scatter = {kind(), std::nullopt, 0};
    if (hasInput(2))
      scatter.data = 2;
    Value &indices =
        g.expand(g.reshape(g.x(1), alignedIndices()), inputShape(0));
    scatter.taken = [&](Value &from) -> Value & {
      return g.op("GatherElements", {&from, &indices}, {{"axis", axis()}});
    };
    scatter.cleared = [&](Value &from) -> Value & {
      return g.op("ScatterElements",
                  {&from, &indices, &g.zerosLike(input(0).info)},
                  {{"axis", axis()}});
    };
    differentiateScatter(g, scatter);
  }

private:
  bool isGrouped() const { return id().type == "GroupedScatterReduce"; }

  std::int64_t axis() const {
    return normalAxis(*this, attributes().getInt("axis", -1),
                      input(0).info.rank());
  }

  UpdateKind kind() const {
    const std::string name = attributes().getString("reduction", "Sum");
    for (auto [known, kind] : {std::pair{"Sum", UpdateKind::Add},
                               {"Mul", UpdateKind::Multiply},
                               {"Max", UpdateKind::Max},
                               {"Min", UpdateKind::Min},
                               {"NoReduction", UpdateKind::Replace}})
      if (name == known)
        return kind;
    failInput(fmt::format("its reduction '{}' is not one of Sum, Mul, Max, Min "
                          "and NoReduction",
                          name));
  }

  /// The indices' shape, extended to the data's rank. A vector is aligned with
  /// the axis, behind the group dimension if there is one.
  Shape alignedIndices() const {
    const Shape &data = inputShape(0), &indices = inputShape(1);
    Shape shape = indices;
    if (indices.size() == (isGrouped() ? 2U : 1U)) {
      shape.assign(data.size(), 1);
      shape[axis()] = indices.back();
      if (isGrouped())
        shape[0] = indices[0];
    }
    bool fits = shape.size() == data.size() && shape[axis()] == data[axis()];
    for (std::size_t i = 0; fits && i != shape.size(); ++i)
      fits = shape[i] == data[i] || shape[i] == 1;
    if (!fits)
      failInput(fmt::format("indices {} cannot be broadcast to the data {}",
                            toString(indices), toString(data)));
    return shape;
  }

  poplar::Tensor broadcast(poplar::Tensor indices) const {
    for (unsigned i = 0; i != indices.rank(); ++i)
      if (indices.dim(i) == 1)
        indices = indices.broadcast(static_cast<unsigned>(inputShape(0)[i]), i);
    return indices;
  }

  poplar::Tensor beginning(Lowering &lowering) const {
    if (hasInput(2))
      return lowering.input(*this, 2);
    HostTensor values({DataType::Double, output().info.shape});
    std::ranges::fill(values.as<double>(), neutral());
    return lowering.addConstant(values.convertedTo(output().info.type),
                                {lowering.debug(*this), "beginning"});
  }

  double neutral() const {
    const DataType type = deviceDataType(output().info.type);
    const double largest = type == DataType::Float16 ? Float16::Largest
                           : type == DataType::Float
                               ? std::numeric_limits<float>::max()
                               : std::numeric_limits<std::int32_t>::max();
    switch (kind()) {
    case UpdateKind::Multiply:
      return 1;
    case UpdateKind::Max:
      return type == DataType::UInt32 ? 0 : -largest;
    case UpdateKind::Min:
      return largest;
    default:
      return 0;
    }
  }
};

class GroupedGather final : public DeviceOp {
public:
  using DeviceOp::DeviceOp;

  std::vector<TensorInfo> infer() const override {
    const std::int64_t dim = axis();
    checkGroups(*this, dim);
    checkChoice(*this, dim, dim + 1);
    const Shape &data = inputShape(0), &indices = inputShape(1);
    Shape shape(data.begin(), data.begin() + dim);
    shape.insert(shape.end(), indices.begin() + 1, indices.end());
    shape.insert(shape.end(), data.begin() + dim + 1, data.end());
    return {{input(0).info.type, shape}};
  }

  void lower(Lowering &lowering) const override {
    const auto dim = static_cast<unsigned>(axis());
    const poplar::Tensor data = lowering.input(*this, 0).dimRoll(dim, 1);
    const Shape &extents = inputShape(0);
    const auto groups = static_cast<std::size_t>(extents[0]);
    const auto columns = static_cast<std::size_t>(
        product(extents, 1, dim) * product(extents, dim + 1, extents.size()));
    const poplar::Tensor indices = lowering.input(*this, 1);
    poplar::Tensor result = takeRowsOfGroups(
        lowering, *this, data.reshape({groups, data.dim(1), columns}),
        placesAlong(lowering, *this,
                    indices.reshape({groups, indices.numElements() / groups}),
                    extents[dim]));
    // [group, indices…, before the axis…, after it…]
    std::vector<std::size_t> shape = indices.shape();
    for (unsigned i = 2; i < data.rank(); ++i)
      shape.push_back(data.dim(i));
    const auto first = static_cast<unsigned>(indices.rank());
    std::vector<unsigned> order = {0};
    for (unsigned i = 1; i != dim; ++i)
      order.push_back(first + i - 1);
    for (unsigned i = 1; i != first; ++i)
      order.push_back(i);
    for (unsigned i = first + dim - 1; i < shape.size(); ++i)
      order.push_back(i);
    lowering.setOutput(*this, result.reshape(shape).dimShuffle(order));
  }

  /// Slices along the axis are rows, selected by group and index.
  void differentiate(Gradients &g) const override {
    const Shape &data = inputShape(0);
    const std::int64_t dim = axis(), groups = data[0], extent = data[dim];
    const std::int64_t before = product(data, 1, dim);
    const std::int64_t after = product(data, dim + 1, data.size());
    const std::int64_t count = product(inputShape(1), 1, inputShape(1).size());
    const std::vector<std::int64_t> swap = {0, 2, 1, 3};
    Value &parts =
        g.transpose(g.reshape(g.dy(), {groups, before, count, after}), swap);
    std::vector<std::int64_t> numbers;
    for (std::int64_t i = 0; i != groups * count; ++i)
      numbers.push_back(i / count);
    Value &ofGroup = g.constant(HostTensor::ofInts(numbers)
                                    .convertedTo(input(1).info.type)
                                    .reshaped({groups, count, 1}));
    Value &places =
        g.concat({&ofGroup, &g.reshape(g.x(1), {groups, count, 1})}, 2);
    Value &sums = g.op(
        "ScatterND",
        {&g.zerosLike({input(0).info.type, {groups, extent, before * after}}),
         &places, &g.reshape(parts, {groups, count, before * after})},
        {{"reduction", std::string("add")}});
    g.set(0,
          g.reshape(g.transpose(
                        g.reshape(sums, {groups, extent, before, after}), swap),
                    data));
  }

private:
  std::int64_t axis() const {
    return normalAxis(*this, attributes().getInt("axis", 0),
                      input(0).info.rank());
  }
};

const RegisterOp<ScatterReduce> scatter("ScatterReduce", {1}, "ai.graphcore",
                                        3);
const RegisterOp<ScatterReduce> groupedScatter("GroupedScatterReduce", {1},
                                               "ai.graphcore", 3);
const RegisterOp<GroupedGather> groupedGather("GroupedGather", {1},
                                              "ai.graphcore", 2);

} // namespace

} // namespace populus::popir
