// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of Semantics.cpp in an LLVM module, to which regions are added.
// Only what is asked for is read from the bitcode.

#ifndef POPULUS_LIB_TRANSLATE_SEMANTICSMODULE_H
#define POPULUS_LIB_TRANSLATE_SEMANTICSMODULE_H

#include "runtime/Emulator/DecodeTable.h"

#include <llvm/IR/Module.h>

#include <map>
#include <memory>

namespace populus::translate {

class SemanticsModule {
public:
  explicit SemanticsModule(llvm::LLVMContext &context);

  llvm::Module &module() { return *bitcode; }

  /// perform() of a row: i32 (ptr context, i64 registers, i32 immediate); null
  /// if the interpreter has to do it.
  llvm::Function *operation(const runtime::emulator::RowInfo &row);
  /// The same without tests of the addresses of memory accesses.
  llvm::Function *unchecked(llvm::Function *operation);
  llvm::Function *helper(llvm::StringRef name);

  /// Removes what nobody has asked for. Nothing can be asked for after that.
  void finish();

private:
  llvm::Function *need(llvm::Function *function);
  bool checksAddresses(const llvm::Function &function) const;

  std::unique_ptr<llvm::Module> bitcode;
  llvm::GlobalVariable *operations;
  llvm::Function *outside;
  std::map<llvm::Function *, llvm::Function *> uncheckedClones;
};

/// The bitcode that is built into this library.
llvm::StringRef semanticsBitcode();

} // namespace populus::translate

#endif
