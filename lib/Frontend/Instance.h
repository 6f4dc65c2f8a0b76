// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes the CompilerInstance for one compilation, and has it work.

#ifndef POPULUS_LIB_FRONTEND_INSTANCE_H
#define POPULUS_LIB_FRONTEND_INSTANCE_H

#include "lib/Frontend/Compile.h"

#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendAction.h>

namespace populus::frontend {

/// Makes a compiler instance; null after an error, which is then in
/// `diagnostics`.
std::unique_ptr<clang::CompilerInstance>
makeInstance(const CompileJob &job, std::vector<Diagnostic> &diagnostics);

/// Runs an action. Returns false if it could not begin; a diagnostic says why.
bool runAction(clang::CompilerInstance &instance, clang::FrontendAction &action,
               const clang::FrontendInputFile &input);

} // namespace populus::frontend

#endif
