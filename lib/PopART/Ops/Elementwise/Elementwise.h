// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementwise operators, with NumPy broadcasting. Each is a row of a table
// (Arithmetic.cpp, MathFunctions.cpp, Activations.cpp, Logic.cpp): versions,
// types, the popops expression for the device, a host function for constant
// folding, and the gradient.
//
// Pass ElementwiseFusion moves chains of elementwise operators into the body of
// an operator Fused, which popops computes as one expression.
//
// The device holds integers below 32 bits in wider types; results are wrapped
// to the range of the model's type.

#ifndef POPULUS_LIB_POPART_OPS_ELEMENTWISE_ELEMENTWISE_H
#define POPULUS_LIB_POPART_OPS_ELEMENTWISE_ELEMENTWISE_H

#include "lib/PopART/IR/Gradients.h"
#include "lib/PopART/IR/OpTable.h"
#include "lib/PopART/Lowering/Lowering.h"

#include <popops/Expr.hpp>

#include <algorithm>
#include <cmath>

namespace populus::popir {

namespace expr = popops::expr;

/// The operands of an elementwise operator on the device.
class DeviceOperands {
public:
  DeviceOperands(const Op &op, std::vector<expr::Any> values,
                 const poplar::Type &type)
      : op(op), values(std::move(values)), elementType(type) {}

  /// The operand must not be one that the model omits.
  const expr::Expr &operator[](std::size_t i) const {
    asked = std::max(asked, i + 1);
    return values[i];
  }
  std::size_t size() const { return values.size(); }
  /// 1 + the largest index that was accessed.
  std::size_t countAsked() const { return asked; }
  /// The type of the computation.
  const poplar::Type &type() const { return elementType; }
  /// A constant of that type.
  expr::Const constant(double value) const { return {value, elementType}; }
  /// An attribute as a constant of that type.
  expr::Const attribute(const char *name, float fallback) const {
    return constant(op.attributes().getFloat(name, fallback));
  }

  const Op &op;

private:
  std::vector<expr::Any> values;
  poplar::Type elementType;
  mutable std::size_t asked = 0;
};

/// The operands of one element of constants, as double or std::int64_t.
template <class T> class HostOperands {
public:
  HostOperands(const Op &op, const std::vector<T> &values)
      : op(op), values(values) {}
  T operator[](std::size_t i) const { return values[i]; }
  std::size_t size() const { return values.size(); }
  double attribute(const char *name, float fallback) const {
    return op.attributes().getFloat(name, fallback);
  }

  const Op &op;

private:
  const std::vector<T> &values;
};

using Device = const DeviceOperands &;
using Real = const HostOperands<double> &;
using Int = const HostOperands<std::int64_t> &;

/// Kinds of element types, to be combined.
enum TypeKinds : unsigned { Reals = 1, Integers = 2, Booleans = 4 };

/// A row of a table: all facts about an operator.
struct ElementwiseFunction {
  enum ResultType { OfOperands, Bool };

  std::string type;
  std::string domain = {};
  std::vector<int> versions;
  unsigned operandTypes = Reals;
  /// The operand that determines the type of the computation and of the others.
  std::size_t typeOperand = 0;
  /// An operand that may have another type, of these kinds; 0: none.
  std::size_t otherOperand = 0;
  unsigned otherTypes = 0;
  ResultType resultType = OfOperands;
  /// Takes any number of operands; with one it is the identity.
  bool isVariadic = false;
  expr::Any (*onDevice)(Device) = nullptr;
  /// Null if constants are not folded.
  double (*onReals)(Real) = nullptr;
  std::int64_t (*onIntegers)(Int) = nullptr;
  /// Null if the operator has no gradient.
  void (*gradient)(Gradients &) = nullptr;
};

/// An operator whose only result is an elementwise expression. The body of
/// Fused consists of such operators.
class ExpressionOp : public DeviceOp {
public:
  using DeviceOp::DeviceOp;

  bool isElementwise() const override { return true; }
  /// The shape of an input before broadcasting.
  virtual Shape operandShape(std::size_t index) const {
    return inputShape(index);
  }
  /// The expression of the result, given the expressions of the inputs.
  virtual expr::Any expressionOf(std::vector<expr::Any> operands) const = 0;
};

class ElementwiseOp final : public ExpressionOp {
public:
  ElementwiseOp(OpSpec spec, const ElementwiseFunction &function)
      : ExpressionOp(std::move(spec)), function(function) {}

  std::vector<TensorInfo> infer() const override;
  std::optional<std::vector<HostTensor>> evaluate() const override;
  void lower(Lowering &lowering) const override;
  bool embedsConstant(std::size_t index) const override;
  bool ownsResult() const override { return true; }
  bool canComputeInPlace(std::size_t index) const override;
  bool isIdentity() const override;
  void differentiate(Gradients &gradients) const override;

  Shape operandShape(std::size_t index) const override;
  expr::Any expressionOf(std::vector<expr::Any> operands) const override;

private:
  const TensorInfo &typeInfo() const {
    return input(function.typeOperand).info;
  }
  /// Checks that operands have the type of the computation, except for the one
  /// that may differ.
  void checkOperandTypes(DataType type) const;
  /// Skips ONNX's own operators, which the importer checks by their schemas.
  void checkOperandCount() const;
  bool hasFractions() const;

  const ElementwiseFunction &function;
};

/// True if shape and device type of operand and result agree, so that the
/// result can be computed in place.
bool fitsInPlace(const TensorInfo &operand, const TensorInfo &result);

/// A static object of this type registers the operators of a table, which must
/// outlive it.
class RegisterElementwise {
public:
  explicit RegisterElementwise(const std::vector<ElementwiseFunction> &table);
};

/// Wraps integers below 32 bits, which the device holds in wider types, modulo
/// the size of their range.
expr::Any narrowed(const expr::Expr &value, DataType type);

/// Maximum and minimum as the machine computes them: a number wins over NaN,
/// and -0 is less than +0.
inline double larger(double a, double b) {
  return a == b ? (std::signbit(a) ? b : a) : a > b || std::isnan(b) ? a : b;
}
inline double smaller(double a, double b) {
  return a == b ? (std::signbit(a) ? a : b) : a < b || std::isnan(b) ? a : b;
}
inline std::int64_t larger(std::int64_t a, std::int64_t b) {
  return std::max(a, b);
}
inline std::int64_t smaller(std::int64_t a, std::int64_t b) {
  return std::min(a, b);
}

/// Integer arithmetic that wraps around, as devices do.
template <class Function>
std::int64_t wrapping(std::int64_t a, std::int64_t b, Function f) {
  return static_cast<std::int64_t>(
      f(static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b)));
}

} // namespace populus::popir

#endif
