// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rebuilds the tree from its leaves. A part is free as long as its type may
// still be chosen: no tensor, Cast or comparison says what it is.

#include "lib/PopLibs/popops/elementwise/ConstantTypes.h"

#include "lib/PopLibs/popops/elementwise/ElementWiseVertices.h"
#include "lib/PopLibs/popops/vertices/VertexTypes.h"

using namespace poplar;
using namespace popops::expr;

namespace popops {
namespace {

struct Part {
  Any expr;
  Type type;
  bool isFree = false;
};

bool isFloating(const Type &type) { return type == FLOAT || type == HALF; }

/// The free part with its constants in another type.
Any converted(const Expr &expr, const Type &type) {
  switch (expr.getKind()) {
  case ExprKind::CONST: {
    const auto &constant = static_cast<const Const &>(expr);
    return Const(isFloating(constant.getType())
                     ? constant.asDouble()
                     : static_cast<double>(constant.asInt()),
                 type);
  }
  case ExprKind::UNARY: {
    const auto &op = static_cast<const UnaryOp &>(expr);
    return UnaryOp(op.getOpType(), converted(op.getArg(), type));
  }
  case ExprKind::BINARY: {
    const auto &op = static_cast<const BinaryOp &>(expr);
    return BinaryOp(op.getOpType(), converted(op.getLHS(), type),
                    converted(op.getRHS(), type));
  }
  case ExprKind::TERNARY: {
    const auto &op = static_cast<const TernaryOp &>(expr);
    Any last = op.getArg2(); // of a selection: the condition
    if (op.getOpType() == TernaryOpType::CLAMP)
      last = converted(op.getArg2(), type);
    return TernaryOp(op.getOpType(), converted(op.getArg0(), type),
                     converted(op.getArg1(), type), last);
  }
  default:
    return expr;
  }
}

/// A constant that is true or false as an integer.
bool isBit(const Expr &expr) {
  if (expr.getKind() != ExprKind::CONST)
    return false;
  const auto &constant = static_cast<const Const &>(expr);
  return !isFloating(constant.getType()) &&
         (constant.asInt() == 0 || constant.asInt() == 1);
}

void adaptTo(Part &part, const Type &type) {
  const bool loses = isFloating(part.type) && !isFloating(type);
  if (!part.isFree || loses || (type == BOOL && !isBit(part.expr)))
    return;
  part.expr = converted(part.expr, type);
  part.type = type;
}

/// A free operand takes the type of the other one.
void adapt(Part &a, Part &b) {
  if (a.isFree && !b.isFree)
    adaptTo(a, b.type);
  else if (b.isFree && !a.isFree)
    adaptTo(b, a.type);
}

/// Comparisons by order, and the larger and the smaller one, of booleans are
/// logic: there are no vertices for them.
Any ofBooleans(BinaryOpType op, const Expr &a, const Expr &b) {
  switch (op) {
  case BinaryOpType::LESS_THAN:
    return And(Not(a), b);
  case BinaryOpType::LESS_THAN_EQUAL:
    return Or(Not(a), b);
  case BinaryOpType::GREATER_THAN:
    return And(a, Not(b));
  case BinaryOpType::GREATER_THAN_EQUAL:
    return Or(a, Not(b));
  case BinaryOpType::MAXIMUM:
    return Or(a, b);
  case BinaryOpType::MINIMUM:
    return And(a, b);
  default:
    return BinaryOp(op, a, b);
  }
}

class Typing {
public:
  explicit Typing(const std::vector<Tensor> &tensors) : tensors(tensors) {}

  Part part(const Expr &expr) const {
    switch (expr.getKind()) {
    case ExprKind::CONST: {
      const Type type = static_cast<const Const &>(expr).getType();
      return {expr, type, type != BOOL};
    }
    case ExprKind::PLACEHOLDER: {
      const unsigned i = static_cast<const PlaceHolder &>(expr).getIndex();
      const bool isKnown = i != 0 && i <= tensors.size();
      return {expr, isKnown ? tensors[i - 1].elementType() : FLOAT};
    }
    case ExprKind::CAST: {
      const auto &op = static_cast<const Cast &>(expr);
      return {Cast(part(op.getLHS()).expr, op.getRHSType()), op.getRHSType()};
    }
    case ExprKind::UNARY: {
      const auto &op = static_cast<const UnaryOp &>(expr);
      const Part arg = part(op.getArg());
      return result(op.getOpType(), UnaryOp(op.getOpType(), arg.expr), arg.type,
                    arg.isFree);
    }
    case ExprKind::BINARY: {
      const auto &op = static_cast<const BinaryOp &>(expr);
      Part a = part(op.getLHS()), b = part(op.getRHS());
      adapt(a, b);
      if (a.type == BOOL && b.type == BOOL)
        return {ofBooleans(op.getOpType(), a.expr, b.expr), BOOL};
      return result(op.getOpType(), BinaryOp(op.getOpType(), a.expr, b.expr),
                    a.type, a.isFree && b.isFree);
    }
    case ExprKind::TERNARY:
      return ternary(static_cast<const TernaryOp &>(expr));
    }
    return {expr, FLOAT};
  }

private:
  const std::vector<Tensor> &tensors;

  template <class Op>
  static Part result(Op op, const Expr &expr, const Type &operands,
                     bool isFree) {
    const Type type = resultType(op, operands);
    return {expr, type, isFree && type == operands};
  }

  Part ternary(const TernaryOp &op) const {
    Part a = part(op.getArg0()), b = part(op.getArg1()), c = part(op.getArg2());
    adapt(a, b);
    bool isFree = a.isFree && b.isFree;
    if (op.getOpType() == TernaryOpType::CLAMP) {
      adapt(a, c);
      adapt(a, b);
      isFree &= c.isFree;
    }
    return {TernaryOp(op.getOpType(), a.expr, b.expr, c.expr), a.type, isFree};
  }
};

} // namespace

Any withConstantTypes(const Expr &expr, const std::vector<Tensor> &tensors) {
  return Typing(tensors).part(expr).expr;
}

} // namespace popops
