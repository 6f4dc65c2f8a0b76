// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Frontend/CheckedExpressions.h"

#include <llvm/ADT/STLExtras.h>

using namespace clang;

namespace populus::frontend {

FieldAccess fieldAccess(const Expr *expression) {
  FieldAccess access;
  expression = expression->IgnoreParenImpCasts();
  if (const auto *call = dyn_cast<CXXOperatorCallExpr>(expression)) {
    if (call->getOperator() == OO_Subscript)
      access.index = call->getArg(1)->IgnoreParenImpCasts();
    else if (call->getOperator() != OO_Star || call->getNumArgs() != 1)
      return {};
    expression = call->getArg(0)->IgnoreParenImpCasts();
  }
  if (const auto *member = dyn_cast<MemberExpr>(expression))
    access.field = dyn_cast<FieldDecl>(member->getMemberDecl());
  return access;
}

const Expr *changedBy(const Stmt *statement) {
  if (const auto *binary = dyn_cast<BinaryOperator>(statement))
    return binary->isAssignmentOp() ? binary->getLHS() : nullptr;
  if (const auto *unary = dyn_cast<UnaryOperator>(statement))
    return unary->isIncrementDecrementOp() ? unary->getSubExpr() : nullptr;
  if (const auto *call = dyn_cast<CXXOperatorCallExpr>(statement))
    return call->isAssignmentOp() ? call->getArg(0) : nullptr;
  return nullptr;
}

const VarDecl *variableOf(const Expr *expression) {
  const auto *name = dyn_cast<DeclRefExpr>(expression->IgnoreParenImpCasts());
  return name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
}

bool mentions(const Stmt *statement, const VarDecl &variable) {
  if (!statement)
    return false;
  if (const auto *name = dyn_cast<DeclRefExpr>(statement))
    return name->getDecl() == &variable;
  return llvm::any_of(statement->children(), [&](const Stmt *child) {
    return mentions(child, variable);
  });
}

} // namespace populus::frontend
