// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes the CompilerInstance for one compilation, and has it work.

#ifndef POPULUS_LIB_FRONTEND_INSTANCE_H
#define POPULUS_LIB_FRONTEND_INSTANCE_H

#include "lib/Frontend/Compile.h"

#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendAction.h>

namespace populus::frontend {

/// Null after an error, which is in `diagnostics` then.
std::unique_ptr<clang::CompilerInstance>
makeInstance(const CompileJob &job, std::vector<Diagnostic> &diagnostics);

/// False if the action could not begin; why is a diagnostic.
bool runAction(clang::CompilerInstance &instance, clang::FrontendAction &action,
               const clang::FrontendInputFile &input);

} // namespace populus::frontend

#endif
