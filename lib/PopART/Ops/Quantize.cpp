// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// QuantizeLinear and DequantizeLinear: between real numbers and integers of 8
// bits, with a scale and a zero point for the whole tensor or for each slice
// along an axis. The integers are kept in 32 bits on the device.

#include "lib/PopART/IR/OpTable.h"
#include "lib/PopART/Lowering/Lowering.h"
#include "lib/PopART/Ops/Elementwise.h"
#include "lib/PopART/Ops/Shapes.h"

#include <fmt/format.h>
#include <popops/ElementWise.hpp>

namespace populus::popir {

namespace {

class QuantizationOp : public DeviceOp {
public:
  using DeviceOp::DeviceOp;

protected:
  enum Input : std::size_t { Data, Scale, ZeroPoint };

  void checkParameters() const {
    const TensorInfo &scale = input(Scale).info;
    if (!isFloatingPoint(scale.type))
      failInput("its scale is not floating point");
    if (hasInput(ZeroPoint) && inputShape(ZeroPoint) != scale.shape)
      failInput(fmt::format("its scale {} and its zero point {} differ in "
                            "shape",
                            toString(scale.shape),
                            toString(inputShape(ZeroPoint))));
    if (scale.numElements() == 1)
      return;
    const std::int64_t axis = axisOfScales();
    if (scale.shape != Shape{inputShape(Data)[axis]})
      failInput(fmt::format("its scales {} are not for dimension {} of {}",
                            toString(scale.shape), axis,
                            toString(inputShape(Data))));
  }

  /// A parameter, lined up with the data.
  poplar::Tensor parameter(Lowering &lowering, Input index) const {
    std::vector<std::size_t> shape(inputShape(Data).size(), 1);
    if (input(index).info.numElements() != 1)
      shape[axisOfScales()] = input(index).info.numElements();
    return lowering.input(*this, index).reshape(shape);
  }

private:
  std::int64_t axisOfScales() const {
    return normalAxis(*this, attributes().getInt("axis", 1),
                      input(Data).info.rank());
  }
};

class QuantizeLinear final : public QuantizationOp {
public:
  using QuantizationOp::QuantizationOp;

  std::vector<TensorInfo> infer() const override {
    checkFloat(*this);
    checkParameters();
    const DataType type =
        hasInput(ZeroPoint) ? input(ZeroPoint).info.type : DataType::UInt8;
    if (type != DataType::UInt8 && type != DataType::Int8)
      failUnsupported(fmt::format("it quantizes to {}, which is not supported",
                                  popir::name(type)));
    return {{type, inputShape(Data)}};
  }

  void lower(Lowering &lowering) const override {
    std::vector<poplar::Tensor> operands = {lowering.input(*this, Data),
                                            parameter(lowering, Scale)};
    expr::Any value = expr::NearbyInt(expr::Cast(expr::_1, poplar::FLOAT) /
                                      expr::Cast(expr::_2, poplar::FLOAT));
    if (hasInput(ZeroPoint)) {
      operands.push_back(parameter(lowering, ZeroPoint));
      value = value + expr::Cast(expr::_3, poplar::FLOAT);
    }
    const bool isSigned = output().info.type == DataType::Int8;
    const expr::Const least(isSigned ? -128.0F : 0.0F);
    const expr::Const most(isSigned ? 127.0F : 255.0F);
    lowering.setOutput(
        *this,
        popops::map(
            lowering.graph(),
            expr::Cast(expr::Max(expr::Min(value, most), least), poplar::INT),
            operands, lowering.program(), lowering.debug(*this)));
  }
};

class DequantizeLinear final : public QuantizationOp {
public:
  using QuantizationOp::QuantizationOp;

  std::vector<TensorInfo> infer() const override {
    if (isFloatingPoint(input(Data).info.type))
      failInput("its input is not of integers");
    checkParameters();
    return {{input(Scale).info.type, inputShape(Data)}};
  }

  void lower(Lowering &lowering) const override {
    std::vector<poplar::Tensor> operands = {lowering.input(*this, Data),
                                            parameter(lowering, Scale)};
    expr::Any value = expr::_1;
    if (hasInput(ZeroPoint)) {
      operands.push_back(parameter(lowering, ZeroPoint));
      value = value - expr::_3;
    }
    lowering.setOutput(
        *this,
        popops::map(lowering.graph(),
                    expr::Cast(value, operands[1].elementType()) * expr::_2,
                    operands, lowering.program(), lowering.debug(*this)));
  }
};

const RegisterOp<QuantizeLinear> quantize("QuantizeLinear", {10, 13});
const RegisterOp<DequantizeLinear> dequantize("DequantizeLinear", {10, 13});

} // namespace

} // namespace populus::popir
