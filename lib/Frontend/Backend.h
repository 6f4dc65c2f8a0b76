// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From LLVM IR to the result of a compilation, with LLVM's own diagnostics
// reported in Clang's form.

#ifndef POPULUS_LIB_FRONTEND_BACKEND_H
#define POPULUS_LIB_FRONTEND_BACKEND_H

#include "lib/Frontend/Compile.h"

#include <clang/Frontend/CompilerInstance.h>
#include <functional>
#include <llvm/IR/Module.h>

namespace populus::frontend {

/// Turns what LLVM reports in this context into diagnostics of the instance.
/// Finds where a function of the module, given by its symbol, is in the source.
using LocateFunction = std::function<clang::SourceLocation(llvm::StringRef)>;

void installDiagnosticHandler(llvm::LLVMContext &context,
                              clang::CompilerInstance &instance,
                              LocateFunction locate = nullptr);

/// Optimises the module as the instance's options and the counts of the job
/// say, and generates the result of the job.
void generateCode(clang::CompilerInstance &instance, llvm::Module &module,
                  const CompileJob &job, CompileOutput &output);

} // namespace populus::frontend

#endif
