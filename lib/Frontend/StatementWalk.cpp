// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Frontend/StatementWalk.h"

#include <clang/AST/StmtCXX.h>

using namespace clang;

namespace populus::frontend {

namespace {

bool isLoop(const Stmt &statement) {
  return isa<ForStmt, CXXForRangeStmt, WhileStmt, DoStmt>(statement);
}

void walkIn(const Stmt *statement, Surroundings &around, const Visit &visit) {
  if (!statement)
    return;
  visit(*statement, around);
  const auto *choice = dyn_cast<IfStmt>(statement);
  if (isLoop(*statement))
    around.loops.push_back(statement);
  if (choice)
    around.conditions.push_back(choice->getCond());
  for (const Stmt *child : statement->children())
    walkIn(child, around, visit);
  if (isLoop(*statement))
    around.loops.pop_back();
  if (choice)
    around.conditions.pop_back();
}

} // namespace

void walk(const Stmt *statement, const Visit &visit) {
  Surroundings around;
  walkIn(statement, around, visit);
}

} // namespace populus::frontend
