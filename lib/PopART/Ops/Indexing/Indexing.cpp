// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// GatherElements, GatherND, Scatter, ScatterElements and ScatterND.
//
// The element forms look up along one axis. Every position along the other axes
// is a separate table, so that a tile reads the indices of few tables only.
// The slice forms (ND) compute row = sum over d of index[d] * stride[d], plus a
// constant for batch dimensions, and look up rows of the flat data.

#include "lib/PopART/Ops/Indexing/Indexing.h"

#include "lib/PopART/Ops/Elementwise/Elementwise.h"
#include "lib/PopART/Ops/Indexing/ConstantPlaces.h"
#include "lib/PopART/Ops/Shape/Shapes.h"

#include <fmt/format.h>
#include <popops/Cast.hpp>
#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Encoding.hpp>
#include <popops/Zero.hpp>
#include <poputil/TileMapping.hpp>

namespace populus::popir {

void checkChoice(const Op &op, std::size_t begin, std::size_t end) {
  if (numElements(op.inputShape(1)) == 0)
    return;
  for (std::size_t i = begin; i != end; ++i)
    if (op.inputShape(0)[i] == 0)
      op.failInput(fmt::format("its indices {} can choose nothing of data {}",
                               toString(op.inputShape(1)),
                               toString(op.inputShape(0))));
}

poplar::Tensor asRows(const poplar::Tensor &table, std::size_t columns) {
  return table.reshape(
      {columns == 0 ? 0 : table.numElements() / columns, columns});
}

poplar::Tensor takeRowsOfGroups(Lowering &lowering, const Op &op,
                                const poplar::Tensor &table,
                                const poplar::Tensor &places) {
  if (table.numElements() == 0)
    return lowering.graph().addVariable(
        table.elementType(), {table.dim(0), places.dim(1), table.dim(2)},
        lowering.debug(op));
  return popops::groupedMultiSlice(lowering.graph(), table, places.expand({2}),
                                   {0}, {1}, lowering.program(),
                                   popops::SlicePlan(), {}, lowering.debug(op))
      .squeeze({2});
}

poplar::Tensor takeRows(Lowering &lowering, const Op &op,
                        const poplar::Tensor &table,
                        const poplar::Tensor &places) {
  return takeRowsOfGroups(lowering, op, table.expand({0}),
                          places.expand({0}))[0];
}

void updateRowsOfGroups(Lowering &lowering, const Op &op,
                        const poplar::Tensor &table, const poplar::Tensor &rows,
                        const poplar::Tensor &places, UpdateKind kind) {
  if (rows.numElements() == 0)
    return;
  poplar::Graph &graph = lowering.graph();
  poplar::Tensor slices = rows.expand({2});
  poplar::Tensor offsets = places.expand({2});
  popops::SlicePlan plan;
  poplar::DebugContext debug = lowering.debug(op);
  switch (kind) {
  case UpdateKind::Replace:
    return popops::groupedMultiUpdate(graph, table, slices, offsets, {0}, {1},
                                      lowering.program(), plan, {}, debug);
  case UpdateKind::Add:
    return popops::groupedMultiUpdateAdd(
        graph, table, slices, offsets,
        lowering.addConstant(HostTensor::scalar(op.output().info.type, 1),
                             debug),
        {0}, {1}, lowering.program(), plan, {}, debug);
  case UpdateKind::Multiply:
    return popops::groupedMultiUpdateMul(graph, table, slices, offsets, {0},
                                         {1}, lowering.program(), plan, {},
                                         debug);
  case UpdateKind::Max:
    return popops::groupedMultiUpdateMax(graph, table, slices, offsets, {0},
                                         {1}, lowering.program(), plan, {},
                                         debug);
  case UpdateKind::Min:
    return popops::groupedMultiUpdateMin(graph, table, slices, offsets, {0},
                                         {1}, lowering.program(), plan, {},
                                         debug);
  }
}

void updateRows(Lowering &lowering, const Op &op, const poplar::Tensor &table,
                const poplar::Tensor &rows, const poplar::Tensor &places,
                UpdateKind kind) {
  updateRowsOfGroups(lowering, op, table.expand({0}), rows.expand({0}),
                     places.expand({0}), kind);
}

poplar::Tensor scaledIndices(Lowering &lowering, const Op &op,
                             const poplar::Tensor &indices, std::int64_t extent,
                             std::int64_t step) {
  poplar::Tensor numbers = indices;
  if (numbers.elementType() != poplar::INT)
    numbers = popops::cast(lowering.graph(), numbers, poplar::INT,
                           lowering.program(), lowering.debug(op));
  expr::Any place =
      expr::Select(expr::_1 + expr::Const(static_cast<int>(extent)), expr::_1,
                   expr::Lt(expr::_1, expr::Const(0)));
  if (step != 1)
    place = place * expr::Const(static_cast<int>(step));
  return popops::map(lowering.graph(), place, {numbers}, lowering.program(),
                     lowering.debug(op));
}

poplar::Tensor countingRow(Lowering &lowering, const Op &op,
                           std::size_t count) {
  poplar::Graph &graph = lowering.graph();
  poplar::Tensor row =
      graph.addVariable(poplar::INT, {count}, {lowering.debug(op), "counts"});
  poputil::mapTensorLinearly(graph, row);
  popops::iota(graph, row, 0, lowering.program(), lowering.debug(op));
  return row;
}

namespace {

using Places = std::vector<std::int64_t>;

/// Converts row numbers to popops' index type, adding a constant part.
poplar::Tensor finishedPlaces(Lowering &lowering, const Op &op,
                              poplar::Tensor places, const Places &base) {
  if (std::any_of(base.begin(), base.end(), [](auto b) { return b != 0; })) {
    poplar::Tensor table = lowering.addConstant(
        HostTensor::ofInts(base).convertedTo(DataType::Int32),
        {lowering.debug(op), "base"});
    places = popops::add(lowering.graph(), places.flatten(), table,
                         lowering.program(), lowering.debug(op));
  }
  return popops::cast(lowering.graph(), places.flatten(), poplar::UNSIGNED_INT,
                      lowering.program(), lowering.debug(op));
}

} // namespace

poplar::Tensor placesAlong(Lowering &lowering, const Op &op,
                           const poplar::Tensor &indices, std::int64_t extent) {
  return popops::cast(
      lowering.graph(), scaledIndices(lowering, op, indices, extent, 1),
      poplar::UNSIGNED_INT, lowering.program(), lowering.debug(op));
}

ElementGroups::ElementGroups(const poplar::Tensor &indices, std::int64_t axis,
                             bool isShared)
    : given(indices), axis(static_cast<unsigned>(axis)),
      isShared(isShared && indices.numElements() != 0) {}

poplar::Tensor ElementGroups::indices() const {
  poplar::Tensor all = grouped(given);
  return isShared ? all.slice(0, 1, 2).squeeze({2}) : all.squeeze({2});
}

poplar::Tensor ElementGroups::grouped(const poplar::Tensor &elements) const {
  poplar::Tensor used = elements;
  std::size_t others = 1;
  for (unsigned i = 0; i != used.rank(); ++i)
    if (i != axis) {
      used = used.slice(0, given.dim(i), i);
      others *= given.dim(i);
    }
  const std::size_t along = used.dim(axis);
  return isShared
             ? used.dimRoll(axis, 0).reshape({1, along, others})
             : used.dimRoll(axis, used.rank() - 1).reshape({others, along, 1});
}

poplar::Tensor ElementGroups::inShape(const poplar::Tensor &rows) const {
  const unsigned place = isShared ? 0 : given.rank() - 1;
  std::vector<std::size_t> shape = given.shape();
  shape.erase(shape.begin() + axis);
  shape.insert(shape.begin() + place, given.dim(axis));
  return rows.reshape(shape).dimRoll(place, axis);
}

poplar::Tensor changeableCopy(Lowering &lowering, const Op &op,
                              const poplar::Tensor &x) {
  if (op.inPlace())
    return x;
  poplar::Tensor result;
  if (x.containsAliases()) {
    result = lowering.graph().addVariable(x.elementType(), x.shape(),
                                          lowering.debug(op));
    poputil::mapTensorLinearly(lowering.graph(), result);
  } else {
    result = lowering.graph().clone(x, lowering.debug(op));
  }
  // Copying a broadcast zero would exchange each element separately.
  if (isZeros(op.input(0)))
    popops::zero(lowering.graph(), result, lowering.program(),
                 lowering.debug(op));
  else
    lowering.program().add(
        poplar::program::Copy(x, result, false, lowering.debug(op)));
  return result;
}

void differentiateScatter(Gradients &g, const ScatterGradient &scatter) {
  Value &dy = g.dy();
  auto set = [&](std::optional<std::size_t> index, auto gradient) {
    if (index && g.wants(*index))
      g.set(*index, gradient(g.x(*index)));
  };
  auto where = [&](Value &a, Value &b, Value &passed) -> Value & {
    return g.select(g.op("Equal", {&a, &b}), passed, g.scalar(dy.info.type, 0));
  };
  switch (scatter.kind) {
  case UpdateKind::Replace:
  case UpdateKind::Add:
    set(scatter.data, [&](Value &) -> Value & {
      return scatter.kind == UpdateKind::Add ? dy : scatter.cleared(dy);
    });
    return set(scatter.updates,
               [&](Value &) -> Value & { return scatter.taken(dy); });
  case UpdateKind::Multiply:
    set(scatter.data,
        [&](Value &x) -> Value & { return g.div(g.mul(dy, g.y()), x); });
    return set(scatter.updates, [&](Value &x) -> Value & {
      return g.div(scatter.taken(g.mul(dy, g.y())), x);
    });
  case UpdateKind::Max:
  case UpdateKind::Min:
    set(scatter.data, [&](Value &x) -> Value & { return where(x, g.y(), dy); });
    return set(scatter.updates, [&](Value &x) -> Value & {
      return where(x, scatter.taken(g.y()), scatter.taken(dy));
    });
  }
}

namespace {

UpdateKind updateKind(const Op &op) {
  std::string kind = op.attributes().getString("reduction", "none");
  if (kind == "none")
    return UpdateKind::Replace;
  if (kind == "add")
    return UpdateKind::Add;
  if (kind == "mul")
    return UpdateKind::Multiply;
  if (kind == "max")
    return UpdateKind::Max;
  if (kind == "min")
    return UpdateKind::Min;
  op.failUnsupported(fmt::format("reduction \"{}\" is not supported", kind));
}

/// Lookup of elements: the index gives the position along one axis; along the
/// others, it is the position of the index itself.
struct ElementPlaces {
  const Op &op;

  std::int64_t axis() const {
    std::int64_t rank = op.input(0).info.rank();
    if (op.input(1).info.rank() != rank || rank == 0)
      op.failInput(fmt::format("data {} and indices {} differ in their "
                               "dimensions",
                               toString(op.inputShape(0)),
                               toString(op.inputShape(1))));
    return normalAxis(op, op.attributes().getInt("axis", 0), rank);
  }

  void check() const {
    for (std::int64_t i = 0; i != op.input(0).info.rank(); ++i)
      if (i != axis() && op.inputShape(1)[i] > op.inputShape(0)[i])
        op.failInput(fmt::format("indices {} are larger than the data {}",
                                 toString(op.inputShape(1)),
                                 toString(op.inputShape(0))));
    checkChoice(op, axis(), axis() + 1);
  }

  /// True if the indices are an Expand that repeats them along all other axes.
  bool isShared() const {
    const Value &indices = op.input(1);
    if (!indices.producer() || indices.producer()->id().type != "Expand")
      return false;
    const Shape &from = indices.producer()->inputShape(0);
    const Shape &to = indices.info.shape;
    for (std::size_t i = 0; i != from.size(); ++i)
      if (to.size() - from.size() + i != std::size_t(axis()) && from[i] != 1)
        return false;
    return true;
  }

  ElementGroups groups(Lowering &lowering) const {
    return {lowering.input(op, 1), axis(), isShared()};
  }
  poplar::Tensor places(Lowering &lowering, const ElementGroups &groups) const {
    return placesAlong(lowering, op, groups.indices(),
                       op.inputShape(0)[axis()]);
  }
};

/// Lookup of slices; index vectors are the last dimension of the indices.
struct SlicePlaces {
  const Op &op;
  std::int64_t batchDims = 0;

  std::int64_t depth() const {
    if (op.inputShape(1).empty() || op.inputShape(0).empty())
      op.failInput("its data or its indices are scalars");
    std::int64_t depth = op.inputShape(1).back();
    if (batchDims < 0 || batchDims >= op.input(1).info.rank() || depth < 1 ||
        batchDims + depth > op.input(0).info.rank() ||
        !std::equal(op.inputShape(0).begin(),
                    op.inputShape(0).begin() + batchDims,
                    op.inputShape(1).begin()))
      op.failInput(fmt::format("indices {} do not go with data {} (batch_dims "
                               "{})",
                               toString(op.inputShape(1)),
                               toString(op.inputShape(0)), batchDims));
    return depth;
  }

  /// The indices' shape without its last dimension, then the slice's shape.
  Shape shape() const {
    checkChoice(op, batchDims, batchDims + depth());
    const Shape &data = op.inputShape(0), &indices = op.inputShape(1);
    Shape result(indices.begin(), indices.end() - 1);
    result.insert(result.end(), data.begin() + batchDims + depth(), data.end());
    return result;
  }

  std::int64_t columns() const {
    return product(op.inputShape(0), batchDims + depth(),
                   op.inputShape(0).size());
  }

  poplar::Tensor make(Lowering &lowering) const {
    const Shape &data = op.inputShape(0), &indices = op.inputShape(1);
    auto last = static_cast<unsigned>(indices.size() - 1);
    poplar::Tensor vectors = lowering.input(op, 1), sum;
    for (std::int64_t i = 0; i != depth(); ++i) {
      std::int64_t dim = batchDims + i;
      poplar::Tensor part =
          scaledIndices(lowering, op, vectors.slice(i, i + 1, last).flatten(),
                        data[dim], product(data, dim + 1, batchDims + depth()));
      if (i == 0)
        sum = part;
      else
        popops::addInPlace(lowering.graph(), sum, part, lowering.program(),
                           lowering.debug(op));
    }
    std::int64_t batches = product(data, 0, batchDims);
    std::int64_t count = sum.numElements();
    std::int64_t rows = product(data, batchDims, batchDims + depth());
    Places base;
    for (std::int64_t i = 0; i != count; ++i)
      base.push_back(i / (count / batches) * rows);
    return finishedPlaces(lowering, op, sum, base);
  }
};

class GatherElements final : public DeviceOp {
public:
  using DeviceOp::DeviceOp;

  std::vector<TensorInfo> infer() const override {
    ElementPlaces{*this}.check();
    return {{input(0).info.type, inputShape(1)}};
  }
  std::optional<std::vector<HostTensor>> evaluate() const override {
    return takenConstant(*this,
                         constantElements(*this, ElementPlaces{*this}.axis()));
  }
  void lower(Lowering &lowering) const override {
    const ElementPlaces elements{*this};
    const ElementGroups groups = elements.groups(lowering);
    lowering.setOutput(
        *this, groups.inShape(takeRowsOfGroups(
                   lowering, *this, groups.grouped(lowering.input(*this, 0)),
                   elements.places(lowering, groups))));
  }
  void differentiate(Gradients &g) const override {
    g.set(0, g.op("ScatterElements",
                  {&g.zerosLike(input(0).info), &g.x(1), &g.dy()},
                  {{"axis", ElementPlaces{*this}.axis()},
                   {"reduction", std::string("add")}}));
  }
};

const RegisterOp<GatherElements> gatherElements("GatherElements", {11, 13});

class GatherND final : public DeviceOp {
public:
  using DeviceOp::DeviceOp;

  std::vector<TensorInfo> infer() const override {
    return {{input(0).info.type, places().shape()}};
  }
  std::optional<std::vector<HostTensor>> evaluate() const override {
    return takenConstant(
        *this, constantSlices(*this, places().batchDims, places().depth()));
  }
  void lower(Lowering &lowering) const override {
    poplar::Tensor result = takeRows(
        lowering, *this, asRows(lowering.input(*this, 0), places().columns()),
        places().make(lowering));
    lowering.setOutput(*this, result.reshape(toPoplar(output().info.shape)));
  }
  void differentiate(Gradients &g) const override {
    g.set(0, g.op("ScatterND",
                  {&g.zerosLike(input(0).info), &fullIndices(g), &g.dy()},
                  {{"reduction", std::string("add")}}));
  }

private:
  /// The index vectors, prefixed with the position in the batch.
  Value &fullIndices(Gradients &g) const {
    const std::int64_t batchDims = places().batchDims;
    if (batchDims == 0)
      return g.x(1);
    Shape shape = inputShape(1);
    shape.back() = batchDims;
    std::vector<std::int64_t> numbers;
    for (std::int64_t i = 0; i != numElements(shape); ++i) {
      const std::int64_t dim = i % batchDims;
      const std::int64_t step =
          product(shape, dim + 1, shape.size()) / batchDims;
      numbers.push_back(i / batchDims / step % shape[dim]);
    }
    Value &batch = g.constant(HostTensor::ofInts(numbers)
                                  .convertedTo(input(1).info.type)
                                  .reshaped(shape));
    return g.concat({&batch, &g.x(1)}, input(1).info.rank() - 1);
  }

  SlicePlaces places() const {
    return {*this, attributes().getInt("batch_dims", 0)};
  }
};

const RegisterOp<GatherND> gatherND("GatherND", {11, 12, 13});

class ScatterElements final : public DeviceOp {
public:
  using DeviceOp::DeviceOp;

  std::vector<TensorInfo> infer() const override {
    updateKind(*this);
    ElementPlaces{*this}.check();
    if (inputShape(1) != inputShape(2))
      failInput(fmt::format("indices {} and updates {} have different shapes",
                            toString(inputShape(1)), toString(inputShape(2))));
    return {input(0).info};
  }
  std::optional<std::vector<HostTensor>> evaluate() const override {
    return scatteredConstant(
        *this, constantElements(*this, ElementPlaces{*this}.axis()),
        updateKind(*this));
  }
  void lower(Lowering &lowering) const override {
    poplar::Tensor result =
        changeableCopy(lowering, *this, lowering.input(*this, 0));
    const ElementPlaces elements{*this};
    const ElementGroups groups = elements.groups(lowering);
    updateRowsOfGroups(lowering, *this, groups.grouped(result),
                       groups.grouped(lowering.input(*this, 2)),
                       elements.places(lowering, groups), updateKind(*this));
    lowering.setOutput(*this, result);
  }
  bool ownsResult() const override { return true; }
  bool canComputeInPlace(std::size_t operand) const override {
    return operand == 0;
  }
  void differentiate(Gradients &g) const override {
    const std::int64_t axis = ElementPlaces{*this}.axis();
    ScatterGradient scatter = {updateKind(*this), 0, 2};
    scatter.taken = [&](Value &from) -> Value & {
      return g.op("GatherElements", {&from, &g.x(1)}, {{"axis", axis}});
    };
    scatter.cleared = [&](Value &from) -> Value & {
      return g.op("ScatterElements",
                  {&from, &g.x(1), &g.zerosLike(input(2).info)},
                  {{"axis", axis}});
    };
    differentiateScatter(g, scatter);
  }
};

const RegisterOp<ScatterElements> scatter("Scatter", {9, 11});
const RegisterOp<ScatterElements> scatterElements("ScatterElements",
                                                  {11, 13, 16, 18});

class ScatterND final : public DeviceOp {
public:
  using DeviceOp::DeviceOp;

  std::vector<TensorInfo> infer() const override {
    updateKind(*this);
    if (inputShape(2) != SlicePlaces{*this}.shape())
      failInput(fmt::format("its updates have the shape {}, and {} fits",
                            toString(inputShape(2)),
                            toString(SlicePlaces{*this}.shape())));
    return {input(0).info};
  }
  std::optional<std::vector<HostTensor>> evaluate() const override {
    return scatteredConstant(
        *this, constantSlices(*this, 0, SlicePlaces{*this}.depth()),
        updateKind(*this));
  }
  void lower(Lowering &lowering) const override {
    poplar::Tensor result =
        changeableCopy(lowering, *this, lowering.input(*this, 0));
    std::size_t columns = SlicePlaces{*this}.columns();
    updateRows(lowering, *this, asRows(result, columns),
               asRows(lowering.input(*this, 2), columns),
               SlicePlaces{*this}.make(lowering), updateKind(*this));
    lowering.setOutput(*this, result);
  }
  bool ownsResult() const override { return true; }
  bool canComputeInPlace(std::size_t operand) const override {
    return operand == 0;
  }
  void differentiate(Gradients &g) const override {
    ScatterGradient scatter = {updateKind(*this), 0, 2};
    scatter.taken = [&](Value &from) -> Value & {
      return g.op("GatherND", {&from, &g.x(1)});
    };
    scatter.cleared = [&](Value &from) -> Value & {
      return g.op("ScatterND", {&from, &g.x(1), &g.zerosLike(input(2).info)});
    };
    differentiateScatter(g, scatter);
  }
};

const RegisterOp<ScatterND> scatterND("ScatterND", {11, 13, 16, 18});

} // namespace

} // namespace populus::popir
