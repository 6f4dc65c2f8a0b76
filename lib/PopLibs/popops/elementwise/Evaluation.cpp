// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Intermediate results are overwritten where they are not needed again, and the
// root writes where the caller wants the result.

#include "lib/PopLibs/popops/elementwise/Evaluation.h"

#include "lib/PopLibs/popops/elementwise/ConstantTypes.h"
#include "lib/PopLibs/popops/elementwise/ElementWiseVertices.h"
#include "lib/PopLibs/popops/elementwise/FusedVertices.h"
#include "lib/PopLibs/popops/vertices/VertexTypes.h"

#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <popops/ElementWiseUtil.hpp>
#include <popops/Fill.hpp>
#include <poputil/Broadcast.hpp>
#include <poputil/OptionParsing.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

using namespace poplar;
using namespace poplar::program;
using namespace popops::expr;
using poputil::poplibs_error;

namespace popops {
namespace {

using Shape = std::vector<std::size_t>;
using Destination = std::optional<Tensor>;

/// The value of a node.
struct Value : Operand {
  /// No one else needs it, so that it may be overwritten.
  bool temporary = false;
};

bool isFloating(const Type &type) { return type == FLOAT || type == HALF; }

bool isCommutative(BinaryOpType op) {
  return op == BinaryOpType::ADD || op == BinaryOpType::MULTIPLY ||
         op == BinaryOpType::MAXIMUM || op == BinaryOpType::MINIMUM;
}

Shape commonShape(Shape a, const Tensor &b) {
  if (a.size() < b.rank())
    a.insert(a.begin(), b.rank() - a.size(), 1);
  for (unsigned i = 0; i != b.rank(); ++i) {
    std::size_t &extent = a[a.size() - 1 - i];
    const std::size_t other = b.dim(b.rank() - 1 - i);
    if (extent != other && extent != 1 && other != 1)
      throw poplibs_error("popops: the operands of an elementwise operation "
                          "have shapes that do not go together, one is " +
                          b.shapeToString());
    if (extent == 1)
      extent = other;
  }
  return a;
}

/// The operand that the result is laid out as: of those of its shape the one
/// that is spread over most tiles.
Destination likeliest(const Graph &graph, const std::vector<Tensor> &inputs,
                      const Shape &shape) {
  Destination best;
  std::size_t bestTiles = 0;
  for (const Tensor &t : inputs) {
    if (t.shape() != shape || !t.isParallelWriteable())
      continue;
    std::size_t tiles = 0;
    for (const auto &regions : graph.getTileMapping(t))
      tiles += !regions.empty();
    if (tiles > bestTiles) {
      best = t;
      bestTiles = tiles;
    }
  }
  return best;
}

class Evaluator {
public:
  Evaluator(Graph &graph, const std::vector<Tensor> &tensors, Sequence &prog,
            const DebugContext &debugContext, const OptionFlags &options)
      : graph(graph), tensors(tensors), prog(prog), debugContext(debugContext),
        generates(generatesCodelets(options)) {
    refuseQuarters(tensors);
  }

  /// The value of the whole expression as a tensor of its own.
  Tensor toNewTensor(const Expr &expr) {
    const Value value = eval(withConstantTypes(expr, tensors), {});
    if (value.isConstant())
      return filled(value, allTensorsShape(), {});
    return value.temporary ? value.tensor : copied(value.tensor, {});
  }

  /// Writes the value to \p out.
  void toTensor(const Expr &expr, const Tensor &out) {
    const Value value = eval(withConstantTypes(expr, tensors), out);
    if (value.isConstant())
      filled(adapted(value, out.elementType()), out.shape(), out);
    else if (!(value.tensor == out))
      copied(value.tensor, out);
  }

private:
  Graph &graph;
  const std::vector<Tensor> &tensors;
  Sequence &prog;
  const DebugContext &debugContext;
  bool generates;

  /// A compute set that is executed next.
  ComputeSet computeSet(const char *name) {
    const ComputeSet cs = graph.addComputeSet({debugContext, name});
    prog.add(Execute(cs, debugContext));
    return cs;
  }

  Value eval(const Expr &expr, const Destination &out) {
    if (const auto fused = evalFused(expr, out))
      return *fused;
    switch (expr.getKind()) {
    case ExprKind::CONST:
      return constant(static_cast<const Const &>(expr));
    case ExprKind::PLACEHOLDER:
      return placeHolder(static_cast<const PlaceHolder &>(expr));
    case ExprKind::CAST:
      return evalCast(static_cast<const expr::Cast &>(expr));
    case ExprKind::UNARY:
      return evalUnary(static_cast<const UnaryOp &>(expr), out);
    case ExprKind::BINARY: {
      const auto &op = static_cast<const BinaryOp &>(expr);
      return binary(op.getOpType(), eval(op.getLHS(), {}),
                    eval(op.getRHS(), {}), out);
    }
    case ExprKind::TERNARY:
      return evalTernary(static_cast<const TernaryOp &>(expr), out);
    }
    throw poplibs_error("popops: unknown kind of expression");
  }

  /// The value where the expression is computed at once, else nothing.
  std::optional<Value> evalFused(const Expr &expr, const Destination &out) {
    if (!generates)
      return std::nullopt;
    const auto fused = fuseExpression(graph, expr, tensors);
    if (!fused)
      return std::nullopt;
    std::vector<Value> operands;
    for (const FusedOperand &operand : fused->operands) {
      operands.push_back(ofTensor(operand.tensor, false));
      // The operand that may be overwritten comes first.
      if (out && operand.tensor == *out)
        std::swap(operands.front(), operands.back());
    }
    const Destination target =
        existingTarget(operands, fused->shape, fused->type, out);
    const Destination like =
        target ? target : likeliest(graph, tensorsOf(operands), fused->shape);
    if (like && !canAddFusedOp(graph, *fused, *like))
      return std::nullopt;
    if (!like && std::any_of(fused->operands.begin(), fused->operands.end(),
                             [](const FusedOperand &operand) {
                               return operand.kind == FusedOperand::Broadcast;
                             }))
      return std::nullopt;
    const Tensor result =
        resultTensor(operands, fused->shape, fused->type, out);
    addFusedOp(graph, *fused, result, computeSet("Fused"));
    return finished(result, out);
  }

  static Value constant(const Const &expr) {
    Value value;
    value.type = expr.getType();
    value.value = isFloating(value.type) ? expr.asDouble()
                                         : static_cast<double>(expr.asInt());
    return value;
  }

  Value placeHolder(const PlaceHolder &expr) const {
    if (expr.getIndex() == 0 || expr.getIndex() > tensors.size())
      throw poplibs_error("popops: the expression uses " + expr.name() +
                          ", but there are " + std::to_string(tensors.size()) +
                          " tensors");
    return ofTensor(tensors[expr.getIndex() - 1], false);
  }

  static Value ofTensor(const Tensor &tensor, bool temporary) {
    Value value;
    value.tensor = tensor;
    value.type = tensor.elementType();
    value.temporary = temporary;
    return value;
  }

  Value evalCast(const expr::Cast &expr) {
    const Value arg = eval(expr.getLHS(), {});
    if (arg.isConstant()) {
      Value result = arg;
      result.type = expr.getRHSType();
      if (!isFloating(result.type))
        result.value = std::trunc(result.value);
      return result;
    }
    if (arg.type == expr.getRHSType())
      return arg;
    return ofTensor(
        popops::cast(graph, arg.tensor, expr.getRHSType(), prog, debugContext),
        true);
  }

  Value evalUnary(const UnaryOp &expr, const Destination &out) {
    Value arg = materialised(eval(expr.getArg(), {}));
    const Type type = resultType(expr.getOpType(), arg.type);
    const Tensor result = resultTensor({arg}, arg.tensor.shape(), type, out);
    addUnaryOp(graph, expr.getOpType(), arg.tensor, result, computeSet("Op"));
    return finished(result, out);
  }

  Value binary(BinaryOpType op, Value a, Value b, const Destination &out) {
    if (a.isConstant() && b.isConstant())
      a = materialised(a);
    if (a.isConstant())
      a = adapted(a, b.type);
    if (b.isConstant())
      b = adapted(b, a.type);
    if (a.type != b.type)
      throw poplibs_error("popops: operation on elements of types " +
                          a.type.toString() + " and " + b.type.toString() +
                          "; cast one of them");
    Shape shape;
    for (const Value *operand : {&a, &b})
      if (!operand->isConstant())
        shape = commonShape(shape, operand->tensor);
    const Type type = resultType(op, a.type);
    if (isCommutative(op) && prefersSecond(a, b, shape, out))
      std::swap(a, b);
    const Tensor result = resultTensor({a, b}, shape, type, out);
    addBinaryOp(graph, op, a, b, result, computeSet("Op"), debugContext);
    return finished(result, out);
  }

  Value evalTernary(const TernaryOp &expr, const Destination &out) {
    const Value a = eval(expr.getArg0(), {});
    const Value b = eval(expr.getArg1(), {});
    const Value c = eval(expr.getArg2(), {});
    if (expr.getOpType() == TernaryOpType::CLAMP)
      return binary(BinaryOpType::MINIMUM,
                    binary(BinaryOpType::MAXIMUM, a, b, {}), c, out);
    return select(a, b, materialised(c), out);
  }

  Value select(Value a, Value b, const Value &condition,
               const Destination &out) {
    if (condition.type != BOOL)
      throw poplibs_error("popops: the condition of a selection has type " +
                          condition.type.toString() + ", not bool");
    Shape shape = commonShape({}, condition.tensor);
    for (const Value *operand : {&a, &b})
      if (!operand->isConstant())
        shape = commonShape(shape, operand->tensor);
    const Type type = a.isConstant() ? b.type : a.type;
    for (Value *operand : {&a, &b})
      if (operand->isConstant())
        *operand = ofTensor(filled(adapted(*operand, type), shape, {}), true);
    if (a.type != b.type)
      throw poplibs_error("popops: selection between elements of types " +
                          a.type.toString() + " and " + b.type.toString() +
                          "; cast one of them");
    const Tensor result = resultTensor({a, b, condition}, shape, type, out);
    addSelect(graph, a.tensor, b.tensor, condition.tensor, result,
              computeSet("Select"));
    return finished(result, out);
  }

  /// Returns true if the operation is possible in place only with swapped
  /// operands.
  static bool prefersSecond(const Value &a, const Value &b, const Shape &shape,
                            const Destination &out) {
    if (a.isConstant())
      return true;
    if (b.isConstant())
      return false;
    const auto writable = [&](const Value &v) {
      return (v.temporary || (out && v.tensor == *out)) &&
             v.tensor.shape() == shape;
    };
    return !writable(a) && writable(b);
  }

  /// Returns the output of an operation: the destination or, if that is safe,
  /// its first operand; otherwise a new tensor.
  Tensor resultTensor(const std::vector<Value> &operands, const Shape &shape,
                      const Type &type, const Destination &out) {
    if (const auto target = existingTarget(operands, shape, type, out))
      return *target;
    return createOutputForElementWiseOp(graph, tensorsOf(operands), type,
                                        debugContext);
  }

  static Destination existingTarget(const std::vector<Value> &operands,
                                    const Shape &shape, const Type &type,
                                    const Destination &out) {
    if (out && out->shape() == shape && out->elementType() == type &&
        isSafe(operands, *out))
      return out;
    const Value &first = operands.front();
    if (!out && first.temporary && first.type == type &&
        first.tensor.shape() == shape && isSafe(operands, first.tensor))
      return first.tensor;
    return std::nullopt;
  }

  static std::vector<Tensor> tensorsOf(const std::vector<Value> &operands) {
    std::vector<Tensor> result;
    for (const Value &operand : operands)
      if (!operand.isConstant())
        result.push_back(operand.tensor);
    return result;
  }

  /// Returns true if no element is overwritten before it is read. \p target may
  /// equal the first operand element by element; it must not overlap the
  /// others.
  static bool isSafe(const std::vector<Value> &operands, const Tensor &target) {
    for (const Value &operand : operands) {
      if (operand.isConstant())
        continue;
      const bool same = &operand == &operands.front() &&
                        operand.tensor == target &&
                        operand.type == target.elementType();
      if (!same && operand.tensor.intersectsWith(target))
        return false;
    }
    return true;
  }

  Value finished(const Tensor &result, const Destination &out) const {
    return ofTensor(result, !(out && result == *out));
  }

  /// A constant takes the type of the other operand where that loses nothing
  /// of its kind.
  static Value adapted(Value value, const Type &type) {
    const bool fits =
        value.type == type || isFloating(type) ||
        (type != BOOL && !isFloating(value.type) && value.type != BOOL);
    if (!fits)
      throw poplibs_error("popops: a constant of type " +
                          value.type.toString() +
                          " is combined with elements of type " +
                          type.toString() + "; cast one of them");
    value.type = type;
    return value;
  }

  Value materialised(const Value &value) {
    if (!value.isConstant())
      return value;
    return ofTensor(filled(value, {}, {}), true);
  }

  /// A tensor full of a constant.
  Tensor filled(const Value &value, const Shape &shape,
                const Destination &out) {
    Tensor t = out ? *out : newTensor(value.type, shape);
    if (isFloating(value.type))
      fill<float>(graph, t, prog, static_cast<float>(value.value),
                  debugContext);
    else if (value.type == BOOL)
      fill<bool>(graph, t, prog, value.value != 0, debugContext);
    else if (value.type == INT)
      fill<int>(graph, t, prog, static_cast<int>(value.value), debugContext);
    else
      fill<unsigned>(graph, t, prog, static_cast<unsigned>(value.value),
                     debugContext);
    return t;
  }

  Tensor newTensor(const Type &type, const Shape &shape) {
    std::vector<Tensor> alike;
    for (const Tensor &t : tensors)
      if (t.shape() == shape)
        alike.push_back(t);
    if (!alike.empty())
      return createOutputForElementWiseOp(graph, alike, type, debugContext);
    return graph.addVariable(type, shape, VariableMappingMethod::LINEAR,
                             debugContext);
  }

  Shape allTensorsShape() const {
    Shape shape;
    for (const Tensor &t : tensors)
      shape = commonShape(shape, t);
    return shape;
  }

  Tensor copied(const Tensor &from, const Destination &out) {
    Tensor view = from;
    if (out)
      poputil::broadcastToMatch(view, out->shape());
    const Tensor to =
        out ? *out
            : createOutputForElementWiseOp(graph, {view}, view.elementType(),
                                           debugContext);
    if (to.elementType() != view.elementType())
      throw poplibs_error(
          "popops: the result of type " + view.elementType().toString() +
          " does not go into a tensor of type " + to.elementType().toString());
    prog.add(Copy(view, to, false, debugContext));
    return to;
  }
};

} // namespace

bool generatesCodelets(const OptionFlags &options) {
  bool generates = true, ignored = false;
  const auto flag = [](bool &value) {
    return poplibs::OptionHandler::createWithBool(value);
  };
  poplibs::OptionSpec({{"enableVectorBroadcastOptimisations", flag(ignored)},
                       {"enableGenerateCodelet", flag(generates)},
                       {"forceGenerateCodelet", flag(ignored)},
                       {"enableExpressionOptimizations", flag(ignored)}})
      .parse(options);
  return generates;
}

void refuseQuarters(const std::vector<Tensor> &tensors) {
  for (const Tensor &t : tensors)
    if (t.elementType() == QUARTER)
      throw poplibs_error("popops: elementwise operations do not take elements "
                          "of type quarter, as in " +
                          t.getDebugStr() + "; use popops::cast first");
}

Tensor createOutputForElementWiseOp(Graph &graph,
                                    const std::vector<Tensor> &inputs,
                                    const Type &outputType,
                                    const DebugContext &debugContext) {
  Shape shape;
  for (const Tensor &t : inputs)
    shape = commonShape(shape, t);
  if (const auto like = likeliest(graph, inputs, shape))
    return graph.clone(outputType, *like, debugContext);
  return graph.addVariable(outputType, shape, VariableMappingMethod::LINEAR,
                           debugContext);
}

Tensor evaluate(Graph &graph, const Expr &expr,
                const std::vector<Tensor> &tensors, Sequence &prog,
                const DebugContext &debugContext, const OptionFlags &options) {
  return Evaluator(graph, tensors, prog, debugContext, options)
      .toNewTensor(expr);
}

void evaluateTo(Graph &graph, const Expr &expr,
                const std::vector<Tensor> &tensors, const Tensor &out,
                Sequence &prog, const DebugContext &debugContext,
                const OptionFlags &options) {
  Evaluator(graph, tensors, prog, debugContext, options).toTensor(expr, out);
}

} // namespace popops
