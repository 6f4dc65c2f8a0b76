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
  /// What is wrong with it; empty if there is a module.
  std::string error;
  /// Where in the text that is, both from 1; 0 where there is no such place.
  unsigned line = 0, column = 0;
};

/// A module with this layout of data, whatever its own was. It has passed
/// LLVM's verifier. `context` is where warnings go.
LlvmIr readLlvmIr(const llvm::MemoryBuffer &buffer,
                  const std::string &dataLayout,
                  std::unique_ptr<llvm::LLVMContext> context);

} // namespace populus::frontend

#endif
