// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of the C and C++ libraries that exist on a tile, but not for every
// caller. For example, plain programs have a heap and files, and codelets have
// neither. The functions for workers are mostly code for workers only, which a
// supervisor cannot run. Such a call would be a fault in the run, far from its
// source.

#ifndef POPULUS_LIB_FRONTEND_LIBRARYCALLS_H
#define POPULUS_LIB_FRONTEND_LIBRARYCALLS_H

#include "runtime/Format/Executable.h"

#include <clang/AST/Decl.h>
#include <string>

namespace populus::frontend {

/// Returns why a vertex of this kind cannot call the function with that symbol,
/// and the alternative; empty if it can, or if the function is not known.
std::string libraryCallRefusal(llvm::StringRef symbol,
                               runtime::VertexKind caller);

/// A place in the user's own sources, in that function or in one that it calls,
/// which calls the function with that symbol (a `new` calls an operator new);
/// no place where there is none.
clang::SourceLocation findLibraryCall(const clang::FunctionDecl &caller,
                                      llvm::StringRef symbol);

} // namespace populus::frontend

#endif
