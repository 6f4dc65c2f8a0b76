// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Questions about expressions that the checks share.

#ifndef POPULUS_LIB_FRONTEND_CHECKEDEXPRESSIONS_H
#define POPULUS_LIB_FRONTEND_CHECKEDEXPRESSIONS_H

#include <clang/AST/ExprCXX.h>

namespace populus::frontend {

/// An access to a field of a vertex, `out[i]` or `*out`.
struct FieldAccess {
  const clang::FieldDecl *field = nullptr;
  /// The index; null for an edge of one element.
  const clang::Expr *index = nullptr;
};
FieldAccess fieldAccess(const clang::Expr *expression);

/// The object that a statement changes: the left side of an assignment, the
/// operand of an increment; null for others.
const clang::Expr *changedBy(const clang::Stmt *statement);

/// The variable that an expression names, or null.
const clang::VarDecl *variableOf(const clang::Expr *expression);

/// Returns whether a statement mentions a variable anywhere.
bool mentions(const clang::Stmt *statement, const clang::VarDecl &variable);

} // namespace populus::frontend

#endif
