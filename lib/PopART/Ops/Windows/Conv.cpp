// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conv: convolution of a field of any number of dimensions, in groups, with an
// optional bias per channel.

#include "lib/PopART/IR/Gradients.h"
#include "lib/PopART/IR/OpTable.h"
#include "lib/PopART/Lowering/Lowering.h"
#include "lib/PopART/Ops/Shape/Shapes.h"
#include "lib/PopART/Ops/Windows/Window.h"

#include <fmt/format.h>
#include <poplin/Convolution.hpp>

namespace populus::popir {

namespace {

/// A convolution, by its attributes and the shapes of its input and weights.
class Convolution {
public:
  Convolution(const Op &op, const Shape &x, const Shape &w)
      : op(op), x(x), w(w) {}

  std::int64_t groups() const { return op.attributes().getInt("group", 1); }

  Window window() const {
    const Shape field = fieldOf(op, x);
    if (w.size() != field.size() + 2)
      op.failInput(fmt::format("its weights {} have another rank than its "
                               "input {}",
                               toString(w), toString(x)));
    const Shape kernel(w.begin() + 2, w.end());
    if (op.attributes().has("kernel_shape") &&
        op.attributes().getInts("kernel_shape") != kernel)
      op.failInput(fmt::format("kernel_shape does not agree with its weights "
                               "{}",
                               toString(w)));
    return makeWindow(op, field, kernel);
  }

  poplin::ConvParams params(const poplar::Type &type) const {
    const Window window = this->window();
    auto unsignedList = [](const std::vector<std::int64_t> &list) {
      return std::vector<unsigned>(list.begin(), list.end());
    };
    const std::size_t rank = window.rank();
    poplin::ConvParams::InputTransform inputTransform(rank);
    inputTransform.paddingLower = unsignedList(window.padLower);
    inputTransform.paddingUpper = unsignedList(window.padUpper);
    poplin::ConvParams::InputTransform kernelTransform(rank);
    kernelTransform.dilation = unsignedList(window.dilations);
    poplin::ConvParams::OutputTransform outputTransform(rank);
    outputTransform.stride = unsignedList(window.strides);
    return poplin::ConvParams(type, type, x[0], toPoplar(fieldOf(op, x)),
                              toPoplar(window.kernel), w[1], w[0] / groups(),
                              groups(), inputTransform, kernelTransform,
                              outputTransform);
  }

private:
  const Op &op;
  const Shape &x, &w;
};

class Conv final : public DeviceOp {
public:
  using DeviceOp::DeviceOp;

  std::vector<TensorInfo> infer() const override {
    checkFloat(*this);
    const Shape &x = inputShape(0), &w = inputShape(1);
    Window window = convolution().window();
    checkChannels(x, w);
    Shape result = {x[0], w[0]};
    result.insert(result.end(), window.output.begin(), window.output.end());
    return {{input(0).info.type, result}};
  }

  poplar::Tensor createInput(Lowering &lowering,
                             std::size_t index) const override {
    if (index == 0)
      return poplin::createInput(lowering.graph(), params(),
                                 {lowering.debug(*this), "input"},
                                 options(lowering));
    if (index == 1)
      return poplin::createWeights(lowering.graph(), params(),
                                   {lowering.debug(*this), "weights"},
                                   options(lowering))
          .reshape(toPoplar(inputShape(1)));
    return poplar::Tensor();
  }

  bool ownsResult() const override { return true; }

  double codeValue() const override { return 1; }
  void lower(Lowering &lowering) const override {
    poplin::ConvParams conv = params();
    std::vector<std::size_t> weightShape = {conv.numConvGroups,
                                            conv.outputChannelsPerConvGroup,
                                            conv.inputChannelsPerConvGroup};
    weightShape.insert(weightShape.end(), conv.kernelShape.begin(),
                       conv.kernelShape.end());
    const poplar::Tensor x = lowering.input(*this, 0);
    const poplar::Tensor weights =
        lowering.input(*this, 1).reshape(weightShape);
    lowering.setOutput(
        *this,
        hasInput(2)
            ? poplin::convolutionWithBias(
                  lowering.graph(), x, weights, biases(lowering), conv,
                  lowering.program(), lowering.debug(*this), options(lowering))
            : poplin::convolution(lowering.graph(), x, weights, conv, false,
                                  lowering.program(), lowering.debug(*this),
                                  options(lowering)));
  }

  void differentiate(Gradients &g) const override {
    if (g.wants(0))
      g.set(0, inputGradient(g));
    if (g.wants(1))
      g.set(1, g.opLike("ConvWeightGrad", {&g.x(0), &g.dy()},
                        convolutionAttributes(), "ai.graphcore"));
    if (g.wants(2))
      g.set(2, g.sumOfChannels(g.dy()));
  }

private:
  Convolution convolution() const {
    return {*this, inputShape(0), inputShape(1)};
  }
  std::int64_t groups() const { return convolution().groups(); }
  poplin::ConvParams params() const {
    return convolution().params(deviceType(input(0).info.type));
  }

  /// The adjoint convolution of dy, cropped or padded to the input's extents.
  Value &inputGradient(Gradients &g) const {
    const Window window = convolution().window();
    const Shape field = fieldOf(*this, inputShape(0));
    std::vector<std::int64_t> pads = window.padLower, missing;
    for (std::size_t i = 0; i != field.size(); ++i) {
      const std::int64_t full =
          (window.output[i] - 1) * window.strides[i] + window.span(i);
      const std::int64_t upper = full - window.padLower[i] - field[i];
      pads.push_back(std::max<std::int64_t>(upper, 0));
      missing.push_back(std::max<std::int64_t>(-upper, 0));
    }
    return g.op("ConvTranspose", {&g.dy(), &g.x(1)},
                {{"strides", window.strides},
                 {"dilations", window.dilations},
                 {"pads", pads},
                 {"output_padding", missing},
                 {"group", groups()}});
  }

  /// The attributes of this operator, and the shape of the weights.
  Attributes convolutionAttributes() const {
    Attributes all = attributes();
    all.set("weights_shape", inputShape(1));
    return all;
  }

  void checkChannels(const Shape &x, const Shape &w) const {
    std::int64_t group = groups();
    if (group < 1 || w[0] % group != 0 || x[1] % group != 0 ||
        x[1] / group != w[1])
      failInput(fmt::format("input {}, weights {} and {} groups do not go "
                            "together",
                            toString(x), toString(w), group));
    if (hasInput(2) && inputShape(2) != Shape{w[0]})
      failInput(fmt::format("its bias has the shape {} for {} channels",
                            toString(inputShape(2)), w[0]));
  }

  /// Constant float16 biases are converted to float constants at compile time,
  /// not in each step.
  poplar::Tensor biases(Lowering &lowering) const {
    const Value &bias = input(2);
    if (bias.isConstant() && bias.info.type == DataType::Float16)
      return lowering.addConstant(*bias.constant(), lowering.debug(*this));
    return lowering.input(*this, 2);
  }

  poplar::OptionFlags options(const Lowering &lowering) const {
    return lowering.productOptions(*this, {{"pass", "INFERENCE_FWD"}});
  }
};

const RegisterOp<Conv> registration("Conv", {1, 11, 22});

/// ConvWeightGrad(x, dy): the gradient of a convolution's weights, with its
/// attributes and the shape of the weights.
class ConvWeightGradient final : public DeviceOp {
public:
  using DeviceOp::DeviceOp;

  std::vector<TensorInfo> infer() const override {
    return {{input(0).info.type, weightShape()}};
  }
  bool ownsResult() const override { return true; }
  double codeValue() const override { return 1; }

  void lower(Lowering &lowering) const override {
    const Shape weights = weightShape();
    const Convolution convolution(*this, inputShape(0), weights);
    const poplar::Tensor gradient = poplin::calculateWeightDeltas(
        lowering.graph(), lowering.input(*this, 1), lowering.input(*this, 0),
        convolution.params(deviceType(input(0).info.type)), lowering.program(),
        lowering.debug(*this),
        lowering.productOptions(*this, {{"pass", "TRAINING_WU"}}));
    lowering.setOutput(*this, gradient.reshape(toPoplar(weights)));
  }

private:
  Shape weightShape() const { return attributes().getInts("weights_shape"); }
};

const RegisterInternalOp<ConvWeightGradient> weightGradient("ConvWeightGrad");

} // namespace

} // namespace populus::popir
