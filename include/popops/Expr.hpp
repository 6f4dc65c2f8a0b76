// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expressions over tensors for popops::map: trees of operations whose leaves
// are constants and place holders (_1 is the first tensor of the argument
// list). Nodes are values: copying a node copies the tree below it.

#ifndef POPULUS_POPOPS_EXPR_HPP
#define POPULUS_POPOPS_EXPR_HPP

#include <poplar/StandardLibrary.hpp>
#include <poplar/StringRef.hpp>
#include <poplar/Type.hpp>
#include <poplar/TypeTraits.hpp>
#include <popops/ExprOp.hpp>

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace poplar {
class Tensor;
}

namespace popops {
namespace expr {

enum class ExprKind { CONST, CAST, PLACEHOLDER, UNARY, BINARY, TERNARY };

/// Base class of all nodes.
class Expr {
public:
  virtual ~Expr();

  ExprKind getKind() const { return kind; }
  /// True if the expression is a \p Node: isA<BinaryOp>().
  template <class Node> bool isA() const {
    return dynamic_cast<const Node *>(this) != nullptr;
  }
  /// The expression as a \p Node, or null.
  template <class Node> const Node *getAs() const {
    return dynamic_cast<const Node *>(this);
  }
  virtual std::unique_ptr<Expr> clone() const = 0;
  /// The expression as text, such as "ADD(_1,Const(2,int))".
  virtual std::string name() const = 0;
  /// The same with the types of the tensors that place holders stand for:
  /// "ADD(_1:int,Const(2,int))".
  std::string name(const std::vector<poplar::Tensor> &inputs) const;
  bool deepEquals(const Expr &other) const;
  /// Its name; with \p prettyPrint as a tree, a node on each line.
  void print(std::ostream &os, unsigned indent = 0,
             bool prettyPrint = false) const;

protected:
  explicit Expr(ExprKind kind) : kind(kind) {}
  Expr(const Expr &) = default;
  Expr &operator=(const Expr &) = default;

private:
  ExprKind kind;
};

std::ostream &operator<<(std::ostream &os, const Expr &expr);

/// Holds any expression; for variables and containers.
class Any {
public:
  Any(const Expr &expr) : expr(expr.clone()) {}
  Any(const Any &other) : expr(other.expr->clone()) {}
  Any(Any &&) = default;
  Any &operator=(const Any &other) {
    expr = other.expr->clone();
    return *this;
  }
  Any &operator=(Any &&) = default;
  Any &operator=(const Expr &other) {
    expr = other.clone();
    return *this;
  }

  operator Expr &() { return *expr; }
  operator const Expr &() const { return *expr; }
  std::string name() const { return expr->name(); }
  std::string name(const std::vector<poplar::Tensor> &inputs) const {
    return expr->name(inputs);
  }

private:
  std::unique_ptr<Expr> expr;
};

/// The same value for every element.
class Const : public Expr {
public:
  template <class T,
            class = typename std::enable_if<std::is_arithmetic<T>::value>::type>
  Const(T value)
      : Expr(ExprKind::CONST), type(poplar::equivalent_device_type<T>().value),
        real(static_cast<double>(value)),
        bits(static_cast<std::int64_t>(asInteger(value))) {}
  /// A double is a FLOAT on the device.
  Const(double value)
      : Expr(ExprKind::CONST), type(poplar::FLOAT), real(value), bits(0) {}
  /// \p type must be able to hold \p value.
  Const(double value, const poplar::Type &type)
      : Expr(ExprKind::CONST), type(type), real(value),
        bits(static_cast<std::int64_t>(value)) {}

  const poplar::Type &getType() const { return type; }
  double asDouble() const { return real; }
  std::int64_t asInt() const { return bits; }
  /// The value as text, in as many digits as its type needs.
  std::string printValue() const;
  void printValue(std::ostream &os) const;

  std::unique_ptr<Expr> clone() const override;
  using Expr::name;
  std::string name() const override;

private:
  template <class T>
  static typename std::enable_if<std::is_integral<T>::value, std::int64_t>::type
  asInteger(T value) {
    return static_cast<std::int64_t>(value);
  }
  template <class T>
  static
      typename std::enable_if<!std::is_integral<T>::value, std::int64_t>::type
      asInteger(T) {
    return 0;
  }

  poplar::Type type;
  double real;
  std::int64_t bits;
};

/// A constant of type HALF.
class ConstHalf : public Const {
public:
  ConstHalf(float value) : Const(value, poplar::HALF) {}
};

inline ConstHalf operator""_half(long double value) {
  return ConstHalf(static_cast<float>(value));
}

/// Converts the elements to another type.
class Cast : public Expr {
public:
  Cast(const Expr &arg, const poplar::Type &type)
      : Expr(ExprKind::CAST), arg(arg.clone()), type(type) {}
  Cast(const Cast &other)
      : Expr(ExprKind::CAST), arg(other.arg->clone()), type(other.type) {}

  const Expr &getLHS() const { return *arg; }
  const poplar::Type &getRHSType() const { return type; }

  std::unique_ptr<Expr> clone() const override;
  using Expr::name;
  std::string name() const override;

private:
  std::unique_ptr<Expr> arg;
  poplar::Type type;
};

/// The tensor of that number, from 1, in the argument list.
class PlaceHolder : public Expr {
public:
  PlaceHolder(unsigned index) : Expr(ExprKind::PLACEHOLDER), index(index) {}

  unsigned getIndex() const { return index; }

  std::unique_ptr<Expr> clone() const override;
  using Expr::name;
  std::string name() const override;

private:
  unsigned index;
};

const PlaceHolder _1(1);
const PlaceHolder _2(2);
const PlaceHolder _3(3);
const PlaceHolder _4(4);
const PlaceHolder _5(5);
const PlaceHolder _6(6);
const PlaceHolder _7(7);
const PlaceHolder _8(8);
const PlaceHolder _9(9);
const PlaceHolder _10(10);
const PlaceHolder _11(11);
const PlaceHolder _12(12);
const PlaceHolder _13(13);
const PlaceHolder _14(14);
const PlaceHolder _15(15);
const PlaceHolder _16(16);
const PlaceHolder _17(17);
const PlaceHolder _18(18);
const PlaceHolder _19(19);
const PlaceHolder _20(20);

class UnaryOp : public Expr {
public:
  UnaryOp(UnaryOpType type, const Expr &arg)
      : Expr(ExprKind::UNARY), type(type), arg(arg.clone()) {}
  UnaryOp(const UnaryOp &other)
      : Expr(ExprKind::UNARY), type(other.type), arg(other.arg->clone()) {}

  UnaryOpType getOpType() const { return type; }
  const Expr &getArg() const { return *arg; }

  std::unique_ptr<Expr> clone() const override;
  using Expr::name;
  std::string name() const override;

private:
  UnaryOpType type;
  std::unique_ptr<Expr> arg;
};

class BinaryOp : public Expr {
public:
  BinaryOp(BinaryOpType type, const Expr &lhs, const Expr &rhs)
      : Expr(ExprKind::BINARY), type(type), lhs(lhs.clone()), rhs(rhs.clone()) {
  }
  BinaryOp(const BinaryOp &other)
      : Expr(ExprKind::BINARY), type(other.type), lhs(other.lhs->clone()),
        rhs(other.rhs->clone()) {}

  BinaryOpType getOpType() const { return type; }
  const Expr &getLHS() const { return *lhs; }
  const Expr &getRHS() const { return *rhs; }

  std::unique_ptr<Expr> clone() const override;
  using Expr::name;
  std::string name() const override;

private:
  BinaryOpType type;
  std::unique_ptr<Expr> lhs, rhs;
};

class TernaryOp : public Expr {
public:
  TernaryOp(TernaryOpType type, const Expr &arg0, const Expr &arg1,
            const Expr &arg2)
      : Expr(ExprKind::TERNARY), type(type), arg0(arg0.clone()),
        arg1(arg1.clone()), arg2(arg2.clone()) {}
  TernaryOp(const TernaryOp &other)
      : Expr(ExprKind::TERNARY), type(other.type), arg0(other.arg0->clone()),
        arg1(other.arg1->clone()), arg2(other.arg2->clone()) {}

  TernaryOpType getOpType() const { return type; }
  const Expr &getArg0() const { return *arg0; }
  const Expr &getArg1() const { return *arg1; }
  const Expr &getArg2() const { return *arg2; }

  std::unique_ptr<Expr> clone() const override;
  using Expr::name;
  std::string name() const override;

private:
  TernaryOpType type;
  std::unique_ptr<Expr> arg0, arg1, arg2;
};

// One class for each operation, by the rows of the tables.
#define POPULUS_UNARY_NODE(NAME, OP)                                           \
  class NAME : public UnaryOp {                                                \
  public:                                                                      \
    NAME(const Expr &arg) : UnaryOp(UnaryOpType::OP, arg) {}                   \
    NAME(const NAME &other) = default;                                         \
  };
#define POPULUS_UNARY_HIDDEN(NAME, OP)
#define UNARY_OP(OP, CLASS, NAME, ...) POPULUS_UNARY_##CLASS(NAME, OP)
#include <popops/UnaryOps.def>
#undef POPULUS_UNARY_NODE
#undef POPULUS_UNARY_HIDDEN

#define BINARY_OP(OP, NAME, ...)                                               \
  class NAME : public BinaryOp {                                               \
  public:                                                                      \
    NAME(const Expr &lhs, const Expr &rhs)                                     \
        : BinaryOp(BinaryOpType::OP, lhs, rhs) {}                              \
    NAME(const NAME &other) = default;                                         \
  };
#include <popops/BinaryOps.def>

// The operators that C++ has.
#define POPULUS_UNARY_OPERATOR(NAME, SYMBOL)                                   \
  inline NAME operator SYMBOL(const Expr &arg) { return NAME(arg); }
POPULUS_UNARY_OPERATOR(BitwiseNot, ~)
POPULUS_UNARY_OPERATOR(Not, !)
POPULUS_UNARY_OPERATOR(Neg, -)
#undef POPULUS_UNARY_OPERATOR

#define POPULUS_BINARY_OPERATOR(NAME, SYMBOL)                                  \
  inline NAME operator SYMBOL(const Expr &lhs, const Expr &rhs) {              \
    return NAME(lhs, rhs);                                                     \
  }                                                                            \
  template <class T>                                                           \
  inline typename std::enable_if<std::is_arithmetic<T>::value, NAME>::type     \
  operator SYMBOL(const T &lhs, const Expr &rhs) {                             \
    return NAME(Const(lhs), rhs);                                              \
  }                                                                            \
  template <class T>                                                           \
  inline typename std::enable_if<std::is_arithmetic<T>::value, NAME>::type     \
  operator SYMBOL(const Expr &lhs, const T &rhs) {                             \
    return NAME(lhs, Const(rhs));                                              \
  }
POPULUS_BINARY_OPERATOR(Add, +)
POPULUS_BINARY_OPERATOR(BitwiseAnd, &)
POPULUS_BINARY_OPERATOR(BitwiseOr, |)
POPULUS_BINARY_OPERATOR(BitwiseXor, ^)
POPULUS_BINARY_OPERATOR(Divide, /)
POPULUS_BINARY_OPERATOR(Equal, ==)
POPULUS_BINARY_OPERATOR(Gte, >=)
POPULUS_BINARY_OPERATOR(Gt, >)
POPULUS_BINARY_OPERATOR(Lte, <=)
POPULUS_BINARY_OPERATOR(And, &&)
POPULUS_BINARY_OPERATOR(Or, ||)
POPULUS_BINARY_OPERATOR(Lt, <)
POPULUS_BINARY_OPERATOR(Mul, *)
POPULUS_BINARY_OPERATOR(NotEqual, !=)
POPULUS_BINARY_OPERATOR(Rem, %)
POPULUS_BINARY_OPERATOR(Shl, <<)
POPULUS_BINARY_OPERATOR(Shr, >>)
POPULUS_BINARY_OPERATOR(Sub, -)
#undef POPULUS_BINARY_OPERATOR

#define POPULUS_TERNARY(NAME, OP)                                              \
  class NAME : public TernaryOp {                                              \
  public:                                                                      \
    NAME(const Expr &arg0, const Expr &arg1, const Expr &arg2)                 \
        : TernaryOp(TernaryOpType::OP, arg0, arg1, arg2) {}                    \
    NAME(const NAME &other) = default;                                         \
  };

/// Clamp(x, low, high).
POPULUS_TERNARY(Clamp, CLAMP)
/// Select(a, b, condition) is condition ? a : b.
POPULUS_TERNARY(Select, SELECT)

#undef POPULUS_TERNARY

} // namespace expr
} // namespace popops

#endif
