// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conv: convolution of a field of any number of dimensions, in groups, with an
// optional bias per channel.

#include "lib/PopART/IR/OpTable.h"
#include "lib/PopART/Lowering/Lowering.h"
#include "lib/PopART/Ops/Shapes.h"
#include "lib/PopART/Ops/Window.h"

#include <fmt/format.h>
#include <poplin/Convolution.hpp>

namespace populus::popir {

namespace {

class Conv final : public DeviceOp {
public:
  using DeviceOp::DeviceOp;

  std::vector<TensorInfo> infer() const override {
    checkFloat(*this);
    const Shape &x = inputShape(0), &w = inputShape(1);
    Window window = makeWindow();
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

private:
  std::int64_t groups() const { return attributes().getInt("group", 1); }

  Window makeWindow() const {
    const Shape &weights = inputShape(1);
    Shape field = fieldOf(*this, inputShape(0));
    if (weights.size() != field.size() + 2)
      failInput(fmt::format("its weights {} have another rank than its input "
                            "{}",
                            toString(weights), toString(inputShape(0))));
    Shape kernel(weights.begin() + 2, weights.end());
    if (attributes().has("kernel_shape") &&
        attributes().getInts("kernel_shape") != kernel)
      failInput(fmt::format("kernel_shape does not agree with its weights {}",
                            toString(weights)));
    return popir::makeWindow(*this, field, kernel);
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

  poplin::ConvParams params() const {
    const Shape &x = inputShape(0), &w = inputShape(1);
    Window window = makeWindow();
    auto unsignedList = [](const std::vector<std::int64_t> &list) {
      return std::vector<unsigned>(list.begin(), list.end());
    };
    std::size_t rank = window.rank();
    poplin::ConvParams::InputTransform inputTransform(rank);
    inputTransform.paddingLower = unsignedList(window.padLower);
    inputTransform.paddingUpper = unsignedList(window.padUpper);
    poplin::ConvParams::InputTransform kernelTransform(rank);
    kernelTransform.dilation = unsignedList(window.dilations);
    poplin::ConvParams::OutputTransform outputTransform(rank);
    outputTransform.stride = unsignedList(window.strides);
    poplar::Type type = deviceType(input(0).info.type);
    return poplin::ConvParams(type, type, x[0], toPoplar(fieldOf(*this, x)),
                              toPoplar(window.kernel), w[1], w[0] / groups(),
                              groups(), inputTransform, kernelTransform,
                              outputTransform);
  }

  /// Halves that never change are constants, which need not be made float in
  /// each step.
  poplar::Tensor biases(Lowering &lowering) const {
    const Value &bias = input(2);
    if (bias.isConstant() && bias.info.type == DataType::Float16 &&
        options(lowering).at("pass") != "NONE")
      return lowering.addConstant(*bias.constant(), lowering.debug(*this));
    return lowering.input(*this, 2);
  }

  poplar::OptionFlags options(const Lowering &lowering) const {
    return lowering.productOptions(*this, {{"pass", "INFERENCE_FWD"}});
  }
};

const RegisterOp<Conv> registration("Conv", {1, 11, 22});

} // namespace

} // namespace populus::popir
