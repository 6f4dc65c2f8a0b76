// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cast: conversion of the elements to another type; numbers become integers by
// truncation.

#include "lib/PopART/Ops/Elementwise/Elementwise.h"
#include "lib/PopART/Ops/Elementwise/SmallFloats.h"

#include <fmt/format.h>
#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>

#include <algorithm>

namespace populus::popir {

namespace {

class Cast final : public ExpressionOp {
public:
  explicit Cast(OpSpec spec) : ExpressionOp(std::move(spec)) {
    if (!fromOnnx(static_cast<int>(attributes().getInt("to", 0))))
      failUnsupported("it converts to a type that is not supported");
    if (attributes().getString("round_mode", "up") != "up")
      failUnsupported("its round_mode is not supported; only \"up\" is");
  }

  std::vector<TensorInfo> infer() const override {
    return {{*fromOnnx(static_cast<int>(attributes().getInt("to", 0))),
             inputShape(0)}};
  }

  std::optional<std::vector<HostTensor>> evaluate() const override {
    const DataType type = infer()[0].type;
    // The device takes the low bits of an integer of 32 bits.
    const bool isSmall =
        !isFloatingPoint(type) && type != DataType::Bool && sizeOf(type) < 4;
    if (isSmall && isFloatingPoint(input(0).info.type))
      return std::vector{input(0)
                             .constant()
                             ->convertedTo(deviceDataType(type))
                             .convertedTo(type)};
    if (saturates() || !isFloatingPoint(type) || sizeOf(type) != 1)
      return std::vector{input(0).constant()->convertedTo(type)};
    return std::vector{withoutSaturation(type)};
  }

  /// Small floats, which need clamping or rounding, are not elementwise here,
  /// and neither is a Cast of a weight, which chooses the weight's tile
  /// mapping.
  bool isElementwise() const override {
    const DataType from = input(0).info.type, to = infer()[0].type;
    return !input(0).variable() && ((isDeviceReal(from) && isDeviceReal(to)) ||
                                    (isDeviceInt(from) && isDeviceFloat(to)) ||
                                    (isDeviceFloat(from) && isDeviceInt(to)));
  }

  expr::Any expressionOf(std::vector<expr::Any> operands) const override {
    const DataType to = infer()[0].type;
    const expr::Cast result(operands[0], deviceType(to));
    return isDeviceInt(to) ? narrowed(result, to) : expr::Any(result);
  }

  /// A weight with a storage type of its own gets the mapping that the Cast's
  /// user wants. Otherwise each step would rearrange weight and gradient.
  poplar::Tensor createInput(Lowering &lowering, std::size_t) const override {
    if (!input(0).variable())
      return poplar::Tensor();
    const poplar::Tensor like = lowering.layoutForReaders(output());
    return like.valid()
               ? lowering.graph().clone(deviceType(input(0).info.type), like,
                                        {lowering.debug(*this), "weights"})
               : like;
  }

  void lower(Lowering &lowering) const override {
    const DataType to = output().info.type;
    if (isSmallFloat(to) && to != input(0).info.type)
      return lowering.setOutput(*this, roundedTo(lowering, *this,
                                                 lowering.input(*this, 0), to,
                                                 saturates()));
    if (to == DataType::Float8E8M0 && to != input(0).info.type)
      failUnsupported(fmt::format("it converts to {} when the model runs; only "
                                  "constants can be of that type",
                                  popir::name(to)));
    poplar::Tensor x = lowering.input(*this, 0);
    poplar::Type type = deviceType(output().info.type);
    if (x.elementType() != type)
      x = popops::cast(lowering.graph(), x, type, lowering.program(),
                       lowering.debug(*this));
    lowering.setOutput(*this, withinRange(lowering, x));
  }

  /// An integer operand has no gradient.
  void differentiate(Gradients &g) const override {
    if (isFloatingPoint(input(0).info.type))
      g.set(0, g.cast(g.dy(), input(0).info.type));
  }

  bool needsFloat32(std::size_t) const override {
    const DataType to = infer()[0].type;
    return to != DataType::Bool && !isFloatingPoint(to);
  }

  bool isIdentity() const override {
    return hasOutput(0) && output().info.type == input(0).info.type;
  }

private:
  static bool isDeviceFloat(DataType type) {
    return type == DataType::Float || type == DataType::Double;
  }
  static bool isDeviceReal(DataType type) {
    return isDeviceFloat(type) || type == DataType::Float16;
  }
  /// True for integers that the device holds in 32 bits with a sign.
  static bool isDeviceInt(DataType type) {
    return !isFloatingPoint(type) && deviceType(type) == poplar::INT;
  }

  bool saturates() const { return attributes().getInt("saturate", 1) != 0; }

  /// Values out of range of a small float become infinity or NaN.
  HostTensor withoutSaturation(DataType type) const {
    const std::vector<double> values = input(0).constant()->toDoubles();
    HostTensor result({type, inputShape(0)});
    withElementType(type, [&](auto sample) {
      using T = decltype(sample);
      if constexpr (std::is_constructible_v<T, float, bool>)
        std::ranges::transform(
            values, result.as<T>().begin(),
            [](double value) { return T(static_cast<float>(value), false); });
    });
    if (type == DataType::Float8E8M0 || type == DataType::Float4E2M1)
      failUnsupported(fmt::format("it converts to {} without saturation, which "
                                  "is not supported",
                                  popir::name(type)));
    return result;
  }

  /// The device holds small integers in wider types; wrap those that come from
  /// wider types.
  poplar::Tensor withinRange(Lowering &lowering,
                             const poplar::Tensor &x) const {
    DataType from = input(0).info.type, to = output().info.type;
    bool fits = from == DataType::Bool || sizeOf(to) >= 4 ||
                to == DataType::Bool || isFloatingPoint(to) || from == to;
    if (fits)
      return x;
    return popops::map(lowering.graph(), narrowed(popops::expr::_1, to), {x},
                       lowering.program(), lowering.debug(*this));
  }
};

const RegisterOp<Cast> registration("Cast", {6, 9, 13, 19, 21, 23, 24, 25, 28});

} // namespace

} // namespace populus::popir
