// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads LLVM IR, text or bitcode, that anyone may have made.

#ifndef POPULUS_LIB_FRONTEND_LLVMIR_H
#define POPULUS_LIB_FRONTEND_LLVMIR_H

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/MemoryBuffer.h>

#include <memory>
#include <string>

namespace populus::frontend {

struct LlvmIr {
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> module;
  /// The error message; empty if there is a module.
  std::string error;
  /// The position of the error in the text, both from 1; 0 if it has none.
  unsigned line = 0, column = 0;
};

/// Reads a module and gives it this data layout, whatever its own was. The
/// module has passed LLVM's verifier. `context` receives warnings.
LlvmIr readLlvmIr(const llvm::MemoryBuffer &buffer,
                  const std::string &dataLayout,
                  std::unique_ptr<llvm::LLVMContext> context);

} // namespace populus::frontend

#endif
