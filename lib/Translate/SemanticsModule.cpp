// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reading functions from the bitcode, with the attributes that make them
// disappear in their callers.

#include "lib/Translate/SemanticsModule.h"

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Support/Error.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Transforms/Utils/Cloning.h>

// The assembler puts the file in.
__asm__(".section .rodata\n"
        ".balign 16\n"
        "populus_semantics_begin:\n"
        ".incbin \"" POPULUS_SEMANTICS_BITCODE "\"\n"
        "populus_semantics_end:\n"
        ".previous\n");
extern "C" __attribute__((visibility("hidden")))
const char populus_semantics_begin[],
    populus_semantics_end[];

namespace populus::translate {

using namespace llvm;

namespace {

Function *calledBy(Instruction &instruction) {
  auto *call = dyn_cast<CallBase>(&instruction);
  return call ? call->getCalledFunction() : nullptr;
}

} // namespace

StringRef semanticsBitcode() {
  return {populus_semantics_begin,
          static_cast<std::size_t>(populus_semantics_end -
                                   populus_semantics_begin)};
}

SemanticsModule::SemanticsModule(LLVMContext &context)
    : bitcode(cantFail(getLazyBitcodeModule(
          MemoryBufferRef(semanticsBitcode(), "semantics"), context))),
      operations(bitcode->getGlobalVariable("populus_operations")),
      outside(bitcode->getFunction("populus_outside")) {
  cantFail(bitcode->materializeMetadata());
}

Function *SemanticsModule::operation(const runtime::emulator::RowInfo &row) {
  const auto index =
      static_cast<unsigned>(&row - runtime::emulator::rows().data());
  Constant *entry = operations->getInitializer()->getAggregateElement(index);
  auto *function = dyn_cast<Function>(entry);
  return function ? need(function) : nullptr;
}

Function *SemanticsModule::helper(StringRef name) {
  Function *function = need(bitcode->getFunction(name));
  // The interpreter's handlers do not keep the pointers that they get.
  for (Instruction &instruction : instructions(function))
    if (auto *call = dyn_cast<CallBase>(&instruction);
        call && call->isIndirectCall())
      for (unsigned i = 0; i != call->arg_size(); ++i)
        if (call->getArgOperand(i)->getType()->isPointerTy())
          call->addParamAttr(i, Attribute::NoCapture);
  return function;
}

/// Reads a function and those that it calls.
Function *SemanticsModule::need(Function *function) {
  if (!function->isMaterializable())
    return function;
  cantFail(function->materialize());
  function->setLinkage(GlobalValue::InternalLinkage);
  function->setComdat(nullptr);
  // So that calls could be told apart.
  if (function == outside)
    function->removeFnAttr(Attribute::NoInline);
  if (!function->hasFnAttribute(Attribute::NoInline))
    function->addFnAttr(Attribute::AlwaysInline);
  for (Instruction &instruction : instructions(function))
    if (Function *callee = calledBy(instruction))
      need(callee);
  return function;
}

bool SemanticsModule::checksAddresses(const Function &function) const {
  for (const Instruction &instruction : instructions(function)) {
    const Function *callee = calledBy(const_cast<Instruction &>(instruction));
    if (callee && (callee == outside || checksAddresses(*callee)))
      return true;
  }
  return false;
}

Function *SemanticsModule::unchecked(Function *operation) {
  Function *&clone = uncheckedClones[operation];
  if (clone)
    return clone;
  ValueToValueMapTy values;
  Function *copy = CloneFunction(operation, values);
  clone = copy;
  for (Instruction &instruction : make_early_inc_range(instructions(copy))) {
    Function *callee = calledBy(instruction);
    if (!callee)
      continue;
    if (callee == outside) {
      instruction.replaceAllUsesWith(
          ConstantInt::getFalse(instruction.getContext()));
      instruction.eraseFromParent();
    } else if (checksAddresses(*callee)) {
      cast<CallBase>(instruction).setCalledFunction(unchecked(callee));
    }
  }
  return copy;
}

void SemanticsModule::finish() {
  operations->eraseFromParent();
  std::vector<Function *> unused;
  for (Function &function : *bitcode)
    if (function.isMaterializable())
      unused.push_back(&function);
  for (Function *function : unused) {
    function->deleteBody();
    function->setComdat(nullptr);
  }
  for (Function *function : unused) {
    function->removeDeadConstantUsers();
    if (function->use_empty())
      function->eraseFromParent();
    else
      function->setLinkage(GlobalValue::ExternalLinkage);
  }
  cantFail(bitcode->materializeAll());
}

} // namespace populus::translate
