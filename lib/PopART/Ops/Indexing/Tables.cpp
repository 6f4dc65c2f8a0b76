// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators that make tables which are known when the model is compiled: Range,
// Size, EyeLike, NonZero; and Trilu, which masks with one.

#include "lib/PopART/Ops/Constants/ConstantOnlyOp.h"
#include "lib/PopART/Ops/Elementwise/Elementwise.h"
#include "lib/PopART/Ops/Shape/Shapes.h"

#include <popops/ElementWise.hpp>

#include <algorithm>
#include <cmath>

namespace populus::popir {

namespace {

/// Range: start, start + delta, … below the limit.
class Range final : public ConstantOnlyOp {
public:
  using ConstantOnlyOp::ConstantOnlyOp;

  std::vector<TensorInfo> infer() const override {
    return {{input(0).info.type, {count()}}};
  }
  std::optional<std::vector<HostTensor>> evaluate() const override {
    double start = scalar(0), delta = scalar(2);
    HostTensor result({DataType::Double, {count()}});
    for (std::int64_t i = 0; i != result.numElements(); ++i)
      result.as<double>()[i] = start + static_cast<double>(i) * delta;
    return std::vector{result.convertedTo(input(0).info.type)};
  }

private:
  double scalar(std::size_t index) const {
    std::vector<double> values = constantInput(index, "bound").toDoubles();
    if (values.size() != 1)
      failInput("its bounds are not scalars");
    return values[0];
  }
  std::int64_t count() const {
    double steps = std::ceil((scalar(1) - scalar(0)) / scalar(2));
    if (!(std::abs(steps) < 1e9))
      failInput("its bounds are not possible");
    return std::max<std::int64_t>(0, static_cast<std::int64_t>(steps));
  }
};

const RegisterOp<Range> range("Range", {11, 27});

/// Size: the number of elements.
class Size final : public ConstantOnlyOp {
public:
  using ConstantOnlyOp::ConstantOnlyOp;

  std::vector<TensorInfo> infer() const override {
    return {{DataType::Int64, {}}};
  }
  std::optional<std::vector<HostTensor>> evaluate() const override {
    return std::vector{
        HostTensor::ofInts({input(0).info.numElements()}).reshaped({})};
  }
  bool needsInputValues() const override { return false; }
};

const RegisterOp<Size> size("Size", {1, 13, 19, 21, 23, 24, 25});

/// EyeLike: ones on a diagonal of a matrix of the input's shape.
class EyeLike final : public ConstantOnlyOp {
public:
  using ConstantOnlyOp::ConstantOnlyOp;

  std::vector<TensorInfo> infer() const override {
    if (input(0).info.rank() != 2)
      failInput("its input is not a matrix");
    DataType type = input(0).info.type;
    if (attributes().has("dtype")) {
      std::optional<DataType> wanted =
          fromOnnx(static_cast<int>(attributes().getInt("dtype", 0)));
      if (!wanted)
        failUnsupported("its dtype is not supported");
      type = *wanted;
    }
    return {{type, inputShape(0)}};
  }
  std::optional<std::vector<HostTensor>> evaluate() const override {
    HostTensor result({DataType::UInt8, inputShape(0)});
    std::int64_t rows = inputShape(0)[0], columns = inputShape(0)[1];
    // Diagonals further away are as empty.
    std::int64_t shift =
        std::clamp(attributes().getInt("k", 0), -rows, columns);
    for (std::int64_t row = 0; row != rows; ++row)
      if (std::int64_t column = row + shift; column >= 0 && column < columns)
        result.as<std::uint8_t>()[row * columns + column] = 1;
    return std::vector{result.convertedTo(infer()[0].type)};
  }
  bool needsInputValues() const override { return false; }
};

const RegisterOp<EyeLike> eyeLike("EyeLike", {9, 22});

/// NonZero of a constant: the indices of the elements that are not zero.
class NonZero final : public ConstantOnlyOp {
public:
  using ConstantOnlyOp::ConstantOnlyOp;

  std::vector<TensorInfo> infer() const override {
    return {
        {DataType::Int64,
         {input(0).info.rank(), static_cast<std::int64_t>(places().size())}}};
  }
  std::optional<std::vector<HostTensor>> evaluate() const override {
    std::vector<std::int64_t> found = places(), indices;
    std::vector<std::int64_t> steps = strides(inputShape(0));
    for (std::size_t dim = 0; dim != steps.size(); ++dim)
      for (std::int64_t place : found)
        indices.push_back(place / steps[dim] % inputShape(0)[dim]);
    return std::vector{HostTensor::ofInts(indices).reshaped(infer()[0].shape)};
  }

private:
  std::vector<std::int64_t> places() const {
    std::vector<double> values = constantInput(0, "input").toDoubles();
    std::vector<std::int64_t> result;
    for (std::size_t i = 0; i != values.size(); ++i)
      if (values[i] != 0)
        result.push_back(i);
    return result;
  }
};

const RegisterOp<NonZero> nonZero("NonZero", {9, 13});

/// Trilu: keeps the upper or the lower triangle of matrices.
class Trilu final : public DeviceOp {
public:
  using DeviceOp::DeviceOp;

  std::vector<TensorInfo> infer() const override {
    if (input(0).info.rank() < 2)
      failInput("its input is not a matrix");
    shift();
    return {input(0).info};
  }
  std::optional<std::vector<HostTensor>> evaluate() const override {
    HostTensor result = *input(0).constant();
    std::vector<std::uint8_t> keep = mask();
    std::size_t bytes = sizeOf(result.type());
    for (std::int64_t i = 0; i != result.numElements(); ++i)
      if (!keep[i % keep.size()])
        std::fill_n(result.bytes().begin() + i * bytes, bytes, std::byte(0));
    return std::vector{std::move(result)};
  }
  void lower(Lowering &lowering) const override {
    std::vector<std::uint8_t> keep = mask();
    HostTensor table(
        {DataType::Bool, {inputShape(0).end()[-2], inputShape(0).end()[-1]}});
    std::copy(keep.begin(), keep.end(), table.as<bool>().begin());
    poplar::Tensor x = lowering.input(*this, 0);
    poplar::Tensor kept =
        lowering.addConstant(table, {lowering.debug(*this), "mask"});
    lowering.setOutput(
        *this,
        popops::map(
            lowering.graph(),
            expr::Select(expr::_1, expr::Const(0, x.elementType()), expr::_2),
            {x, kept}, lowering.program(), lowering.debug(*this)));
  }
  void differentiate(Gradients &g) const override {
    std::vector<Value *> operands = {&g.dy()};
    if (hasInput(1))
      operands.push_back(&g.x(1));
    g.set(0, g.opLike("Trilu", operands, attributes()));
  }

private:
  std::int64_t shift() const {
    if (!hasInput(1))
      return 0;
    std::vector<std::int64_t> k = constantInput(1, "diagonal").toInts();
    if (k.size() != 1)
      failInput("its diagonal is not one number");
    return k[0];
  }
  std::vector<std::uint8_t> mask() const {
    bool upper = attributes().getInt("upper", 1) != 0;
    std::int64_t rows = inputShape(0).end()[-2];
    std::int64_t columns = inputShape(0).end()[-1];
    std::vector<std::uint8_t> result;
    for (std::int64_t row = 0; row != rows; ++row)
      for (std::int64_t column = 0; column != columns; ++column)
        result.push_back(upper ? column - row >= shift()
                               : column - row <= shift());
    return result;
  }
};

const RegisterOp<Trilu> trilu("Trilu", {14});

} // namespace

} // namespace populus::popir
