// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The nodes of elementwise expressions: copies, names, comparison.

#include <poplar/Tensor.hpp>
#include <popops/Expr.hpp>
#include <popops/ExprOpUtils.hpp>

#include <cctype>
#include <ostream>
#include <sstream>
#include <vector>

namespace popops {
namespace expr {
namespace {

constexpr const char *UnaryNames[] = {
#define UNARY_OP(OP, ...) #OP,
#include <popops/UnaryOps.def>
};

constexpr const char *BinaryNames[] = {
#define BINARY_OP(OP, ...) #OP,
#include <popops/BinaryOps.def>
};

constexpr const char *TernaryNames[] = {"CLAMP", "SELECT"};

template <class Op> std::string opName(Op op) {
  using namespace ostream_ext;
  std::ostringstream text;
  text << op;
  return text.str();
}

} // namespace

namespace ostream_ext {

std::ostream &operator<<(std::ostream &os, UnaryOpType op) {
  return os << UnaryNames[static_cast<unsigned>(op)];
}
std::ostream &operator<<(std::ostream &os, BinaryOpType op) {
  return os << BinaryNames[static_cast<unsigned>(op)];
}
std::ostream &operator<<(std::ostream &os, TernaryOpType op) {
  return os << TernaryNames[static_cast<unsigned>(op)];
}

} // namespace ostream_ext

Expr::~Expr() = default;

std::string Expr::name(const std::vector<poplar::Tensor> &inputs) const {
  const std::string plain = name();
  std::string text;
  for (std::size_t i = 0; i != plain.size(); ++i) {
    text += plain[i];
    // A place holder is a part of its own, "_" and its number.
    if (plain[i] != '_' ||
        (i != 0 && plain[i - 1] != '(' && plain[i - 1] != ','))
      continue;
    std::size_t index = 0;
    while (i + 1 != plain.size() && std::isdigit(plain[i + 1])) {
      text += plain[++i];
      index = 10 * index + (plain[i] - '0');
    }
    if (index != 0 && index <= inputs.size())
      text += ':' + inputs[index - 1].elementType().toString();
  }
  return text;
}

// A name holds everything that a node is made of.
bool Expr::deepEquals(const Expr &other) const {
  return name() == other.name();
}

namespace {

/// The parts of a name, which is "HEAD(PART,PART...)" or has none.
std::vector<std::string> partsOf(const std::string &name, std::size_t open) {
  std::vector<std::string> parts;
  std::size_t begin = open + 1, depth = 0;
  for (std::size_t i = begin; i < name.size(); ++i) {
    if (name[i] == '(')
      ++depth;
    if (depth == 0 && (name[i] == ',' || name[i] == ')')) {
      parts.push_back(name.substr(begin, i - begin));
      begin = i + 1;
    } else if (name[i] == ')') {
      --depth;
    }
  }
  return parts;
}

void printTree(std::ostream &os, const std::string &name, unsigned indent) {
  const std::size_t open = name.find('(');
  os << std::string(indent, ' ');
  if (open == std::string::npos || name.compare(0, open, "Const") == 0) {
    os << name << '\n';
    return;
  }
  os << name.substr(0, open) << '\n';
  for (const std::string &part : partsOf(name, open))
    printTree(os, part, indent + 2);
}

} // namespace

void Expr::print(std::ostream &os, unsigned indent, bool prettyPrint) const {
  if (prettyPrint)
    printTree(os, name(), indent);
  else
    os << std::string(indent, ' ') << name();
}

std::ostream &operator<<(std::ostream &os, const Expr &expr) {
  expr.print(os);
  return os;
}

std::string Const::printValue() const {
  std::ostringstream text;
  if (type == poplar::BOOL) {
    text << (bits != 0 ? "true" : "false");
  } else if (type.isFloatingPoint()) {
    text.precision(type == poplar::HALF ? 5 : 9);
    text << real;
  } else if (type == poplar::UNSIGNED_LONGLONG ||
             type == poplar::UNSIGNED_LONG) {
    text << static_cast<std::uint64_t>(bits);
  } else {
    text << bits;
  }
  return text.str();
}
void Const::printValue(std::ostream &os) const { os << printValue(); }

std::unique_ptr<Expr> Const::clone() const {
  return std::make_unique<Const>(*this);
}
std::string Const::name() const {
  std::ostringstream text;
  text.precision(17);
  text << "Const(";
  if (type == poplar::FLOAT || type == poplar::HALF)
    text << real;
  else
    text << bits;
  text << "," << type.toString() << ")";
  return text.str();
}

std::unique_ptr<Expr> Cast::clone() const {
  return std::make_unique<Cast>(*this);
}
std::string Cast::name() const {
  return "Cast(" + arg->name() + "," + type.toString() + ")";
}

std::unique_ptr<Expr> PlaceHolder::clone() const {
  return std::make_unique<PlaceHolder>(*this);
}
std::string PlaceHolder::name() const { return '_' + std::to_string(index); }

std::unique_ptr<Expr> UnaryOp::clone() const {
  return std::make_unique<UnaryOp>(*this);
}
std::string UnaryOp::name() const {
  return opName(type) + "(" + arg->name() + ")";
}

std::unique_ptr<Expr> BinaryOp::clone() const {
  return std::make_unique<BinaryOp>(*this);
}
std::string BinaryOp::name() const {
  return opName(type) + "(" + lhs->name() + "," + rhs->name() + ")";
}

std::unique_ptr<Expr> TernaryOp::clone() const {
  return std::make_unique<TernaryOp>(*this);
}
std::string TernaryOp::name() const {
  return opName(type) + "(" + arg0->name() + "," + arg1->name() + "," +
         arg2->name() + ")";
}

} // namespace expr
} // namespace popops

namespace poputil {

using namespace popops::expr;

std::string
VertexTemplateToString<UnaryOpType>::to_string(const UnaryOpType &op) {
  return "popops::expr::UnaryOpType::" + opName(op);
}
std::string
VertexTemplateToString<BinaryOpType>::to_string(const BinaryOpType &op) {
  return "popops::expr::BinaryOpType::" + opName(op);
}
std::string
VertexTemplateToString<TernaryOpType>::to_string(const TernaryOpType &op) {
  return "popops::expr::TernaryOpType::" + opName(op);
}

} // namespace poputil
