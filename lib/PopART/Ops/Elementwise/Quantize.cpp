// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// QuantizeLinear and DequantizeLinear: between real numbers and integers of up
// to 16 bits, with a scale and a zero point for the whole tensor, for each
// slice along an axis, or for each block of some elements along an axis. The
// integers are kept in 32 bits on the device. Small floats can be dequantized,
// too.

#include "lib/PopART/IR/OpTable.h"
#include "lib/PopART/Lowering/Lowering.h"
#include "lib/PopART/Ops/Elementwise/Elementwise.h"
#include "lib/PopART/Ops/Elementwise/SmallFloats.h"
#include "lib/PopART/Ops/Shape/Shapes.h"

#include <fmt/format.h>
#include <popops/ElementWise.hpp>

#include <algorithm>

namespace populus::popir {

namespace {

/// With one scale for the whole tensor they are elementwise.
class QuantizationOp : public ExpressionOp {
public:
  using ExpressionOp::ExpressionOp;

  bool isElementwise() const override { return isWhole(); }

  Shape operandShape(std::size_t index) const override {
    return index == Data || !isWhole() ? inputShape(index) : Shape();
  }

protected:
  enum Input : std::size_t { Data, Scale, ZeroPoint };

  void checkParameters() const {
    const TensorInfo &scale = input(Scale).info;
    if (!isFloatingPoint(scale.type))
      failInput("its scale is not floating point");
    if (hasInput(ZeroPoint) && inputShape(ZeroPoint) != scale.shape &&
        (scale.numElements() != 1 || input(ZeroPoint).info.numElements() != 1))
      failInput(fmt::format("its scale {} and its zero point {} differ in "
                            "shape",
                            toString(scale.shape),
                            toString(inputShape(ZeroPoint))));
    if (isWhole())
      return;
    const std::int64_t axis = axisOfScales();
    if (blockSize() == 0 && scale.shape != Shape{inputShape(Data)[axis]})
      failInput(fmt::format("its scales {} are not for dimension {} of {}",
                            toString(scale.shape), axis,
                            toString(inputShape(Data))));
    Shape blocks = inputShape(Data);
    if (blockSize() != 0)
      blocks[axis] = (blocks[axis] + blockSize() - 1) / blockSize();
    if (blockSize() != 0 && scale.shape != blocks)
      failInput(fmt::format("its scales {} are not for blocks of {} along "
                            "dimension {} of {}",
                            toString(scale.shape), blockSize(), axis,
                            toString(inputShape(Data))));
  }

  std::vector<expr::Any> placeholders() const {
    return {expr::_1, expr::_2, expr::_3};
  }

  std::vector<poplar::Tensor> operandsOf(Lowering &lowering) const {
    std::vector<poplar::Tensor> operands = {lowering.input(*this, Data),
                                            parameter(lowering, Scale)};
    if (hasInput(ZeroPoint))
      operands.push_back(parameter(lowering, ZeroPoint));
    return operands;
  }

  void lowerAsExpression(Lowering &lowering) const {
    lowering.setOutput(
        *this, popops::map(lowering.graph(), expressionOf(placeholders()),
                           operandsOf(lowering), lowering.program(),
                           lowering.debug(*this)));
  }

  /// A parameter, lined up with the data.
  poplar::Tensor parameter(Lowering &lowering, Input index) const {
    poplar::Tensor given = lowering.input(*this, index);
    std::vector<std::size_t> shape(inputShape(Data).size(), 1);
    if (isWhole())
      return given.reshape(shape);
    const auto axis = static_cast<unsigned>(axisOfScales());
    if (blockSize() == 0) {
      shape[axis] = given.numElements();
      return given.reshape(shape);
    }
    shape = given.shape();
    shape[axis] *= static_cast<std::size_t>(blockSize());
    return given.expand({axis + 1})
        .broadcast(static_cast<unsigned>(blockSize()), axis + 1)
        .reshape(shape)
        .slice(0, static_cast<std::size_t>(inputShape(Data)[axis]), axis);
  }

  /// The type that an attribute names, or another where it does not.
  DataType typeAttribute(const char *attribute, DataType fallback) const {
    const std::int64_t number = attributes().getInt(attribute, 0);
    if (number == 0)
      return fallback;
    const std::optional<DataType> type = fromOnnx(static_cast<int>(number));
    if (!type)
      failUnsupported(
          fmt::format("its {} {} is not supported", attribute, number));
    return *type;
  }

private:
  /// One scale for the whole tensor.
  bool isWhole() const {
    return input(Scale).info.numElements() == 1 && blockSize() == 0;
  }
  std::int64_t blockSize() const {
    const std::int64_t size = attributes().getInt("block_size", 0);
    if (size < 0 || size > (std::int64_t(1) << 31))
      failInput(fmt::format("its block_size {} is not possible", size));
    return size;
  }
  std::int64_t axisOfScales() const {
    return normalAxis(*this, attributes().getInt("axis", 1),
                      input(Data).info.rank());
  }
};

/// The integers that are quantized to.
struct IntegerRange {
  DataType type;
  float least, most;
};

constexpr IntegerRange IntegerRanges[] = {
    {DataType::UInt8, 0, 255},    {DataType::Int8, -128, 127},
    {DataType::UInt16, 0, 65535}, {DataType::Int16, -32768, 32767},
    {DataType::UInt4, 0, 15},     {DataType::Int4, -8, 7},
    {DataType::UInt2, 0, 3},      {DataType::Int2, -2, 1},
};

class QuantizeLinear final : public QuantizationOp {
public:
  using QuantizationOp::QuantizationOp;

  std::vector<TensorInfo> infer() const override {
    checkFloat(*this);
    checkParameters();
    const DataType type = typeAttribute(
        "output_dtype",
        hasInput(ZeroPoint) ? input(ZeroPoint).info.type : DataType::UInt8);
    if (hasInput(ZeroPoint) && input(ZeroPoint).info.type != type)
      failInput("its output_dtype is not the type of its zero point");
    if (!std::ranges::count(IntegerRanges, type, &IntegerRange::type) &&
        !isSmallFloat(type))
      failUnsupported(fmt::format("it quantizes to {}, which is not supported",
                                  popir::name(type)));
    return {{type, inputShape(Data)}};
  }

  bool isElementwise() const override {
    return QuantizationOp::isElementwise() && !isSmallFloat(infer()[0].type);
  }

  expr::Any expressionOf(std::vector<expr::Any> operands) const override {
    expr::Any value = expr::NearbyInt(quotient(operands));
    if (hasInput(ZeroPoint))
      value = value + expr::Cast(operands[ZeroPoint], poplar::FLOAT);
    const IntegerRange &range =
        *std::ranges::find(IntegerRanges, infer()[0].type, &IntegerRange::type);
    // In this order NaN, an infinity through an infinite scale, becomes the
    // least number, as with ONNX Runtime: quantized masks of attention have
    // that.
    const expr::Const least(range.least), most(range.most);
    return expr::Cast(expr::Min(expr::Max(value, least), most), poplar::INT);
  }

  void lower(Lowering &lowering) const override {
    if (isSmallFloat(output().info.type))
      lowerToSmallFloat(lowering);
    else
      lowerAsExpression(lowering);
  }

private:
  /// The quotient has the type of the scale.
  expr::Any quotient(const std::vector<expr::Any> &operands) const {
    expr::Any value = expr::Cast(operands[Data], poplar::FLOAT) /
                      expr::Cast(operands[Scale], poplar::FLOAT);
    if (deviceType(typeAttribute("precision", input(Scale).info.type)) ==
        poplar::HALF)
      value = expr::Cast(expr::Cast(value, poplar::HALF), poplar::FLOAT);
    return value;
  }

  void lowerToSmallFloat(Lowering &lowering) const {
    expr::Any value = quotient(placeholders());
    if (hasInput(ZeroPoint))
      value = value + expr::_3;
    const poplar::Tensor number =
        popops::map(lowering.graph(), value, operandsOf(lowering),
                    lowering.program(), lowering.debug(*this));
    lowering.setOutput(*this,
                       roundedTo(lowering, *this, number, output().info.type,
                                 attributes().getInt("saturate", 1) != 0));
  }
};

class DequantizeLinear final : public QuantizationOp {
public:
  using QuantizationOp::QuantizationOp;

  std::vector<TensorInfo> infer() const override {
    const DataType type = input(Data).info.type;
    if (isFloatingPoint(type) && sizeOf(type) != 1)
      failInput("its input is not of integers or small floats");
    checkParameters();
    return {{typeAttribute("output_dtype", input(Scale).info.type),
             inputShape(Data)}};
  }

  bool isElementwise() const override {
    return QuantizationOp::isElementwise() &&
           !isFloatingPoint(input(Data).info.type);
  }

  expr::Any expressionOf(std::vector<expr::Any> operands) const override {
    expr::Any value = operands[Data];
    if (hasInput(ZeroPoint))
      value = value - operands[ZeroPoint];
    // Integers of 16 bits are beyond the range of halves before the product.
    return expr::Cast(expr::Cast(value, poplar::FLOAT) *
                          expr::Cast(operands[Scale], poplar::FLOAT),
                      deviceType(infer()[0].type));
  }

  void lower(Lowering &lowering) const override { lowerAsExpression(lowering); }
};

const RegisterOp<QuantizeLinear> quantize("QuantizeLinear",
                                          {10, 13, 19, 21, 23, 24, 25, 28});
const RegisterOp<DequantizeLinear> dequantize("DequantizeLinear",
                                              {10, 13, 19, 21, 23, 24, 25, 28});

} // namespace

} // namespace populus::popir
