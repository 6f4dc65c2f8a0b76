// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// InstanceNormalization, LayerNormalization and GroupNormalization: normalise
// rows of the input to mean 0 and variance 1, then scale and shift. They differ
// in the definition of a row. Float16 is computed in float, too.

#include "lib/PopART/Ops/Elementwise/Elementwise.h"
#include "lib/PopART/Ops/Normalization/RowNorms.h"
#include "lib/PopART/Ops/Shape/Shapes.h"

#include <fmt/format.h>
#include <popops/Cast.hpp>

namespace populus::popir {

namespace {

/// The division of an input into rows. A group of channels is contiguous, or
/// strided: channel c then belongs to group c % numGroups.
struct RowShape {
  Shape rows;
  /// With a stride: [batch, channels of a group, groups, rest].
  Shape channels;

  bool isStrided() const { return !channels.empty(); }
  /// [batch, groups, channels of a group, rest].
  Shape swapped() const {
    return {channels[0], channels[2], channels[1], channels[3]};
  }
};

RowShape rowsOfGroups(const Shape &x, std::int64_t groups, bool isStrided) {
  const std::int64_t rows = x[0] * groups, all = numElements(x);
  RowShape shape{{rows, rows == 0 ? 0 : all / rows}, {}};
  if (isStrided)
    shape.channels = {x[0], x[1] / groups, groups, product(x, 2, x.size())};
  return shape;
}

poplar::Tensor toRows(const poplar::Tensor &x, const RowShape &shape) {
  return (shape.isStrided()
              ? x.reshape(toPoplar(shape.channels)).dimShuffle({0, 2, 1, 3})
              : x)
      .reshape(toPoplar(shape.rows));
}

poplar::Tensor fromRows(const poplar::Tensor &rows, const RowShape &shape,
                        const Shape &whole) {
  return (shape.isStrided()
              ? rows.reshape(toPoplar(shape.swapped())).dimShuffle({0, 2, 1, 3})
              : rows)
      .reshape(toPoplar(whole));
}

Value &toRows(Gradients &g, Value &x, const RowShape &shape) {
  return g.reshape(shape.isStrided()
                       ? g.transpose(g.reshape(x, shape.channels), {0, 2, 1, 3})
                       : x,
                   shape.rows);
}

Value &fromRows(Gradients &g, Value &rows, const RowShape &shape,
                const Shape &whole) {
  return g.reshape(
      shape.isStrided()
          ? g.transpose(g.reshape(rows, shape.swapped()), {0, 2, 1, 3})
          : rows,
      whole);
}

/// The gradients of h * scale + shift, where h are the normalised rows that
/// `shape` defines. Scale and shift are broadcast to the input, reshaped to
/// `channels` if given. `mean` and `inverseDeviation` are statistics of the
/// rows, or null to compute them again. Statistics are computed in float32,
/// with --precision fp16, too.
void differentiateNorm(Gradients &g, const RowShape &shape,
                       const std::optional<Shape> &channels,
                       Value *mean = nullptr,
                       Value *inverseDeviation = nullptr) {
  const Shape &whole = g.shape(0);
  const Shape column = {shape.rows[0], 1};
  auto asFloat = [&](Value &x) -> Value & {
    return g.cast(x, DataType::Double);
  };
  auto meanOf = [&](Value &x) -> Value & {
    return g.reduce("ReduceMean", x, {1});
  };
  auto parameterShape = [&](std::size_t index) {
    return channels ? *channels : g.shape(index);
  };
  Value &x = toRows(g, asFloat(g.x()), shape);
  Value &centred =
      g.sub(x, mean ? g.reshape(asFloat(*mean), column) : meanOf(x));
  Value &inverse =
      inverseDeviation
          ? g.reshape(asFloat(*inverseDeviation), column)
          : g.op("Reciprocal",
                 {&g.sqrt(g.add(meanOf(g.square(centred)),
                                g.attributes().getFloat("epsilon", 1e-5f)))});
  Value &normal = g.mul(centred, inverse);
  Value &dy = asFloat(g.dy());
  auto setParameter = [&](std::size_t index, auto gradient) {
    if (g.forward().hasInput(index) && g.wants(index))
      g.set(index, g.cast(g.reshape(g.sumTo(gradient(), parameterShape(index)),
                                    g.shape(index)),
                          g.x(index).info.type));
  };
  setParameter(1, [&]() -> Value & {
    return g.mul(dy, fromRows(g, normal, shape, whole));
  });
  setParameter(2, [&]() -> Value & { return dy; });
  if (!g.wants(0))
    return;
  Value &slope = toRows(
      g, g.mul(dy, g.reshape(asFloat(g.x(1)), parameterShape(1))), shape);
  Value &straight = g.sub(slope, meanOf(slope));
  Value &bend = g.mul(normal, meanOf(g.mul(slope, normal)));
  Value &dx = g.mul(g.sub(straight, bend), inverse);
  g.set(0, g.cast(fromRows(g, dx, shape, whole), g.x().info.type));
}

/// The gradients if rows are groups of channels of each batch element.
void differentiateGroups(Gradients &g, std::int64_t groups,
                         bool isStrided = false, Value *mean = nullptr,
                         Value *inverseDeviation = nullptr) {
  const Shape &x = g.shape(0);
  Shape channels(x.size(), 1);
  channels[1] = x[1];
  differentiateNorm(g, rowsOfGroups(x, groups, isStrided), channels, mean,
                    inverseDeviation);
}

/// A value per channel, reshaped to broadcast to [batch, channels, …].
poplar::Tensor perChannel(const poplar::Tensor &values, std::size_t rank) {
  std::vector<std::size_t> shape(rank, 1);
  shape[1] = values.numElements();
  return values.reshape(shape);
}

/// Normalises groups of channels of each batch element.
popnn::RowNormResult normaliseGroups(Lowering &lowering, const Op &op,
                                     std::int64_t groups,
                                     bool isStrided = false) {
  const Shape &x = op.inputShape(0);
  const RowShape shape = rowsOfGroups(x, groups, isStrided);
  popnn::RowNormResult result =
      normaliseRows(lowering, op, toRows(lowering.input(op, 0), shape),
                    {op.attributes().getFloat("epsilon", 1e-5f), true,
                     op.hasOutput(1) || op.hasOutput(2)});
  result.rows = scaled(lowering, op, fromRows(result.rows, shape, x),
                       perChannel(lowering.input(op, 1), x.size()),
                       perChannel(lowering.input(op, 2), x.size()));
  return result;
}

void checkChannelParameters(const Op &op) {
  checkFloat(op);
  const Shape &x = op.inputShape(0);
  if (x.size() < 2)
    op.failInput(fmt::format("its input {} has no channels", toString(x)));
  for (std::size_t i : {1, 2})
    if (op.inputShape(i) != Shape{x[1]})
      op.failInput(fmt::format("input {} has the shape {} for {} channels", i,
                               toString(op.inputShape(i)), x[1]));
}

class InstanceNormalization final : public DeviceOp {
public:
  using DeviceOp::DeviceOp;

  std::vector<TensorInfo> infer() const override {
    checkChannelParameters(*this);
    return {input(0).info};
  }

  void lower(Lowering &lowering) const override {
    lowering.setOutput(*this,
                       normaliseGroups(lowering, *this, inputShape(0)[1]).rows);
  }

  void differentiate(Gradients &g) const override {
    differentiateGroups(g, inputShape(0)[1]);
  }
};

const RegisterOp<InstanceNormalization>
    instanceNormalization("InstanceNormalization", {1, 6, 22});

/// Results: normalised activation, means, inverse standard deviations.
class GroupNormalization final : public DeviceOp {
public:
  using DeviceOp::DeviceOp;

  std::vector<TensorInfo> infer() const override {
    checkChannelParameters(*this);
    const Shape &x = inputShape(0);
    if (groups() < 1 || x[1] % groups() != 0)
      failInput(fmt::format("{} channels cannot be divided into {} groups",
                            x[1], groups()));
    TensorInfo statistics{input(0).info.type, {x[0] * groups()}};
    return {input(0).info, statistics, statistics};
  }

  void lower(Lowering &lowering) const override {
    popnn::RowNormResult result =
        normaliseGroups(lowering, *this, groups(), isStrided());
    lowering.setOutput(*this, result.rows);
    const poplar::Tensor statistics[] = {result.mean, result.invStdDev};
    for (std::size_t i : {1, 2})
      if (hasOutput(i))
        lowering.setOutput(
            *this,
            popops::cast(lowering.graph(), statistics[i - 1].flatten(),
                         deviceType(output(i).info.type), lowering.program(),
                         lowering.debug(*this)),
            i);
  }

  /// Statistics returned as float16 are too inexact for the gradient.
  void differentiate(Gradients &g) const override {
    if (input(0).info.type == DataType::Float)
      differentiateGroups(g, groups(), isStrided(), &g.y(1), &g.y(2));
    else
      differentiateGroups(g, groups(), isStrided());
  }

private:
  std::int64_t groups() const { return attributes().getInt("num_groups", 1); }
  /// A session option for the whole model (ModelRules.cpp).
  bool isStrided() const { return attributes().getInt("strided", 0) != 0; }
};

const RegisterOp<GroupNormalization> groupNormalization("GroupNormalization",
                                                        {1}, "ai.graphcore", 3);

/// Normalises over the dimensions from the axis on.
class LayerNormalization final : public DeviceOp {
public:
  using DeviceOp::DeviceOp;

  std::vector<TensorInfo> infer() const override {
    checkFloat(*this);
    const Shape &x = inputShape(0);
    for (std::size_t i : {1, 2})
      if (hasInput(i) && broadcastShape(*this, x, inputShape(i)) != x)
        failInput(fmt::format("input {} of shape {} is larger than its data, "
                              "{}",
                              i, toString(inputShape(i)), toString(x)));
    Shape outer = x;
    std::fill(outer.begin() + axis(), outer.end(), 1);
    TensorInfo statistics{DataType::Float, outer};
    return {input(0).info, statistics, statistics};
  }

  bool ownsResult() const override { return true; }

  void lower(Lowering &lowering) const override {
    const popnn::RowNormResult result =
        normaliseFrom(lowering, *this, axis(),
                      {attributes().getFloat("epsilon", 1e-5f), true,
                       hasOutput(1) || hasOutput(2)});
    lowering.setOutput(*this, result.rows);
    const poplar::Tensor statistics[] = {result.mean, result.invStdDev};
    for (std::size_t i : {1, 2})
      if (hasOutput(i))
        lowering.setOutput(
            *this,
            popops::cast(
                lowering.graph(),
                statistics[i - 1].reshape(toPoplar(output(i).info.shape)),
                deviceType(output(i).info.type), lowering.program(),
                lowering.debug(*this)),
            i);
  }

  void differentiate(Gradients &g) const override {
    const Shape &x = inputShape(0);
    differentiateNorm(
        g, {{product(x, 0, axis()), product(x, axis(), x.size())}, {}},
        std::nullopt, &g.y(1), &g.y(2));
  }

private:
  std::size_t axis() const {
    return normalAxis(*this, attributes().getInt("axis", -1),
                      input(0).info.rank());
  }
};

const RegisterOp<LayerNormalization> layerNormalization("LayerNormalization",
                                                        {17});

/// LayerNormalization without subtracting the mean: divides rows by their root
/// mean square. Created by pass FuseNorms.
class RmsNorm final : public DeviceOp {
public:
  using DeviceOp::DeviceOp;

  std::vector<TensorInfo> infer() const override {
    checkFloat(*this);
    return {input(0).info};
  }

  bool ownsResult() const override { return true; }

  void lower(Lowering &lowering) const override {
    lowering.setOutput(
        *this,
        normaliseFrom(lowering, *this,
                      normalAxis(*this, attributes().getInt("axis", -1),
                                 input(0).info.rank()),
                      {attributes().getFloat("epsilon", 0), false, false})
            .rows);
  }
};

const RegisterInternalOp<RmsNorm> rmsNorm("RmsNorm");

} // namespace

} // namespace populus::popir
