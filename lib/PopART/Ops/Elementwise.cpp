// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inference, constant evaluation and lowering of elementwise operators.

#include "lib/PopART/Ops/Elementwise.h"

#include "lib/PopART/Ops/Shapes.h"

#include <fmt/format.h>
#include <popops/ElementWise.hpp>

#include <algorithm>

namespace popart {

namespace {

using FunctionTable =
    std::map<std::pair<std::string, std::string>, const ElementwiseFunction *>;

FunctionTable &functions() {
  static FunctionTable table;
  return table;
}

TypeKinds kindOf(DataType type) {
  return type == DataType::Bool  ? Booleans
         : isFloatingPoint(type) ? Reals
                                 : Integers;
}

/// Where the elements of a smaller tensor lie that is broadcast to a shape.
class BroadcastIndex {
public:
  BroadcastIndex(const Shape &from, const Shape &result)
      : isSame(from == result), extents(result), steps(result.size(), 0) {
    std::vector<std::int64_t> fromSteps = strides(from);
    std::size_t shift = result.size() - from.size();
    for (std::size_t i = 0; i != from.size(); ++i)
      steps[shift + i] = from[i] == 1 ? 0 : fromSteps[i];
  }

  std::int64_t operator()(std::int64_t flat) const {
    if (isSame)
      return flat;
    std::int64_t index = 0;
    for (std::size_t i = extents.size(); i-- > 0;) {
      index += flat % extents[i] * steps[i];
      flat /= extents[i];
    }
    return index;
  }

private:
  bool isSame;
  Shape extents;
  std::vector<std::int64_t> steps;
};

/// Computes each element with a function of T.
template <class T>
HostTensor compute(const Op &op, const TensorInfo &info,
                   const std::vector<std::vector<T>> &operands,
                   const std::vector<Shape> &shapes,
                   T (*function)(const HostOperands<T> &)) {
  std::vector<BroadcastIndex> places;
  for (const Shape &shape : shapes)
    places.emplace_back(shape, info.shape);
  HostTensor result(info);
  std::vector<T> values(operands.size());
  HostOperands<T> view(op, values);
  withElementType(info.type, [&](auto sample) {
    auto elements = result.as<decltype(sample)>();
    for (std::size_t i = 0; i != elements.size(); ++i) {
      for (std::size_t k = 0; k != operands.size(); ++k)
        if (!operands[k].empty())
          values[k] = operands[k][places[k](i)];
      elements[i] = static_cast<decltype(sample)>(function(view));
    }
  });
  return result;
}

/// A constant scalar that the device's type holds. (Others are variables, whose
/// making refuses what does not fit.)
bool fitsExpression(const Tensor &operand) {
  if (!operand.isConstant() || operand.info.numElements() != 1)
    return false;
  if (isFloatingPoint(operand.info.type))
    return true;
  return operand.value->convertedTo(deviceDataType(operand.info.type))
             .toInts() == operand.value->toInts();
}

} // namespace

expr::Any narrowed(const expr::Expr &value, DataType type) {
  auto signExtended = [&](int bits) {
    return expr::ShrSE(expr::Shl(value, expr::Const(bits)), expr::Const(bits));
  };
  switch (type) {
  case DataType::UInt8:
    return expr::BitwiseAnd(value, expr::Const(0xff));
  case DataType::UInt16:
    return expr::BitwiseAnd(value, expr::Const(0xffff));
  case DataType::Int8:
    return signExtended(24);
  case DataType::Int16:
    return signExtended(16);
  default:
    return value;
  }
}

RegisterElementwise::RegisterElementwise(
    const std::vector<ElementwiseFunction> &table) {
  for (const ElementwiseFunction &function : table) {
    functions()[{function.domain, function.type}] = &function;
    registerOp({function.domain, function.type, function.versions,
                [](OpSpec spec) -> std::unique_ptr<Op> {
                  auto key = std::pair(spec.id.domain, spec.id.type);
                  return std::make_unique<ElementwiseOp>(std::move(spec),
                                                         *functions().at(key));
                }});
  }
}

Shape ElementwiseOp::operandShape(std::size_t index) const {
  Shape shape = inputShape(index);
  // Before opset 7 an attribute could line the second operand up with
  // dimensions other than the last.
  if (index != 1 || version() >= 7 || !attributes().has("axis"))
    return shape;
  std::int64_t rank = input(0).info.rank();
  std::int64_t axis = normalAxis(*this, attributes().getInt("axis", 0), rank);
  while (axis + static_cast<std::int64_t>(shape.size()) < rank)
    shape.push_back(1);
  return shape;
}

std::vector<TensorInfo> ElementwiseOp::infer() const {
  DataType type = typeInfo().type;
  if (!(function.operandTypes & kindOf(type)))
    failUnsupported(fmt::format("it computes with {}, which is not supported",
                                popart::name(type)));
  Shape shape;
  for (std::size_t i = 0; i != inputs().size(); ++i)
    if (hasInput(i))
      shape = broadcastShape(*this, shape, operandShape(i));
  return {
      {function.resultType == ElementwiseFunction::Bool ? DataType::Bool : type,
       shape}};
}

std::optional<std::vector<HostTensor>> ElementwiseOp::evaluate() const {
  DataType type = typeInfo().type;
  if (type == DataType::UInt64) // wider than what we compute in
    return std::nullopt;
  std::vector<Shape> shapes;
  for (std::size_t i = 0; i != inputs().size(); ++i)
    shapes.push_back(hasInput(i) ? operandShape(i) : Shape{1});
  auto compute = [&](auto convert, auto onHost) {
    std::vector<decltype(convert(HostTensor()))> operands(inputs().size());
    for (std::size_t i = 0; i != operands.size(); ++i)
      if (hasInput(i))
        operands[i] = convert(*input(i).value);
    return std::vector{
        popart::compute(*this, infer()[0], operands, shapes, onHost)};
  };
  if (isFloatingPoint(type) && function.onReals)
    return compute([](const HostTensor &x) { return x.toDoubles(); },
                   function.onReals);
  if (!isFloatingPoint(type) && function.onIntegers)
    return compute([](const HostTensor &x) { return x.toInts(); },
                   function.onIntegers);
  return std::nullopt;
}

void ElementwiseOp::lower(Lowering &lowering) const {
  // Constant scalars go into the expression; one tensor at least gives the
  // result its place.
  std::vector<poplar::Tensor> tensors;
  std::vector<expr::Any> values;
  for (std::size_t i = 0; i != inputs().size(); ++i) {
    const Tensor *operand = inputs()[i];
    if (!operand) {
      values.push_back(expr::Const(0));
      continue;
    }
    if (i != function.typeOperand && fitsExpression(*operand)) {
      values.push_back(expr::Const(operand->value->toDoubles()[0],
                                   deviceType(operand->info.type)));
      continue;
    }
    tensors.push_back(
        lowering.input(*this, i).reshape(toPoplar(operandShape(i))));
    values.push_back(expr::PlaceHolder(static_cast<unsigned>(tensors.size())));
  }
  DeviceOperands operands(*this, std::move(values),
                          deviceType(typeInfo().type));
  const TensorInfo &info = output().info;
  expr::Any value = narrowed(function.onDevice(operands), info.type);
  bool isInPlace = hasInput(0) && mayReuse(lowering);
  if (isInPlace)
    popops::mapInPlace(lowering.graph(), value, tensors, lowering.program(),
                       lowering.debug(*this));
  poplar::Tensor result =
      isInPlace ? tensors[0]
                : popops::map(lowering.graph(), value, tensors,
                              lowering.program(), lowering.debug(*this));
  lowering.setOutput(*this, result.reshape(toPoplar(info.shape)));
}

bool ElementwiseOp::mayReuse(Lowering &lowering) const {
  return inputShape(0) == output().info.shape && !input(0).isConstant() &&
         deviceType(input(0).info.type) == deviceType(output().info.type) &&
         lowering.mayOverwrite(*this, 0) &&
         lowering.input(*this, 0).isParallelWriteable();
}

bool ElementwiseOp::isIdentity() const {
  if (function.isVariadic)
    return inputs().size() == 1;
  return false;
}

} // namespace popart
