// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks for C++ that a tile cannot run: recursion, because a worker's stack
// has a fixed size; calls of unknown functions and arrays of variable size,
// because the stack's size must be computed; constructors of global objects,
// because nothing runs before a codelet; library functions that codelets cannot
// use. The optimiser removes some of them, so the checks look at its output and
// report at the declarations in the source.

#ifndef POPULUS_LIB_FRONTEND_TILECHECKS_H
#define POPULUS_LIB_FRONTEND_TILECHECKS_H

#include "lib/Frontend/EntryPoints.h"

#include <clang/AST/Decl.h>
#include <functional>
#include <set>
#include <span>

namespace populus::frontend {

struct TileCheckInput {
  clang::ASTContext &context;
  const runtime::TargetInfo &target;
  const std::vector<EntryPoint> &entries;
  /// After optimisation.
  const llvm::Module &module;
  /// The declaration of a mangled name, or null.
  std::function<const clang::Decl *(llvm::StringRef)> findDecl;
  /// See CompileJob.
  const std::set<std::string> &definedElsewhere;
};

/// Reports what entry points reach: global objects whose constructors are left
/// over, indirect calls of which no target is known, and arrays on the stack of
/// a size that is not constant.
void checkModule(const TileCheckInput &input);

/// Reports recursion, too large stacks and calls of library functions that a
/// vertex cannot call, in what entry points reach in an object.
void checkStack(const TileCheckInput &input,
                std::span<const std::uint8_t> object);

} // namespace populus::frontend

#endif
