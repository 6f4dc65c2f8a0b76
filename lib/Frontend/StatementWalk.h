// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Visits the statements of a function with the loops and conditions around
// each.

#ifndef POPULUS_LIB_FRONTEND_STATEMENTWALK_H
#define POPULUS_LIB_FRONTEND_STATEMENTWALK_H

#include <clang/AST/Expr.h>

#include <functional>
#include <vector>

namespace populus::frontend {

struct Surroundings {
  std::vector<const clang::Stmt *> loops;
  std::vector<const clang::Expr *> conditions; // of if
};

using Visit = std::function<void(const clang::Stmt &, const Surroundings &)>;

/// Visits a statement and all within it, from the outside in.
void walk(const clang::Stmt *statement, const Visit &visit);

} // namespace populus::frontend

#endif
