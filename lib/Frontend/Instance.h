// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes the CompilerInstance for one compilation.

#ifndef POPULUS_LIB_FRONTEND_INSTANCE_H
#define POPULUS_LIB_FRONTEND_INSTANCE_H

#include "lib/Frontend/Compile.h"

#include <clang/Frontend/CompilerInstance.h>

namespace populus::frontend {

/// Null after an error, which is in `diagnostics` then.
std::unique_ptr<clang::CompilerInstance>
makeInstance(const CompileJob &job, std::vector<Diagnostic> &diagnostics);

} // namespace populus::frontend

#endif
