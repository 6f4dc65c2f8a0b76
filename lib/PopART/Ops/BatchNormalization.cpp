// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// BatchNormalization: (x - mean) / sqrt(variance + epsilon) * scale + bias for
// each channel. With constant parameters, as in every exported model, that is
// one product and one sum.

#include "lib/PopART/Ops/BatchNormalization.h"

#include "lib/PopART/Lowering/Lowering.h"
#include "lib/PopART/Ops/Registry.h"
#include "lib/PopART/Ops/Shapes.h"

#include <fmt/format.h>
#include <popops/ElementWise.hpp>

#include <cmath>

namespace popart {

namespace {

// The inputs after X.
enum Parameter : std::size_t { Scale = 1, Bias = 2, Mean = 3, Variance = 4 };

const RegisterOp<BatchNormalization> registration("BatchNormalization",
                                                  {6, 7, 9, 14, 15});

} // namespace

BatchNormalization::BatchNormalization(OpSpec newSpec)
    : Op(std::move(newSpec)) {
  if (attributes().getInt("training_mode", 0) != 0 || spec().numOutputs > 1)
    failUnsupported("training mode is not supported; export the model for "
                    "inference");
  if (attributes().getInt("spatial", 1) != 1)
    failUnsupported("spatial 0 is not supported");
}

std::vector<TensorInfo> BatchNormalization::infer() const {
  checkFloat(*this);
  if (inputShape(0).size() < 2)
    failInput(
        fmt::format("its input {} has no channels", toString(inputShape(0))));
  for (std::size_t i : {Scale, Bias, Mean, Variance})
    if (inputShape(i) != Shape{inputShape(0)[1]})
      failInput(fmt::format("input {} has the shape {} for {} channels", i,
                            toString(inputShape(i)), inputShape(0)[1]));
  return {input(0).info};
}

std::optional<BatchNormalization::Affine> BatchNormalization::affine() const {
  for (std::size_t i : {Scale, Bias, Mean, Variance})
    if (!input(i).isConstant())
      return std::nullopt;
  std::vector<double> scale = input(Scale).value->toDoubles();
  std::vector<double> bias = input(Bias).value->toDoubles();
  std::vector<double> mean = input(Mean).value->toDoubles();
  std::vector<double> variance = input(Variance).value->toDoubles();
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

void BatchNormalization::lower(Lowering &lowering) const {
  if (std::optional<Affine> known = affine())
    lowerAffine(lowering, *known);
  else
    lowerGeneral(lowering);
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

void BatchNormalization::lowerGeneral(Lowering &lowering) const {
  poplar::Graph &graph = lowering.graph();
  poplar::program::Sequence &program = lowering.program();
  poplar::DebugContext debug = lowering.debug(*this);
  auto parameter = [&](std::size_t index) {
    return lowering.input(*this, index).reshape(channelShape());
  };
  poplar::Tensor deviation =
      popops::add(graph, parameter(Variance),
                  attributes().getFloat("epsilon", 1e-5f), program, debug);
  popops::sqrtInPlace(graph, deviation, program, debug);
  poplar::Tensor scale =
      popops::div(graph, parameter(Scale), deviation, program, debug);
  poplar::Tensor result = popops::sub(graph, lowering.input(*this, 0),
                                      parameter(Mean), program, debug);
  popops::mulInPlace(graph, result, scale, program, debug);
  popops::addInPlace(graph, result, parameter(Bias), program, debug);
  lowering.setOutput(*this, result);
}

} // namespace popart
