// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names are those of the templates in popops/codelets, for example
// popops::UnaryOp1D<popops::expr::UnaryOpType::SQRT,float>.

#include "lib/PopLibs/popops/vertices/VertexTypes.h"

#include <popops/ExprOpUtils.hpp>
#include <poputil/VertexTemplates.hpp>

#include <sstream>

using namespace poplar;
using namespace popops::expr;
using poputil::templateVertex;

namespace popops {
namespace {

template <class Op> std::string spell(const char *type, Op op) {
  using namespace expr::ostream_ext;
  std::ostringstream text;
  text << "popops::expr::" << type << "::" << op;
  return text.str();
}

} // namespace

std::string spell(const Type &type) {
  return type == UNSIGNED_INT ? "unsigned" : std::string(type.toString());
}
std::string spell(UnaryOpType op) { return spell("UnaryOpType", op); }
std::string spell(BinaryOpType op) { return spell("BinaryOpType", op); }

std::string unaryVertex(UnaryOpType op, const Type &type) {
  return templateVertex("popops::UnaryOp1D", spell(op), type);
}
std::string binaryVertex(BinaryOpType op, const Type &type) {
  return templateVertex("popops::BinaryOp1D", spell(op), type);
}

Type resultType(UnaryOpType op, const Type &type) {
  switch (op) {
  case UnaryOpType::IS_FINITE:
  case UnaryOpType::IS_INF:
  case UnaryOpType::IS_NAN:
    return BOOL;
  default:
    return type;
  }
}

Type resultType(BinaryOpType op, const Type &type) {
  switch (op) {
  case BinaryOpType::EQUAL:
  case BinaryOpType::NOT_EQUAL:
  case BinaryOpType::LESS_THAN:
  case BinaryOpType::LESS_THAN_EQUAL:
  case BinaryOpType::GREATER_THAN:
  case BinaryOpType::GREATER_THAN_EQUAL:
    return BOOL;
  default:
    return type;
  }
}

} // namespace popops
