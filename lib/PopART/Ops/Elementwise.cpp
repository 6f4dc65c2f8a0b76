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
  case DataType::UInt4:
    return expr::BitwiseAnd(value, expr::Const(0xf));
  case DataType::Int4:
    return signExtended(28);
  case DataType::UInt2:
    return expr::BitwiseAnd(value, expr::Const(0x3));
  case DataType::Int2:
    return signExtended(30);
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
  // Before opset 7 a list of slopes was for channels.
  if (index == 1 && version() < 7 && id().type == "PRelu" &&
      shape.size() == 1 && shape[0] != 1)
    shape.resize(std::max(1, input(0).info.rank() - 1), 1);
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
  if (function.isVariadic)
    checkSameTypes(*this, 0, inputs().size());
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

/// What an operator computes, together with those before it that are lowered
/// with it.
class ElementwiseOp::Expression {
public:
  Expression(Lowering &lowering, const ElementwiseOp &root)
      : lowering(lowering), root(root) {
    findOperands(root);
    // The first tensor is the one that may be overwritten.
    for (std::size_t i = 0; i != operands.size() && !isInPlace; ++i)
      if (mayOverwrite(operands[i])) {
        std::swap(operands[0], operands[i]);
        isInPlace = true;
      }
  }

  poplar::Tensor compute() const {
    std::vector<poplar::Tensor> tensors;
    for (const Operand &operand : operands)
      tensors.push_back(operand.value);
    auto &graph = lowering.graph();
    const expr::Any value = valueOf(root);
    if (!isInPlace)
      return popops::map(graph, value, tensors, lowering.program(),
                         lowering.debug(root));
    popops::mapInPlace(graph, value, tensors, lowering.program(),
                       lowering.debug(root));
    return tensors[0];
  }

private:
  /// A tensor that is read, in the shape that one of its readers wants.
  struct Operand {
    const Tensor *tensor;
    poplar::Tensor value;
    std::size_t uses = 0;
  };

  /// The operator that computes an input and is lowered with this one.
  const ElementwiseOp *fusedInput(const ElementwiseOp &op,
                                  std::size_t i) const {
    const auto *producer =
        dynamic_cast<const ElementwiseOp *>(op.input(i).producer);
    return producer && lowering.pendingOps(*producer) != 0 ? producer : nullptr;
  }

  /// Constant scalars go into the expression; one tensor at least gives the
  /// result its place.
  static bool isConstant(const ElementwiseOp &op, std::size_t i) {
    if (!fitsExpression(op.input(i)))
      return false;
    if (i != op.function.typeOperand)
      return true;
    for (std::size_t k = 0; k != op.inputs().size(); ++k)
      if (op.hasInput(k) && !fitsExpression(op.input(k)))
        return true;
    return false;
  }

  poplar::Tensor read(const ElementwiseOp &op, std::size_t i) const {
    return lowering.input(op, i).reshape(toPoplar(op.operandShape(i)));
  }

  std::size_t indexOf(const Tensor &tensor, const poplar::Tensor &value) const {
    std::size_t k = 0;
    while (k != operands.size() && (operands[k].tensor != &tensor ||
                                    operands[k].value.shape() != value.shape()))
      ++k;
    return k;
  }

  void findOperands(const ElementwiseOp &op) {
    for (std::size_t i = 0; i != op.inputs().size(); ++i) {
      if (!op.hasInput(i) || isConstant(op, i))
        continue;
      if (const ElementwiseOp *producer = fusedInput(op, i)) {
        findOperands(*producer);
        continue;
      }
      const poplar::Tensor value = read(op, i);
      const std::size_t k = indexOf(op.input(i), value);
      if (k == operands.size())
        operands.push_back({&op.input(i), value});
      ++operands[k].uses;
    }
  }

  expr::Any valueOf(const ElementwiseOp &op) const {
    std::vector<expr::Any> values;
    for (std::size_t i = 0; i != op.inputs().size(); ++i)
      values.push_back(op.hasInput(i) ? inputOf(op, i) : expr::Const(0));
    DeviceOperands device(op, std::move(values),
                          deviceType(op.typeInfo().type));
    return narrowed(op.function.onDevice(device), op.output().info.type);
  }

  expr::Any inputOf(const ElementwiseOp &op, std::size_t i) const {
    const Tensor &tensor = op.input(i);
    if (isConstant(op, i)) {
      lowering.embed(tensor);
      return expr::Const(tensor.value->toDoubles()[0],
                         deviceType(tensor.info.type));
    }
    if (const ElementwiseOp *producer = fusedInput(op, i))
      return valueOf(*producer);
    return expr::PlaceHolder(
        static_cast<unsigned>(indexOf(tensor, read(op, i)) + 1));
  }

  bool mayOverwrite(const Operand &operand) const {
    const TensorInfo &info = root.output().info;
    return operand.tensor->info.shape == info.shape &&
           deviceType(operand.tensor->info.type) == deviceType(info.type) &&
           lowering.mayOverwrite(*operand.tensor, operand.uses) &&
           operand.value.isParallelWriteable();
  }

  Lowering &lowering;
  const ElementwiseOp &root;
  std::vector<Operand> operands;
  bool isInPlace = false;
};

/// Whether the operator that alone reads the result computes it along with its
/// own.
bool ElementwiseOp::isLoweredByReader(Lowering &lowering) const {
  // Long chains are cut: registers are limited.
  constexpr unsigned MaxOps = 12;
  const auto *reader =
      dynamic_cast<const ElementwiseOp *>(lowering.fusableReader(*this));
  // What is smaller than the reader's result is computed once.
  if (!reader || reader->output().info.shape != output().info.shape)
    return false;
  unsigned ops = 1;
  for (const Tensor *input : inputs())
    if (input && input->producer)
      ops += lowering.pendingOps(*input->producer);
  if (ops > MaxOps)
    return false;
  lowering.setPending(*this, ops);
  return true;
}

void ElementwiseOp::lower(Lowering &lowering) const {
  if (isLoweredByReader(lowering))
    return;
  lowering.setOutput(*this, Expression(lowering, *this)
                                .compute()
                                .reshape(toPoplar(output().info.shape)));
}

bool ElementwiseOp::isIdentity() const {
  if (function.isVariadic)
    return inputs().size() == 1;
  return false;
}

} // namespace popart
