// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators that are views of their input on the device. Each maps ONNX's
// attributes to a function of poplar::Tensor.

#include "lib/PopART/IR/Gradients.h"
#include "lib/PopART/IR/OpTable.h"
#include "lib/PopART/Lowering/Lowering.h"
#include "lib/PopART/Ops/Adjoints.h"
#include "lib/PopART/Ops/Shape/Shapes.h"

#include <fmt/format.h>
#include <poputil/Broadcast.hpp>

#include <algorithm>

namespace populus::popir {

namespace {

/// Repeats `from` along each dimension up to the shape `result`.
HostTensor repeated(const HostTensor &from, const Shape &result) {
  HostTensor to({from.type(), result});
  std::vector<std::int64_t> toSteps = strides(result);
  std::vector<std::int64_t> fromSteps = strides(from.shape());
  std::size_t shift = result.size() - from.shape().size();
  std::size_t bytes = sizeOf(from.type());
  for (std::int64_t i = 0; i != to.numElements(); ++i) {
    std::int64_t source = 0;
    for (std::size_t dim = shift; dim != result.size(); ++dim)
      source += i / toSteps[dim] % result[dim] % from.shape()[dim - shift] *
                fromSteps[dim - shift];
    std::copy_n(from.bytes().data() + source * bytes, bytes,
                to.bytes().data() + i * bytes);
  }
  return to;
}

/// Expand: broadcasts to a shape.
class Expand final : public DeviceOp {
public:
  using DeviceOp::DeviceOp;

  std::vector<TensorInfo> infer() const override {
    Shape wanted = constantInput(1, "shape").toInts();
    return {{input(0).info.type, broadcastShape(*this, inputShape(0), wanted)}};
  }
  std::optional<std::vector<HostTensor>> evaluate() const override {
    return std::vector{repeated(*input(0).constant(), infer()[0].shape)};
  }
  void lower(Lowering &lowering) const override {
    poplar::Tensor x = lowering.input(*this, 0);
    poputil::broadcastToMatch(x, toPoplar(output().info.shape));
    lowering.setOutput(*this, x);
  }
  void differentiate(Gradients &g) const override { g.set(0, g.dy()); }
  bool isIdentity() const override {
    return hasOutput(0) && output().info.shape == inputShape(0);
  }
};

const RegisterOp<Expand> expand("Expand", {8, 13});

/// Tile: repeats the tensor along each dimension; in version 1 along one axis.
class Tile final : public DeviceOp {
public:
  using DeviceOp::DeviceOp;

  std::vector<TensorInfo> infer() const override {
    Shape shape = inputShape(0);
    std::vector<std::int64_t> times = repeats();
    for (std::size_t i = 0; i != shape.size(); ++i)
      if (times[i] < 0 || __builtin_mul_overflow(shape[i], times[i], &shape[i]))
        failInput(fmt::format("it repeats dimension {} {} times", i, times[i]));
    return {{input(0).info.type, shape}};
  }
  std::optional<std::vector<HostTensor>> evaluate() const override {
    return std::vector{repeated(*input(0).constant(), infer()[0].shape)};
  }
  void lower(Lowering &lowering) const override {
    poplar::Tensor x = lowering.input(*this, 0);
    std::vector<std::int64_t> times = repeats();
    for (unsigned i = 0; i != times.size(); ++i)
      x = times[i] == 0 ? x.slice(0, 0, i)
                        : x.broadcast(static_cast<unsigned>(times[i]), i);
    lowering.setOutput(*this, x);
  }
  void differentiate(Gradients &g) const override {
    const std::vector<std::int64_t> times = repeats();
    Shape parts;
    std::vector<std::int64_t> copies;
    for (std::size_t i = 0; i != times.size(); ++i) {
      copies.push_back(static_cast<std::int64_t>(parts.size()));
      parts.insert(parts.end(), {times[i], inputShape(0)[i]});
    }
    Value &sum = g.reduce("ReduceSum", g.reshape(g.dy(), parts), copies);
    g.set(0, g.reshape(sum, inputShape(0)));
  }

private:
  std::vector<std::int64_t> repeats() const {
    std::vector<std::int64_t> given = constantInput(1, "repeats").toInts();
    std::size_t rank = inputShape(0).size();
    if (version() == 1) {
      std::vector<std::int64_t> axis = constantInput(2, "axis").toInts();
      if (given.size() != 1 || axis.size() != 1)
        failInput("repeats and axis have to be scalars");
      std::vector<std::int64_t> result(rank, 1);
      result[normalAxis(*this, axis[0], static_cast<std::int64_t>(rank))] =
          given[0];
      return result;
    }
    if (given.size() != rank)
      failInput(fmt::format("it has {} repeats for {} dimensions", given.size(),
                            rank));
    return given;
  }
};

const RegisterOp<Tile> tile("Tile", {1, 6, 13});

/// Split: parts along an axis, of equal size unless sizes are given.
class Split final : public DeviceOp {
public:
  using DeviceOp::DeviceOp;

  std::vector<TensorInfo> infer() const override {
    std::vector<TensorInfo> result;
    for (std::int64_t size : sizes()) {
      Shape shape = inputShape(0);
      shape[axis()] = size;
      result.push_back({input(0).info.type, shape});
    }
    return result;
  }
  std::optional<std::vector<HostTensor>> evaluate() const override {
    const HostTensor &from = *input(0).constant();
    std::size_t dim = axis();
    std::size_t row =
        product(from.shape(), dim, from.shape().size()) * sizeOf(from.type());
    std::size_t offset = 0;
    std::vector<HostTensor> result;
    for (const TensorInfo &info : infer()) {
      HostTensor part(info);
      std::int64_t rows = product(info.shape, 0, dim);
      std::size_t bytes = rows == 0 ? 0 : part.bytes().size() / rows;
      for (std::int64_t i = 0; i != rows; ++i)
        std::copy_n(from.bytes().data() + i * row + offset, bytes,
                    part.bytes().data() + i * bytes);
      offset += bytes;
      result.push_back(std::move(part));
    }
    return result;
  }
  void lower(Lowering &lowering) const override {
    poplar::Tensor x = lowering.input(*this, 0);
    std::size_t begin = 0;
    std::vector<std::int64_t> parts = sizes();
    for (std::size_t i = 0; i != parts.size(); ++i) {
      std::size_t end = begin + parts[i];
      if (hasOutput(i))
        lowering.setOutput(
            *this, x.slice(begin, end, static_cast<unsigned>(axis())), i);
      begin = end;
    }
  }

  /// Concatenates the gradients; unused parts get zeros.
  void differentiate(Gradients &g) const override {
    std::vector<Value *> parts;
    for (std::size_t i = 0; i != sizes().size(); ++i)
      parts.push_back(&g.dy(i));
    g.set(0, g.concat(parts, static_cast<std::int64_t>(axis())));
  }

private:
  std::size_t axis() const {
    return normalAxis(*this, attributes().getInt("axis", 0),
                      input(0).info.rank());
  }
  std::vector<std::int64_t> sizes() const {
    std::int64_t extent = inputShape(0)[axis()];
    std::vector<std::int64_t> given;
    if (version() >= 13 || hasInput(1)) // an input in version 1 too
      given = hasInput(1) ? constantInput(1, "list of sizes").toInts()
                          : std::vector<std::int64_t>();
    else
      given = attributes().getInts("split");
    std::int64_t count = spec().numOutputs;
    if (given.empty())
      given = equalSizes(extent, count);
    std::int64_t sum = 0;
    for (std::int64_t size : given)
      sum += size < 0 || size > extent ? extent + 1 : size;
    if (static_cast<std::int64_t>(given.size()) < count || sum != extent)
      failInput(fmt::format("sizes [{}] do not split an extent of {} for {} "
                            "outputs",
                            fmt::join(given, ", "), extent, count));
    return given;
  }

  /// Equal parts; from version 18 on the last part may be smaller.
  std::vector<std::int64_t> equalSizes(std::int64_t extent,
                                       std::int64_t count) const {
    const std::int64_t parts = attributes().getInt("num_outputs", count);
    if (parts != count && attributes().has("num_outputs"))
      failInput(fmt::format("its num_outputs is {}, and it has {} outputs",
                            parts, count));
    if (count == 0 || (extent % count != 0 && version() < 18))
      failInput(fmt::format("an extent of {} cannot be split into {} equal "
                            "parts",
                            extent, count));
    const std::int64_t size = (extent + count - 1) / count;
    std::vector<std::int64_t> result(count, size);
    result.back() = extent - size * (count - 1);
    return result;
  }
};

const RegisterOp<Split> split("Split", {1, 2, 11, 13, 18});

/// DepthToSpace and SpaceToDepth: move channels to blocks of a field, and back.
class BlockMove : public DeviceOp {
public:
  using DeviceOp::DeviceOp;

protected:
  std::int64_t block() const {
    std::int64_t size = attributes().getInt("blocksize", 0);
    if (size < 1 || size > (1 << 15))
      failInput(fmt::format("blocksize {} is not possible", size));
    if (inputShape(0).size() != 4)
      failInput(fmt::format("its input {} has {} dimensions and needs 4",
                            toString(inputShape(0)), inputShape(0).size()));
    return size;
  }
};

class DepthToSpace final : public BlockMove {
public:
  using BlockMove::BlockMove;

  std::vector<TensorInfo> infer() const override {
    const Shape &x = inputShape(0);
    std::int64_t size = block();
    if (x[1] % (size * size) != 0)
      failInput(
          fmt::format("{} channels are not blocks of {}x{}", x[1], size, size));
    return {{input(0).info.type,
             {x[0], x[1] / size / size, x[2] * size, x[3] * size}}};
  }
  void lower(Lowering &lowering) const override {
    const Shape &x = inputShape(0);
    std::int64_t size = block(), channels = x[1] / size / size;
    poplar::Tensor t = lowering.input(*this, 0);
    if (attributes().getString("mode", "DCR") == "CRD")
      t = t.reshape(toPoplar({x[0], channels, size, size, x[2], x[3]}))
              .dimShuffle({0, 1, 4, 2, 5, 3});
    else
      t = t.reshape(toPoplar({x[0], size, size, channels, x[2], x[3]}))
              .dimShuffle({0, 3, 4, 1, 5, 2});
    lowering.setOutput(*this, t.reshape(toPoplar(output().info.shape)));
  }
  void differentiate(Gradients &g) const override {
    g.set(0, g.opLike("SpaceToDepth", {&g.dy()}, attributes()));
  }
};

class SpaceToDepth final : public BlockMove {
public:
  using BlockMove::BlockMove;

  std::vector<TensorInfo> infer() const override {
    const Shape &x = inputShape(0);
    std::int64_t size = block();
    if (x[2] % size != 0 || x[3] % size != 0)
      failInput(fmt::format("the field {}x{} is not made of blocks of {}x{}",
                            x[2], x[3], size, size));
    return {{input(0).info.type,
             {x[0], x[1] * size * size, x[2] / size, x[3] / size}}};
  }
  void lower(Lowering &lowering) const override {
    const Shape &x = inputShape(0);
    std::int64_t size = block();
    const bool isByChannels = attributes().getString("mode", "DCR") == "CRD";
    const std::vector<unsigned> order =
        isByChannels ? std::vector<unsigned>{0, 1, 3, 5, 2, 4}
                     : std::vector<unsigned>{0, 3, 5, 1, 2, 4};
    lowering.setOutput(*this, lowering.input(*this, 0)
                                  .reshape(toPoplar({x[0], x[1], x[2] / size,
                                                     size, x[3] / size, size}))
                                  .dimShuffle(order)
                                  .reshape(toPoplar(output().info.shape)));
  }
  void differentiate(Gradients &g) const override {
    g.set(0, g.opLike("DepthToSpace", {&g.dy()}, attributes()));
  }
};

const RegisterOp<DepthToSpace> depthToSpace("DepthToSpace", {1, 11, 13, 28});
const RegisterOp<DepthToSpace> depthToSpaceGc("DepthToSpace", {1},
                                              "ai.graphcore", 1);
const RegisterOp<SpaceToDepth> spaceToDepth("SpaceToDepth", {1, 13, 28});

/// Reverse: reverses the order along some dimensions.
class Reverse final : public DeviceOp {
public:
  using DeviceOp::DeviceOp;

  std::vector<TensorInfo> infer() const override {
    dims();
    return {input(0).info};
  }
  void lower(Lowering &lowering) const override {
    poplar::Tensor x = lowering.input(*this, 0);
    for (std::int64_t dim : dims())
      x = x.reverse(static_cast<unsigned>(dim));
    lowering.setOutput(*this, x);
  }
  void differentiate(Gradients &g) const override {
    g.set(0, g.opLike("Reverse", {&g.dy()}, attributes(), "ai.graphcore"));
  }

private:
  std::vector<std::int64_t> dims() const {
    return normalAxes(*this, attributes().getInts("dimensions"),
                      input(0).info.rank());
  }
};

const RegisterOp<Reverse> reverse("Reverse", {1}, "ai.graphcore", 1);

/// Subsample: every n-th element of each dimension.
class Subsample final : public DeviceOp {
public:
  using DeviceOp::DeviceOp;

  std::vector<TensorInfo> infer() const override {
    Shape shape = inputShape(0);
    std::vector<std::int64_t> steps = attributes().getInts("strides");
    if (steps.size() != shape.size())
      failInput(fmt::format("it has {} strides for {} dimensions", steps.size(),
                            shape.size()));
    for (std::size_t i = 0; i != shape.size(); ++i) {
      if (steps[i] < 1 || steps[i] > (std::int64_t(1) << 31))
        failInput(fmt::format("its stride {} is not possible", steps[i]));
      shape[i] = (shape[i] + steps[i] - 1) / steps[i];
    }
    return {{input(0).info.type, shape}};
  }
  void lower(Lowering &lowering) const override {
    poplar::Tensor x = lowering.input(*this, 0);
    std::vector<std::int64_t> steps = attributes().getInts("strides");
    for (unsigned i = 0; i != steps.size(); ++i)
      if (steps[i] != 1 && x.dim(i) != 0)
        x = x.subSample(static_cast<unsigned>(steps[i]), i);
    lowering.setOutput(*this, x);
  }
  /// Each element becomes the first of a cell of zeros.
  void differentiate(Gradients &g) const override {
    const std::vector<std::int64_t> steps = attributes().getInts("strides");
    Shape elements, cells;
    std::vector<std::int64_t> zeros, missing;
    for (std::size_t i = 0; i != steps.size(); ++i) {
      const std::int64_t extent = inputShape(0)[i];
      const std::int64_t count = g.dy().info.shape[i];
      const std::int64_t cell =
          std::min(steps[i], std::max<std::int64_t>(extent, 1));
      elements.insert(elements.end(), {count, 1});
      zeros.insert(zeros.end(), {0, cell - 1});
      cells.push_back(count * cell);
      missing.push_back(extent - count * cell);
    }
    Value &spread = g.pad(g.reshape(g.dy(), elements),
                          std::vector<std::int64_t>(elements.size()), zeros);
    g.set(0, g.pad(g.reshape(spread, cells),
                   std::vector<std::int64_t>(cells.size()), missing));
  }
};

const RegisterOp<Subsample> subsample("Subsample", {1}, "ai.graphcore", 1);

/// ReverseSequence: reverses the first elements of each row of a batch;
/// constant lengths say how many.
class ReverseSequence final : public DeviceOp {
public:
  using DeviceOp::DeviceOp;

  std::vector<TensorInfo> infer() const override {
    if (input(0).info.rank() < 2)
      failInput("its input has no two dimensions");
    std::vector<std::int64_t> lengths = this->lengths();
    if (static_cast<std::int64_t>(lengths.size()) != inputShape(0)[batch()] ||
        batch() == time())
      failInput("its lengths do not go with its input");
    return {input(0).info};
  }
  void lower(Lowering &lowering) const override {
    poplar::Tensor x = lowering.input(*this, 0);
    std::vector<std::int64_t> lengths = this->lengths();
    std::vector<poplar::Tensor> rows;
    for (std::size_t i = 0; i != lengths.size(); ++i) {
      poplar::Tensor row = x.slice(i, i + 1, batch());
      rows.push_back(poplar::concat(
          row.slice(0, lengths[i], time()).reverse(time()),
          row.slice(lengths[i], row.dim(time()), time()), time()));
    }
    lowering.setOutput(*this, rows.empty() ? x : concat(rows, batch()));
  }
  void differentiate(Gradients &g) const override {
    g.set(0, g.opLike("ReverseSequence", {&g.dy(), &g.x(1)}, attributes()));
  }

private:
  unsigned batch() const { return attributes().getInt("batch_axis", 1) != 0; }
  unsigned time() const { return attributes().getInt("time_axis", 0) != 0; }
  std::vector<std::int64_t> lengths() const {
    std::vector<std::int64_t> result =
        constantInput(1, "list of lengths").toInts();
    for (std::int64_t length : result)
      if (length < 0 || length > inputShape(0)[time()])
        failInput(fmt::format("the length {} is not possible", length));
    return result;
  }
};

const RegisterOp<ReverseSequence> reverseSequence("ReverseSequence", {10, 28});

/// Compress: the slices that a constant condition selects.
class Compress final : public DeviceOp {
public:
  using DeviceOp::DeviceOp;

  std::vector<TensorInfo> infer() const override {
    std::int64_t count = static_cast<std::int64_t>(selected().size());
    if (!attributes().has("axis"))
      return {{input(0).info.type, {count}}};
    Shape shape = inputShape(0);
    shape[axis()] = count;
    return {{input(0).info.type, shape}};
  }
  void lower(Lowering &lowering) const override {
    poplar::Tensor x = lowering.input(*this, 0);
    unsigned dim = axis();
    if (!attributes().has("axis"))
      x = x.flatten();
    std::vector<poplar::Tensor> parts = {x.slice(0, 0, dim)};
    for (std::int64_t i : selected())
      parts.push_back(x.slice(i, i + 1, dim));
    lowering.setOutput(*this, poplar::concat(parts, dim));
  }
  void differentiate(Gradients &g) const override {
    const Shape shape = attributes().has("axis")
                            ? inputShape(0)
                            : Shape{input(0).info.numElements()};
    std::vector<std::vector<WeightedSlice>> sums(shape[axis()]);
    const std::vector<std::int64_t> taken = selected();
    for (std::size_t i = 0; i != taken.size(); ++i)
      sums[taken[i]].push_back({static_cast<std::int64_t>(i)});
    g.set(0, g.reshape(slicesSummed(g, g.dy(), axis(), sums), inputShape(0)));
  }

private:
  unsigned axis() const {
    if (!attributes().has("axis"))
      return 0;
    return normalAxis(*this, attributes().getInt("axis", 0),
                      input(0).info.rank());
  }
  std::vector<std::int64_t> selected() const {
    std::int64_t extent = attributes().has("axis")
                              ? inputShape(0)[axis()]
                              : input(0).info.numElements();
    std::vector<std::int64_t> flags = constantInput(1, "condition").toInts();
    if (static_cast<std::int64_t>(flags.size()) > extent)
      failInput(fmt::format("its condition has {} elements for {} slices",
                            flags.size(), extent));
    std::vector<std::int64_t> result;
    for (std::size_t i = 0; i != flags.size(); ++i)
      if (flags[i] != 0)
        result.push_back(i);
    return result;
  }
};

const RegisterOp<Compress> compress("Compress", {9, 11, 28});

/// ConvFlipWeights: weights [outputs, inputs, field...] of the adjoint
/// convolution: swaps inputs and outputs, and reverses the field.
class ConvFlipWeights final : public DeviceOp {
public:
  using DeviceOp::DeviceOp;

  std::vector<TensorInfo> infer() const override {
    checkFloat(*this);
    Shape shape = inputShape(0);
    if (shape.size() < 3)
      failInput(fmt::format("its input {} is not weights of a convolution",
                            toString(shape)));
    std::swap(shape[0], shape[1]);
    return {{input(0).info.type, shape}};
  }
  void lower(Lowering &lowering) const override {
    poplar::Tensor x = lowering.input(*this, 0).dimShufflePartial({0}, {1});
    for (unsigned dim = 2; dim != x.rank(); ++dim)
      x = x.reverse(dim);
    lowering.setOutput(*this, x);
  }
  void differentiate(Gradients &g) const override {
    g.set(0, g.op("ConvFlipWeights", {&g.dy()}, {}, "ai.graphcore"));
  }
};

const RegisterOp<ConvFlipWeights> convFlipWeights("ConvFlipWeights", {1},
                                                  "ai.graphcore", 1);

/// Detach, Nop: the identity in the forward pass.
class PassOn final : public DeviceOp {
public:
  using DeviceOp::DeviceOp;

  std::vector<TensorInfo> infer() const override { return {input(0).info}; }
  void lower(Lowering &lowering) const override {
    lowering.setOutput(*this, lowering.input(*this, 0));
  }
  void differentiate(Gradients &g) const override {
    if (id().type == "Detach") // which is there for that
      return g.endRest();
    g.set(0, g.dy());
  }
  bool isIdentity() const override { return true; }
};

const RegisterOp<PassOn> detach("Detach", {1}, "ai.graphcore", 1);
const RegisterOp<PassOn> nop("Nop", {1}, "ai.graphcore", 1);

} // namespace

} // namespace populus::popir
