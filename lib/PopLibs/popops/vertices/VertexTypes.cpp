// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names are those of the templates in popops/codelets, for example
// popops::UnaryOp1D<popops::expr::UnaryOpType::SQRT,float>.

#include "lib/PopLibs/popops/vertices/VertexTypes.h"

#include "lib/PopLibs/popops/codelets/OpTypes.h"

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
  return isTest(op) ? BOOL : type;
}

Type resultType(BinaryOpType op, const Type &type) {
  return isComparison(op) ? BOOL : type;
}

} // namespace popops
