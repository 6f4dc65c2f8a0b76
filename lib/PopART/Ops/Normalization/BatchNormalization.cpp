// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// BatchNormalization: (x - mean) / sqrt(variance + epsilon) * scale + bias for
// each channel. With constant parameters, as in every exported model, that is
// one product and one sum. In training mode the statistics are those of the
// input.

#include "lib/PopART/Ops/Normalization/BatchNormalization.h"

#include "lib/PopART/IR/Gradients.h"
#include "lib/PopART/IR/GuideText.h"
#include "lib/PopART/IR/OpTable.h"
#include "lib/PopART/Ops/Elementwise/Elementwise.h"
#include "lib/PopART/Ops/Reduction/Reduction.h"
#include "lib/PopART/Ops/Shape/Shapes.h"

#include <fmt/format.h>
#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>

#include <cmath>
#include <tuple>

namespace populus::popir {

namespace {

// The inputs after X.
enum Parameter : std::size_t { Scale = 1, Bias = 2, Mean = 3, Variance = 4 };

const RegisterOp<BatchNormalization> registration("BatchNormalization",
                                                  {6, 7, 9, 14, 15});
const RegisterOp<BatchNormalization> graphcore("BatchNormalization", {1},
                                               "ai.graphcore", 5);

} // namespace

BatchNormalization::BatchNormalization(OpSpec newSpec)
    : DeviceOp(std::move(newSpec)) {
  if (!isTraining() && spec().numOutputs > 1)
    failUnsupported("its statistics are for training; export the model for "
                    "inference");
  if (attributes().getInt("spatial", 1) != 1)
    failUnsupported("spatial 0 is not supported");
}

std::vector<TensorInfo> BatchNormalization::infer() const {
  checkFloat(*this);
  if (inputShape(0).size() < 2)
    failInput(
        fmt::format("its input {} has no channels", toString(inputShape(0))));
  const Shape wanted = {inputShape(0)[1]};
  for (const auto &[i, role] :
       {std::pair(Scale, "scale"), std::pair(Bias, "B"),
        std::pair(Mean, "mean"), std::pair(Variance, "var")})
    if (inputShape(i) != wanted)
      failInput(fmt::format("expected shape of input {}, '{}', to be {}, and "
                            "it is {}",
                            i, role, guideText(wanted),
                            guideText(inputShape(i))));
  std::vector<TensorInfo> infos = {input(0).info};
  for (std::size_t i : {Mean, Variance, Mean, Variance})
    infos.push_back(input(i).info);
  return infos;
}

std::optional<BatchNormalization::Affine> BatchNormalization::affine() const {
  if (isTraining())
    return std::nullopt;
  for (std::size_t i : {Scale, Bias, Mean, Variance})
    if (!input(i).isConstant())
      return std::nullopt;
  std::vector<double> scale = input(Scale).constant()->toDoubles();
  std::vector<double> bias = input(Bias).constant()->toDoubles();
  std::vector<double> mean = input(Mean).constant()->toDoubles();
  std::vector<double> variance = input(Variance).constant()->toDoubles();
  double epsilon = attributes().getFloat("epsilon", 1e-5f);
  Affine result;
  for (std::size_t i = 0; i != scale.size(); ++i) {
    result.scale.push_back(scale[i] / std::sqrt(variance[i] + epsilon));
    result.shift.push_back(bias[i] - mean[i] * result.scale[i]);
  }
  return result;
}

std::vector<std::size_t> BatchNormalization::channelShape() const {
  std::vector<std::size_t> shape(inputShape(0).size(), 1);
  shape[1] = inputShape(0)[1];
  return shape;
}

/// With x' the normalised input and sums over a channel of n elements:
/// d bias = sum dy, d scale = sum dy x',
/// dx = scale / deviation (dy - d bias / n - x' d scale / n).
void BatchNormalization::differentiate(Gradients &g) const {
  if (!isTraining())
    failUnsupported(
        "To use the BatchNorm Op in inference mode during training, "
        "it has to be detached first.");
  const std::vector<std::size_t> columnShape = channelShape();
  const Shape column(columnShape.begin(), columnShape.end());
  auto perChannel = [&](Value &x) -> Value & { return g.reshape(x, column); };
  const DataType type = input(0).info.type;
  Value &mean = g.cast(g.y(3), type), &variance = g.cast(g.y(4), type);
  Value &deviation =
      g.sqrt(g.add(variance, attributes().getFloat("epsilon", 1e-5f)));
  Value &inverse = g.op("Reciprocal", {&deviation});
  Value &normal = g.mul(g.sub(g.x(), perChannel(mean)), perChannel(inverse));
  Value &dBias = g.sumOfChannels(g.dy());
  Value &dScale = g.sumOfChannels(g.mul(g.dy(), normal));
  g.set(Bias, g.cast(dBias, input(Bias).info.type));
  g.set(Scale, g.cast(dScale, input(Scale).info.type));
  g.end(Mean); // the statistics of the batch count, not the running ones
  g.end(Variance);
  if (!g.wants(0))
    return;
  const double count = static_cast<double>(input(0).info.numElements()) /
                       static_cast<double>(inputShape(0)[1]);
  Value &share = g.add(perChannel(g.mul(dBias, 1 / count)),
                       g.mul(normal, perChannel(g.mul(dScale, 1 / count))));
  Value &factor = perChannel(g.mul(g.cast(g.x(Scale), type), inverse));
  g.set(0, g.mul(g.sub(g.dy(), share), factor));
}

void BatchNormalization::lower(Lowering &lowering) const {
  if (std::optional<Affine> known = affine())
    lowerAffine(lowering, *known);
  else if (isTraining())
    lowerTraining(lowering);
  else
    normalize(lowering, parameter(lowering, Mean),
              parameter(lowering, Variance));
}

void BatchNormalization::lowerAffine(Lowering &lowering,
                                     const Affine &affine) const {
  auto table = [&](const std::vector<double> &values, const char *name) {
    HostTensor tensor = HostTensor::ofFloats(
        {inputShape(0)[1]}, std::vector<float>(values.begin(), values.end()));
    return lowering
        .addConstant(tensor.convertedTo(output().info.type),
                     {lowering.debug(*this), name})
        .reshape(channelShape());
  };
  poplar::Tensor result = popops::mul(
      lowering.graph(), lowering.input(*this, 0), table(affine.scale, "scale"),
      lowering.program(), {lowering.debug(*this), "scale"});
  popops::addInPlace(lowering.graph(), result, table(affine.shift, "shift"),
                     lowering.program(), {lowering.debug(*this), "shift"});
  lowering.setOutput(*this, result);
}

poplar::Tensor BatchNormalization::parameter(Lowering &lowering,
                                             std::size_t index) const {
  return lowering.input(*this, index).reshape(channelShape());
}

/// Normalises by the mean and variance of each channel, reshaped to broadcast
/// to the input.
void BatchNormalization::normalize(Lowering &lowering,
                                   const poplar::Tensor &mean,
                                   const poplar::Tensor &variance) const {
  poplar::Graph &graph = lowering.graph();
  poplar::program::Sequence &program = lowering.program();
  poplar::DebugContext debug = lowering.debug(*this);
  const poplar::Tensor x = lowering.input(*this, 0);
  const std::vector<poplar::Tensor> parameters = {
      parameter(lowering, Scale), parameter(lowering, Bias), mean, variance};
  if (std::ranges::any_of(parameters, [&](const poplar::Tensor &tensor) {
        return tensor.elementType() != x.elementType();
      }))
    return lowering.setOutput(*this, normalizeMixed(lowering, x, parameters));
  poplar::Tensor deviation = popops::add(
      graph, variance, attributes().getFloat("epsilon", 1e-5f), program, debug);
  popops::sqrtInPlace(graph, deviation, program, debug);
  poplar::Tensor scale =
      popops::div(graph, parameter(lowering, Scale), deviation, program, debug);
  poplar::Tensor result = popops::sub(graph, x, mean, program, debug);
  popops::mulInPlace(graph, result, scale, program, debug);
  popops::addInPlace(graph, result, parameter(lowering, Bias), program, debug);
  lowering.setOutput(*this, result);
}

/// The same where parameters or statistics are of other types than the input:
/// in float32. `parameters` are scale, bias, mean and variance.
poplar::Tensor BatchNormalization::normalizeMixed(
    Lowering &lowering, const poplar::Tensor &x,
    const std::vector<poplar::Tensor> &parameters) const {
  const auto wide = [](const expr::Expr &value) {
    return expr::Cast(value, poplar::FLOAT);
  };
  const expr::Const epsilon(attributes().getFloat("epsilon", 1e-5f),
                            poplar::FLOAT);
  const poplar::Tensor factor = popops::map(
      lowering.graph(), wide(expr::_1) / expr::Sqrt(wide(expr::_2) + epsilon),
      {parameters[0], parameters[3]}, lowering.program(),
      lowering.debug(*this));
  return popops::map(
      lowering.graph(),
      expr::Cast((wide(expr::_1) - wide(expr::_2)) * expr::_3 + wide(expr::_4),
                 x.elementType()),
      {x, parameters[2], factor, parameters[1]}, lowering.program(),
      lowering.debug(*this));
}

/// Normalises by the statistics of the batch, and updates the running ones.
void BatchNormalization::lowerTraining(Lowering &lowering) const {
  poplar::Graph &graph = lowering.graph();
  poplar::program::Sequence &program = lowering.program();
  poplar::DebugContext debug = lowering.debug(*this);
  const poplar::Tensor x = lowering.input(*this, 0);
  std::vector<std::size_t> dims = {0};
  for (std::size_t i = 2; i < x.rank(); ++i)
    dims.push_back(i);
  const double meanFactor = 1 / reducedCount(x, dims);
  auto meanOf = [&](const poplar::Tensor &values) {
    return reduceKeepingDims(lowering, *this, values, dims,
                             popops::Operation::ADD, meanFactor);
  };
  const poplar::Tensor mean = meanOf(x);
  const poplar::Tensor variance = meanOf(popops::map(
      graph, expr::Square(expr::_1 - expr::_2), {x, mean}, program, debug));
  normalize(lowering, mean, variance);
  for (auto [index, statistic] : {std::pair{3, mean}, {4, variance}})
    if (hasOutput(index))
      lowering.setOutput(*this,
                         popops::cast(graph, statistic.flatten(),
                                      deviceType(output(index).info.type),
                                      program, debug),
                         index);
  moveStatistics(lowering, mean, variance, 1 / meanFactor);
}

/// Updates the running statistics in float32: 0.99 and 0.01 as float16 add up
/// to more than 1, so that the statistics would converge to values 2 % too
/// large.
void BatchNormalization::moveStatistics(Lowering &lowering,
                                        const poplar::Tensor &mean,
                                        const poplar::Tensor &variance,
                                        double count) const {
  const double momentum = attributes().getFloat("momentum", 0.9f);
  auto part = [](const expr::Expr &x, double factor) {
    return expr::Cast(x, poplar::FLOAT) * expr::Const(factor, poplar::FLOAT);
  };
  for (auto [index, current, weight] :
       {std::tuple{1, mean, 1.0}, {2, variance, varianceCorrection(count)}}) {
    if (!hasOutput(index))
      continue;
    const poplar::Tensor old = lowering.input(*this, Mean + index - 1);
    const expr::Any moved =
        part(expr::_1, momentum) + part(expr::_2, (1 - momentum) * weight);
    lowering.setOutput(*this,
                       popops::map(lowering.graph(),
                                   expr::Cast(moved, old.elementType()),
                                   {old, current.flatten()}, lowering.program(),
                                   lowering.debug(*this)),
                       index);
  }
}

/// The factor from the batch's variance (over n) to the variance that the
/// running one averages. Graphcore's domain uses the estimate over n - 1, like
/// PyTorch; a single element has none.
double BatchNormalization::varianceCorrection(double count) const {
  const bool isEstimate =
      attributes().getInt("unbiased_variance",
                          id().domain == "ai.graphcore" ? 1 : 0) != 0;
  return isEstimate && count > 1 ? count / (count - 1) : 1;
}

} // namespace populus::popir
