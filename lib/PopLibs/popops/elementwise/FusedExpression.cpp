// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes each node as a statement that calls a function of codelets/Fused.h.
// The same statement is written once, so that what an expression contains twice
// is computed once.

#include "lib/PopLibs/popops/elementwise/FusedExpression.h"

#include "lib/PopLibs/popops/elementwise/ElementWiseVertices.h"
#include "lib/PopLibs/popops/vertices/VertexCycles.h"
#include "lib/PopLibs/popops/vertices/VertexTypes.h"

#include <popops/ElementWiseUtil.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <optional>

using namespace poplar;
using namespace popops::expr;

namespace popops {
namespace {

/// Registers and code of a vertex are limited.
constexpr unsigned MaxOperations = 40;
constexpr std::size_t MaxOperands = 8;

using Shape = std::vector<std::size_t>;

/// The expression does not go into a vertex.
struct NotFusable {};

bool isFloating(const Type &type) { return type == FLOAT || type == HALF; }

void require(bool condition) {
  if (!condition)
    throw NotFusable();
}

/// Calls \p visit with the index of every place holder.
template <class F> void forEachPlaceHolder(const Expr &expr, F visit) {
  switch (expr.getKind()) {
  case ExprKind::CONST:
    return;
  case ExprKind::PLACEHOLDER:
    return visit(static_cast<const PlaceHolder &>(expr).getIndex());
  case ExprKind::CAST:
    return forEachPlaceHolder(static_cast<const Cast &>(expr).getLHS(), visit);
  case ExprKind::UNARY:
    return forEachPlaceHolder(static_cast<const UnaryOp &>(expr).getArg(),
                              visit);
  case ExprKind::BINARY: {
    const auto &op = static_cast<const BinaryOp &>(expr);
    forEachPlaceHolder(op.getLHS(), visit);
    return forEachPlaceHolder(op.getRHS(), visit);
  }
  case ExprKind::TERNARY: {
    const auto &op = static_cast<const TernaryOp &>(expr);
    forEachPlaceHolder(op.getArg0(), visit);
    forEachPlaceHolder(op.getArg1(), visit);
    return forEachPlaceHolder(op.getArg2(), visit);
  }
  }
}

/// C++ that makes the value exactly.
std::string literal(double value, const Type &type) {
  char text[64];
  if (!isFloating(type)) {
    std::snprintf(text, sizeof text, "%lld", static_cast<long long>(value));
    return type == BOOL ? (value != 0 ? "true" : "false") : text;
  }
  // Conversion of a constant beyond the range of half is left to the host.
  require(std::isfinite(value));
  require(type == FLOAT || std::fabs(value) <= 65504);
  std::snprintf(text, sizeof text, "%af",
                static_cast<double>(static_cast<float>(value)));
  return text;
}

struct Node {
  std::string text; // the name of its value
  Type type;
  bool isConstant = false;
  double value = 0;
  /// It has an element for each one of the whole result.
  bool isWhole = false;
  /// It is one value for the whole result.
  bool isSingle = false;
};

class Writer {
public:
  Writer(const Graph &graph, const std::vector<Tensor> &tensors)
      : graph(graph), tensors(tensors) {}

  FusedExpression write(const Expr &expr) {
    forEachPlaceHolder(expr, [&](unsigned index) { addShape(index); });
    elements = 1;
    for (std::size_t extent : result.shape)
      elements *= extent;
    Node root = node(expr);
    require(root.isWhole && result.operations >= 2 &&
            result.operations <= MaxOperations);
    result.result = root.text;
    result.type = root.type;
    result.blockSize = blockSize();
    // An operation takes as long for one float as for two.
    if (result.blockSize == 1)
      perElement += ofFloats;
    result.bundles = static_cast<unsigned>(std::ceil(perElement * //
                                                     result.blockSize));
    return std::move(result);
  }

private:
  const Graph &graph;
  const std::vector<Tensor> &tensors;
  FusedExpression result;
  std::size_t elements = 1;
  /// Bundles of operations, without loads and stores.
  double perElement = 0;
  /// The part of them that is of floats in pairs.
  double ofFloats = 0;
  bool hasNarrow = false, hasInteger = false;
  std::map<std::string, std::string> statements;

  void addShape(unsigned index) {
    require(index != 0 && index <= tensors.size());
    const Tensor &t = tensors[index - 1];
    Shape &shape = result.shape;
    if (shape.size() < t.rank())
      shape.insert(shape.begin(), t.rank() - shape.size(), 1);
    for (unsigned i = 0; i != t.rank(); ++i) {
      std::size_t &extent = shape[shape.size() - 1 - i];
      const std::size_t other = t.dim(t.rank() - 1 - i);
      require(extent == other || extent == 1 || other == 1);
      if (extent == 1)
        extent = other;
    }
  }

  unsigned blockSize() const {
    // Integers go one by one, and floats with them; a half or a bool by itself
    // is expensive to store.
    require(!hasInteger || !hasNarrow);
    return hasNarrow ? 4 : hasInteger ? 1 : 2;
  }

  void note(const Type &type) {
    require(isFloating(type) || type == BOOL || type == INT ||
            type == UNSIGNED_INT);
    hasNarrow |= type == HALF || type == BOOL;
    hasInteger |= type == INT || type == UNSIGNED_INT;
  }

  Node node(const Expr &expr) {
    switch (expr.getKind()) {
    case ExprKind::CONST:
      return constant(static_cast<const Const &>(expr));
    case ExprKind::PLACEHOLDER:
      return placeHolder(static_cast<const PlaceHolder &>(expr).getIndex());
    case ExprKind::CAST:
      return cast(static_cast<const Cast &>(expr));
    case ExprKind::UNARY: {
      const auto &op = static_cast<const UnaryOp &>(expr);
      return unary(op.getOpType(), node(op.getArg()));
    }
    case ExprKind::BINARY: {
      const auto &op = static_cast<const BinaryOp &>(expr);
      Node left = node(op.getLHS());
      return binary(op.getOpType(), left, node(op.getRHS()));
    }
    case ExprKind::TERNARY:
      return ternary(static_cast<const TernaryOp &>(expr));
    }
    throw NotFusable();
  }

  static Node constant(const Const &expr) {
    const Type type = expr.getType();
    const double value =
        isFloating(type) ? expr.asDouble() : static_cast<double>(expr.asInt());
    return {.text = {}, .type = type, .isConstant = true, .value = value};
  }

  Node placeHolder(unsigned index) {
    const Tensor &t = tensors[index - 1];
    note(t.elementType());
    const auto kind = t.numElements() == elements ? FusedOperand::Whole
                      : t.numElements() == 1      ? FusedOperand::Single
                                                  : FusedOperand::Broadcast;
    std::size_t i = 0;
    while (i != result.operands.size() && !(result.operands[i].tensor == t))
      ++i;
    if (i == result.operands.size())
      result.operands.push_back({t, kind});
    require(i < MaxOperands);
    return {.text = 'x' + std::to_string(i),
            .type = t.elementType(),
            .isWhole = kind == FusedOperand::Whole,
            .isSingle = kind == FusedOperand::Single};
  }

  Node cast(const Cast &expr) {
    Node arg = node(expr.getLHS());
    const Type to = expr.getRHSType();
    if (arg.isConstant) {
      arg.type = to;
      arg.value = isFloating(to) ? arg.value : std::trunc(arg.value);
      return arg;
    }
    if (arg.type == to)
      return arg;
    const std::string types = spell(arg.type) + ", " + spell(to);
    requireVertex("popops::Cast1D<" + std::string(arg.type.toString()) + "," +
                  to.toString() + ">");
    return statement("fusedCast<" + types + ">", {arg}, to,
                     castBundles(arg.type, to));
  }

  Node unary(UnaryOpType op, Node arg) {
    requireVertex(unaryVertex(op, arg.type));
    return statement("fusedUnary<" + spell(op) + ", " + spell(arg.type) + ">",
                     {arg}, resultType(op, arg.type),
                     unaryBundles(op, arg.type));
  }

  Node binary(BinaryOpType op, Node a, Node b) {
    adapt(a, b);
    require(a.type == b.type);
    requireVertex(binaryVertex(op, a.type));
    return statement("fusedBinary<" + spell(op) + ", " + spell(a.type) + ">",
                     {a, b}, resultType(op, a.type), binaryBundles(op, a.type));
  }

  Node ternary(const TernaryOp &expr) {
    Node a = node(expr.getArg0());
    Node b = node(expr.getArg1());
    if (const std::optional<Node> chosen = choice(expr, a, b))
      return *chosen;
    Node c = node(expr.getArg2());
    if (expr.getOpType() == TernaryOpType::CLAMP)
      return binary(BinaryOpType::MINIMUM, binary(BinaryOpType::MAXIMUM, a, b),
                    c);
    adapt(a, b);
    require(c.type == BOOL && a.type == b.type);
    return statement("fusedSelect", {a, b, c}, a.type, selectBundles(a.type));
  }

  /// A choice by a comparison of numbers of its own type, which needs no bools:
  /// lanes of the comparison's result are masks.
  std::optional<Node> choice(const TernaryOp &expr, Node a, Node b) {
    if (expr.getOpType() != TernaryOpType::SELECT ||
        expr.getArg2().getKind() != ExprKind::BINARY)
      return std::nullopt;
    const auto &condition = static_cast<const BinaryOp &>(expr.getArg2());
    const BinaryOpType op = condition.getOpType();
    Node x = node(condition.getLHS()), y = node(condition.getRHS());
    adapt(a, b);
    adapt(x, y);
    if (!isFloating(a.type) || a.type != b.type || x.type != a.type ||
        y.type != a.type || resultType(op, x.type) != BOOL)
      return std::nullopt;
    requireVertex(binaryVertex(op, x.type));
    const bool hasNoOther =
        b.isConstant && b.value == 0 && !std::signbit(b.value);
    const std::string types = "<" + spell(op) + ", " + spell(a.type) + ">";
    // The mask, what it keeps, what it drops, and both joined.
    const double bundles = (hasNoOther ? 2.0 : 4.0) / (a.type == HALF ? 4 : 2);
    return hasNoOther
               ? statement("fusedKeep" + types, {a, x, y}, a.type, bundles, 2)
               : statement("fusedChoose" + types, {a, b, x, y}, a.type, bundles,
                           2);
  }

  /// A constant takes the type of the other operand.
  static void adapt(Node &a, Node &b) {
    if (a.isConstant == b.isConstant)
      return;
    Node &constant = a.isConstant ? a : b;
    const Type &type = a.isConstant ? b.type : a.type;
    require(
        constant.type == type || isFloating(type) ||
        (type != BOOL && !isFloating(constant.type) && constant.type != BOOL));
    constant.type = type;
  }

  /// An operation that has no vertex of its own cannot be fused either.
  void requireVertex(const std::string &name) const {
    require(graph.hasCodelet(name));
  }

  std::string valueOf(const Node &operand) {
    if (!operand.isConstant)
      return operand.text;
    note(operand.type);
    return named("splat<N>(" + spell(operand.type) + "(" +
                     literal(operand.value, operand.type) + "))",
                 "k", result.constants);
  }

  /// The name of the value of \p text, which is computed once.
  std::string named(const std::string &text, const char *prefix,
                    std::string &code) {
    const auto [known, isNew] = statements.try_emplace(text);
    if (isNew) {
      known->second = prefix + std::to_string(statements.size());
      code += "      const auto " + known->second + " = " + text + ";\n";
    }
    return known->second;
  }

  Node statement(const std::string &function, const std::vector<Node> &operands,
                 const Type &type, double bundles, unsigned operations = 1) {
    note(type);
    bool isWhole = false, isSingle = true;
    std::string arguments;
    for (const Node &operand : operands) {
      isWhole |= operand.isWhole;
      isSingle &= operand.isSingle || operand.isConstant;
      arguments += (arguments.empty() ? "" : ", ") + valueOf(operand);
    }
    // A value with fewer elements is computed once, not for each element: a
    // single one before the loop, others by a vertex of their own.
    require(isWhole || isSingle);
    const std::size_t before = statements.size();
    Node value{.text = named(function + "(" + arguments + ")", "v", //
                             isSingle ? result.constants : result.body),
               .type = type,
               .isWhole = isWhole,
               .isSingle = isSingle};
    if (statements.size() == before || isSingle)
      return value;
    result.operations += operations;
    perElement += bundles;
    if (isFloating(type) && isFloating(operands[0].type))
      ofFloats += bundles;
    return value;
  }
};

} // namespace

std::optional<FusedExpression>
fuseExpression(const Graph &graph, const Expr &expr,
               const std::vector<Tensor> &tensors) {
  const ExprKind kind = expr.getKind();
  if (kind == ExprKind::CONST || kind == ExprKind::PLACEHOLDER)
    return std::nullopt;
  try {
    return Writer(graph, tensors).write(expr);
  } catch (const NotFusable &) {
    return std::nullopt;
  }
}

} // namespace popops
