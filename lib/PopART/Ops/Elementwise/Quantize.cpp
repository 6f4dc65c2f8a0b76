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

class QuantizationOp : public DeviceOp {
public:
  using DeviceOp::DeviceOp;

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

  void lower(Lowering &lowering) const override {
    std::vector<poplar::Tensor> operands = {lowering.input(*this, Data),
                                            parameter(lowering, Scale)};
    expr::Any value = expr::Cast(expr::_1, poplar::FLOAT) /
                      expr::Cast(expr::_2, poplar::FLOAT);
    // The quotient has the type of the scale.
    if (deviceType(typeAttribute("precision", input(Scale).info.type)) ==
        poplar::HALF)
      value = expr::Cast(expr::Cast(value, poplar::HALF), poplar::FLOAT);
    if (isSmallFloat(output().info.type))
      return lowerToSmallFloat(lowering, value, std::move(operands));
    value = expr::NearbyInt(value);
    if (hasInput(ZeroPoint)) {
      operands.push_back(parameter(lowering, ZeroPoint));
      value = value + expr::Cast(expr::_3, poplar::FLOAT);
    }
    const IntegerRange &range = *std::ranges::find(
        IntegerRanges, output().info.type, &IntegerRange::type);
    // In this order NaN, an infinity through an infinite scale, becomes the
    // least number, as with ONNX Runtime: quantized masks of attention have
    // that.
    const expr::Const least(range.least), most(range.most);
    lowering.setOutput(
        *this,
        popops::map(
            lowering.graph(),
            expr::Cast(expr::Min(expr::Max(value, least), most), poplar::INT),
            operands, lowering.program(), lowering.debug(*this)));
  }

private:
  void lowerToSmallFloat(Lowering &lowering, expr::Any value,
                         std::vector<poplar::Tensor> operands) const {
    if (hasInput(ZeroPoint)) {
      operands.push_back(parameter(lowering, ZeroPoint));
      value = value + expr::_3;
    }
    const poplar::Tensor quotient =
        popops::map(lowering.graph(), value, operands, lowering.program(),
                    lowering.debug(*this));
    lowering.setOutput(*this,
                       roundedTo(lowering, *this, quotient, output().info.type,
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

  void lower(Lowering &lowering) const override {
    std::vector<poplar::Tensor> operands = {lowering.input(*this, Data),
                                            parameter(lowering, Scale)};
    expr::Any value = expr::_1;
    if (hasInput(ZeroPoint)) {
      operands.push_back(parameter(lowering, ZeroPoint));
      value = value - expr::_3;
    }
    // Integers of 16 bits are beyond the range of halves before the product.
    lowering.setOutput(
        *this,
        popops::map(lowering.graph(),
                    expr::Cast(expr::Cast(value, poplar::FLOAT) *
                                   expr::Cast(expr::_2, poplar::FLOAT),
                               deviceType(output().info.type)),
                    operands, lowering.program(), lowering.debug(*this)));
  }
};

const RegisterOp<QuantizeLinear> quantize("QuantizeLinear",
                                          {10, 13, 19, 21, 23, 24, 25, 28});
const RegisterOp<DequantizeLinear> dequantize("DequantizeLinear",
                                              {10, 13, 19, 21, 23, 24, 25, 28});

} // namespace

} // namespace populus::popir
