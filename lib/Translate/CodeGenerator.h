// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a module with a region to an object file in memory.

#ifndef POPULUS_LIB_TRANSLATE_CODEGENERATOR_H
#define POPULUS_LIB_TRANSLATE_CODEGENERATOR_H

#include <llvm/IR/Module.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Target/TargetMachine.h>

#include <memory>

namespace populus::translate {

class CodeGenerator {
public:
  CodeGenerator();
  ~CodeGenerator();

  /// Inlines, optimises and compiles; `region` is the function to be called
  /// from outside. Throws std::runtime_error if the module is not valid, which
  /// is a defect.
  std::unique_ptr<llvm::MemoryBuffer> compile(llvm::Module &module,
                                              llvm::Function *region);

private:
  void optimise(llvm::Module &module, llvm::Function *region);

  std::unique_ptr<llvm::TargetMachine> machine;
};

} // namespace populus::translate

#endif
