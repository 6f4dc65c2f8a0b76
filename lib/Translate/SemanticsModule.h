// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of Semantics.cpp in an LLVM module, to which regions are added.
// Only what is asked for is read from the bitcode.

#ifndef POPULUS_LIB_TRANSLATE_SEMANTICSMODULE_H
#define POPULUS_LIB_TRANSLATE_SEMANTICSMODULE_H

#include "runtime/Emulator/Code/DecodeTable.h"
#include "runtime/Emulator/Translation/Translator.h"

#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>

#include <array>
#include <compare>
#include <map>
#include <memory>
#include <vector>

namespace populus::translate {

/// The tests that an operation may leave out.
struct Assumptions {
  /// The memory accesses have been found to be good. The operation takes their
  /// host addresses as further arguments: MostAccesses pointers.
  bool addresses = false;
  /// Nothing unusual happens. The operation gathers doubts in place of its
  /// questions, at a pointer that is its last argument.
  bool usual = false;
  /// Some of these doubts can be left to the finished results of the loop
  /// (MatrixLoop.h). Only where nothing unusual happens.
  bool resultsTell = false;

  static constexpr unsigned MostAccesses = 3;
  /// Returns whether the triples of addresses are not moved on: with both
  /// assumptions.
  bool keepsTriples() const { return addresses && usual; }

  auto operator<=>(const Assumptions &) const = default;
};

class SemanticsModule {
public:
  SemanticsModule(llvm::LLVMContext &context, runtime::emulator::CodeKind kind);

  llvm::Module &module() { return *bitcode; }

  /// perform() of a row: i32 (ptr context, i64 registers, i32 immediate); null
  /// if the interpreter has to do it.
  llvm::Function *operation(const runtime::emulator::RowInfo &row);
  /// Returns the operation, simplified by assumptions.
  llvm::Function *assuming(llvm::Function *operation, Assumptions assumptions);
  /// Returns whether an operation has a simpler form in which nothing unusual
  /// happens.
  bool asksForUsual(const llvm::Function *operation) const;
  llvm::Function *helper(llvm::StringRef name);

  /// Removes the functions that were not requested. No function can be
  /// requested after that.
  void finish();

private:
  llvm::Function *need(llvm::Function *function);
  bool isQuestion(const llvm::Function &function,
                  Assumptions assumptions) const;
  bool asks(const llvm::Function &function, Assumptions assumptions) const;
  void assume(llvm::CallBase &call, llvm::Function &callee,
              Assumptions assumptions, const std::vector<llvm::Value *> &more);

  const runtime::emulator::CodeKind kind;
  std::unique_ptr<llvm::Module> bitcode;
  llvm::GlobalVariable *operations;
  // Functions that are questions, which assumptions answer.
  llvm::Function *outside, *movesTriples, *note;
  std::array<llvm::Function *, Assumptions::MostAccesses> places;
  /// The functions that gather doubts instead of asking whether something is
  /// usual; null if there are none.
  struct Gather {
    llvm::Function *always, *ifResultsTell;
  };
  std::map<const llvm::Function *, Gather> usualQuestions;
  std::map<std::pair<llvm::Function *, Assumptions>, llvm::Function *> clones;
};

/// The bitcode that is built into this library.
llvm::StringRef semanticsBitcode();

} // namespace populus::translate

#endif
