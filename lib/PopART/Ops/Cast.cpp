// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cast: conversion of the elements to another type; numbers become integers by
// truncation.

#include "lib/PopART/Ops/Elementwise.h"

#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>

namespace populus::popir {

namespace {

class Cast final : public DeviceOp {
public:
  explicit Cast(OpSpec spec) : DeviceOp(std::move(spec)) {
    if (!fromOnnx(static_cast<int>(attributes().getInt("to", 0))))
      failUnsupported("it converts to a type that is not supported");
  }

  std::vector<TensorInfo> infer() const override {
    return {{*fromOnnx(static_cast<int>(attributes().getInt("to", 0))),
             inputShape(0)}};
  }

  std::optional<std::vector<HostTensor>> evaluate() const override {
    return std::vector{input(0).constant()->convertedTo(infer()[0].type)};
  }

  void lower(Lowering &lowering) const override {
    poplar::Tensor x = lowering.input(*this, 0);
    poplar::Type type = deviceType(output().info.type);
    if (x.elementType() != type)
      x = popops::cast(lowering.graph(), x, type, lowering.program(),
                       lowering.debug(*this));
    lowering.setOutput(*this, withinRange(lowering, x));
  }

  bool needsFloat32(std::size_t) const override {
    const DataType to = infer()[0].type;
    return to != DataType::Bool && !isFloatingPoint(to);
  }

  bool isIdentity() const override {
    return hasOutput(0) && output().info.type == input(0).info.type;
  }

private:
  /// Integers of less than 32 bits are wider on the device: bring those that
  /// come from wider types into their range.
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

const RegisterOp<Cast> registration("Cast", {6, 9, 13});

} // namespace

} // namespace populus::popir
