// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inference, constant evaluation and lowering of elementwise operators.

#include "lib/PopART/Ops/Elementwise/Elementwise.h"

#include "lib/PopART/Ops/Shape/Shapes.h"

#include <fmt/format.h>
#include <popops/ElementWise.hpp>

#include <algorithm>
#include <functional>

namespace populus::popir {

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

/// Maps an index of a shape to the element of a tensor broadcast to it.
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

/// Saturates float16 overflow to the largest number, as the device does.
/// Infinite operands have infinite results.
template <class T> T withinHalf(T value, const std::vector<T> &operands) {
  constexpr T Largest = 65504;
  const auto isBeyond = [](T x) { return x > Largest || x < -Largest; };
  if (!isBeyond(value) || std::ranges::any_of(operands, isBeyond))
    return value;
  return value > 0 ? Largest : -Largest;
}

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
      const T value = function(view);
      elements[i] = static_cast<decltype(sample)>(
          info.type == DataType::Float16 ? withinHalf(value, values) : value);
    }
  });
  return result;
}

/// True for a scalar constant that fits in the device's type. Others become
/// device variables, whose creation rejects what does not fit.
bool fitsExpression(const Value &operand) {
  if (!operand.isConstant() || operand.info.numElements() != 1)
    return false;
  if (isFloatingPoint(operand.info.type))
    return true;
  return operand.constant()
             ->convertedTo(deviceDataType(operand.info.type))
             .toInts() == operand.constant()->toInts();
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
  // Before opset 7 a vector of slopes was per channel.
  if (index == 1 && version() < 7 && id().type == "PRelu" &&
      shape.size() == 1 && shape[0] != 1)
    shape.resize(std::max(1, input(0).info.rank() - 1), 1);
  // Before opset 7 an attribute aligned the second operand with any dimensions.
  if (index != 1 || version() >= 7 || !attributes().has("axis"))
    return shape;
  std::int64_t rank = input(0).info.rank();
  std::int64_t axis = normalAxis(*this, attributes().getInt("axis", 0), rank);
  while (axis + static_cast<std::int64_t>(shape.size()) < rank)
    shape.push_back(1);
  return shape;
}

/// The device narrows 64-bit integers to 32 bits. PopART's indices of ArgMax
/// and TopK are int32 from the start, so programs compare them with int32.
static bool areOneType(DataType a, DataType b) {
  const auto isSigned = [](DataType type) {
    return type == DataType::Int64 || type == DataType::Int32;
  };
  return a == b || (isSigned(a) && isSigned(b));
}

std::vector<TensorInfo> ElementwiseOp::infer() const {
  DataType type = typeInfo().type;
  if (!(function.operandTypes & kindOf(type)))
    failUnsupported(fmt::format("it computes with {}, which is not supported",
                                popir::name(type)));
  checkOperandTypes(type);
  if (!id().domain.empty() && !function.isVariadic)
    checkOperandCount();
  Shape shape;
  for (std::size_t i = 0; i != inputs().size(); ++i)
    if (hasInput(i))
      shape = broadcastShape(*this, shape, operandShape(i));
  return {
      {function.resultType == ElementwiseFunction::Bool ? DataType::Bool : type,
       shape}};
}

void ElementwiseOp::checkOperandTypes(DataType type) const {
  for (std::size_t i = 0; i != inputs().size(); ++i) {
    if (!hasInput(i))
      continue;
    const DataType found = input(i).info.type;
    const bool isOther = function.otherTypes != 0 && i == function.otherOperand;
    if (isOther && !(function.otherTypes & kindOf(found)))
      failInput(fmt::format("its operand {} is of type {}, which it cannot be",
                            i, popir::name(found)));
    if (!isOther && !areOneType(found, type))
      failInput(fmt::format("its operands have types {} and {}; cast one of "
                            "them",
                            popir::name(type), popir::name(found)));
  }
}

void ElementwiseOp::checkOperandCount() const {
  const DeviceOperands operands(
      *this, std::vector<expr::Any>(inputs().size(), expr::Const(0)),
      deviceType(typeInfo().type));
  function.onDevice(operands);
  if (operands.countAsked() < inputs().size())
    failInput(fmt::format("it has {} inputs; it takes {} at most",
                          inputs().size(), operands.countAsked()));
}

/// Host functions compute in int64; the sums, products and bits of smaller
/// operands are right modulo 2^64.
static bool exceedsInt64(const Op &op) {
  return std::ranges::any_of(op.inputs(), [](const Value *input) {
    return input && input->info.type == DataType::UInt64 &&
           std::ranges::any_of(input->constant()->toInts(),
                               [](std::int64_t x) { return x < 0; });
  });
}

std::optional<std::vector<HostTensor>> ElementwiseOp::evaluate() const {
  DataType type = typeInfo().type;
  if (type == DataType::UInt64 && exceedsInt64(*this))
    return std::nullopt;
  std::vector<Shape> shapes;
  for (std::size_t i = 0; i != inputs().size(); ++i)
    shapes.push_back(hasInput(i) ? operandShape(i) : Shape{});
  auto compute = [&](const TensorInfo &info, auto convert, auto onHost) {
    std::vector<decltype(convert(HostTensor()))> operands(inputs().size());
    for (std::size_t i = 0; i != operands.size(); ++i)
      if (hasInput(i))
        operands[i] = convert(*input(i).constant());
    return popir::compute(*this, info, operands, shapes, onHost);
  };
  const auto toDoubles = [](const HostTensor &x) { return x.toDoubles(); };
  const TensorInfo info = infer()[0];
  if (isFloatingPoint(type) && function.onReals)
    return std::vector{compute(info, toDoubles, function.onReals)};
  if (isFloatingPoint(type))
    return std::nullopt;
  if (function.onReals && hasFractions())
    return std::vector{
        compute({DataType::Double, info.shape}, toDoubles, function.onReals)
            .convertedTo(info.type)};
  if (function.onIntegers)
    return std::vector{compute(
        info, [](const HostTensor &x) { return x.toInts(); },
        function.onIntegers)};
  return std::nullopt;
}

/// Pow of an integer may have a floating-point exponent.
bool ElementwiseOp::hasFractions() const {
  return function.otherTypes != 0 &&
         isFloatingPoint(input(function.otherOperand).info.type);
}

bool ElementwiseOp::embedsConstant(std::size_t index) const {
  if (!hasInput(index) || !fitsExpression(input(index)))
    return false;
  if (index != function.typeOperand)
    return true;
  // At least one tensor operand is needed to place the result on tiles.
  for (std::size_t i = 0; i != inputs().size(); ++i)
    if (hasInput(i) && !fitsExpression(input(i)))
      return true;
  return false;
}

bool fitsInPlace(const TensorInfo &operand, const TensorInfo &result) {
  return operand.shape == result.shape &&
         deviceDataType(operand.type) == deviceDataType(result.type);
}

bool ElementwiseOp::canComputeInPlace(std::size_t index) const {
  return hasInput(index) && !embedsConstant(index) &&
         operandShape(index) == inputShape(index) &&
         fitsInPlace(input(index).info, output().info);
}

expr::Any ElementwiseOp::expressionOf(std::vector<expr::Any> operands) const {
  DeviceOperands device(*this, std::move(operands),
                        deviceType(typeInfo().type));
  return narrowed(function.onDevice(device), output().info.type);
}

bool ElementwiseOp::isIdentity() const {
  if (function.isVariadic)
    return inputs().size() == 1;
  return false;
}

/// Operands aligned by an attribute are reshaped first.
void ElementwiseOp::differentiate(Gradients &gradients) const {
  if (!function.gradient)
    return Op::differentiate(gradients);
  for (std::size_t i = 0; i != inputs().size(); ++i)
    if (hasInput(i) && operandShape(i) != inputShape(i))
      gradients.lineUp(i, operandShape(i));
  function.gradient(gradients);
}

// ---- Lowering ---------------------------------------------------------------

namespace {

/// Translates elementwise operators to one popops expression.
class Expression {
public:
  /// Returns the tensor of a value from outside of the expression.
  using Read = std::function<poplar::Tensor(const Value &)>;

  /// Covers `root` alone, or, in a body, also all that it depends on.
  Expression(Lowering &lowering, const ExpressionOp &root, bool isBody,
             Read read)
      : lowering(lowering), root(root), isBody(isBody), read(std::move(read)) {
    valueOf(root); // finds the operands
  }

  /// Computes in the memory of `inPlace` if it is not null and writable.
  poplar::Tensor compute(const Op &op, const Value *inPlace) {
    poplar::Graph &graph = lowering.graph();
    const auto overwritten =
        std::ranges::find(operands, inPlace, &Operand::value);
    const bool isInPlace = overwritten != operands.end() &&
                           overwritten->tensor.isParallelWriteable();
    if (isInPlace) // what is overwritten is the first tensor
      std::iter_swap(operands.begin(), overwritten);
    const expr::Any value = valueOf(root);
    std::vector<poplar::Tensor> tensors;
    for (const Operand &operand : operands)
      tensors.push_back(operand.tensor);
    if (!isInPlace)
      return popops::map(graph, value, tensors, lowering.program(),
                         lowering.debug(op));
    popops::mapInPlace(graph, value, tensors, lowering.program(),
                       lowering.debug(op));
    return tensors[0];
  }

private:
  /// A value, in the shape that a reader wants.
  struct Operand {
    const Value *value;
    poplar::Tensor tensor;
  };

  expr::Any valueOf(const ExpressionOp &op) {
    std::vector<expr::Any> inputs;
    for (std::size_t i = 0; i != op.inputs().size(); ++i)
      inputs.push_back(op.hasInput(i) ? inputOf(op, i) : expr::Const(0));
    return op.expressionOf(std::move(inputs));
  }

  expr::Any inputOf(const ExpressionOp &op, std::size_t i) {
    const Value &input = op.input(i);
    if (op.embedsConstant(i))
      return expr::Const(input.constant()->toDoubles()[0],
                         deviceType(input.info.type));
    if (isBody && input.producer())
      return valueOf(dynamic_cast<const ExpressionOp &>(*input.producer()));
    return expr::PlaceHolder(
        static_cast<unsigned>(operandOf(input, op.operandShape(i)) + 1));
  }

  std::size_t operandOf(const Value &value, const Shape &shape) {
    const std::vector<std::size_t> extents = toPoplar(shape);
    std::size_t k = 0;
    while (k != operands.size() && (operands[k].value != &value ||
                                    operands[k].tensor.shape() != extents))
      ++k;
    if (k == operands.size())
      operands.push_back({&value, read(value).reshape(extents)});
    return k;
  }

  Lowering &lowering;
  const ExpressionOp &root;
  bool isBody;
  Read read;
  std::vector<Operand> operands;
};

void lowerExpression(Lowering &lowering, const Op &op, Expression expression,
                     const Value *inPlace) {
  lowering.setOutput(op, expression.compute(op, inPlace)
                             .reshape(toPoplar(op.output().info.shape)));
}

/// Several fused elementwise operators, held in its body.
class Fused final : public DeviceOp {
public:
  using DeviceOp::DeviceOp;

  std::vector<TensorInfo> infer() const override {
    checkBody();
    return {body().results()[0].value->info};
  }

  bool ownsResult() const override { return true; }

  bool canComputeInPlace(std::size_t index) const override {
    checkBody();
    if (!hasInput(index) || !fitsInPlace(input(index).info, output().info))
      return false;
    const auto &uses = body().arguments()[index]->uses();
    return std::ranges::all_of(uses, [](const Use &use) {
      return asExpression(*use.user).operandShape(use.operand) ==
             use.user->inputShape(use.operand);
    });
  }

  void lower(Lowering &lowering) const override {
    const Value &result = *body().results()[0].value;
    const auto read = [&](const Value &value) {
      if (value.isConstant())
        return lowering.get(value);
      const auto place = std::ranges::find(body().arguments(), &value);
      return lowering.input(
          *this, static_cast<std::size_t>(place - body().arguments().begin()));
    };
    lowerExpression(
        lowering, *this,
        Expression(lowering, asExpression(*result.producer()), true, read),
        inPlace() ? body().arguments()[*inPlace()] : nullptr);
  }

private:
  const Graph &body() const { return *bodies()[0]; }

  static const ExpressionOp &asExpression(const Op &op) {
    return dynamic_cast<const ExpressionOp &>(op);
  }

  void checkBody() const {
    if (bodies().size() != 1 || body().arguments().size() != inputs().size() ||
        body().results().size() != 1 || !body().results()[0].value->producer())
      failInput("its body does not fit");
    for (std::size_t i = 0; i != inputs().size(); ++i)
      if (input(i).info != body().arguments()[i]->info)
        failInput(fmt::format("argument {} of its body is {}, and gets {}", i,
                              toString(body().arguments()[i]->info),
                              toString(input(i).info)));
    for (const Op *op : body().ops())
      if (!op->isElementwise() || !dynamic_cast<const ExpressionOp *>(op) ||
          op->outputs().size() != 1)
        failInput(
            fmt::format("{} of its body is not elementwise", op->describe()));
  }
};

const RegisterInternalOp<Fused> registration("Fused");

} // namespace

void ElementwiseOp::lower(Lowering &lowering) const {
  const auto read = [&](const Value &value) {
    for (std::size_t i = 0;; ++i)
      if (inputs()[i] == &value)
        return lowering.input(*this, i);
  };
  lowerExpression(lowering, *this, Expression(lowering, *this, false, read),
                  inPlace() ? inputs()[*inPlace()] : nullptr);
}

} // namespace populus::popir
