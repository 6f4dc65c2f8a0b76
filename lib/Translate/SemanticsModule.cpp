// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reading functions from the bitcode, with the attributes that make them
// disappear in their callers.

#include "lib/Translate/SemanticsModule.h"

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
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

void makeEmpty(Function &function) {
  function.deleteBody();
  ReturnInst::Create(function.getContext(),
                     BasicBlock::Create(function.getContext(), "", &function));
  function.setLinkage(GlobalValue::InternalLinkage);
}

/// A question or a report of an operation about the usual case, and the
/// functions that gather doubts about it: in general, and if finished results
/// show every unusual event.
constexpr struct {
  const char *question, *always, *ifResultsTell;
} UsualQuestions[] = {
    {"usual_float", "gather_float", "gather_float"},
    {"usual_pair", "gather_pair", "gather_pair"},
    {"usual_halves", "gather_halves", "gather_halves"},
    {"usual_rounding", nullptr, nullptr}, // is known before a loop begins
    {"usual_inputs", "gather_halves", nullptr},
    {"usual_staged", "gather_pair", nullptr},
    {"usual_staged_halves", "gather_halves", nullptr},
    {"finished_1", nullptr, "gather_finished_1"},
    {"finished_2", nullptr, "gather_finished_2"},
    {"finished_halves_1", nullptr, "gather_finished_halves_1"},
    {"finished_halves_2", nullptr, "gather_finished_halves_2"},
};

} // namespace

StringRef semanticsBitcode() {
  return {populus_semantics_begin,
          static_cast<std::size_t>(populus_semantics_end -
                                   populus_semantics_begin)};
}

SemanticsModule::SemanticsModule(LLVMContext &context,
                                 runtime::emulator::CodeKind kind)
    : kind(kind),
      bitcode(cantFail(getLazyBitcodeModule(
          MemoryBufferRef(semanticsBitcode(), "semantics"), context))),
      operations(bitcode->getGlobalVariable("populus_operations")),
      outside(bitcode->getFunction("populus_outside")),
      movesTriples(bitcode->getFunction("populus_moves_triples")),
      note(bitcode->getFunction("populus_note")),
      places{bitcode->getFunction("populus_place_0"),
             bitcode->getFunction("populus_place_1"),
             bitcode->getFunction("populus_place_2")} {
  cantFail(bitcode->materializeMetadata());
  const auto function = [&](const char *name) {
    return name ? bitcode->getFunction((Twine("populus_") + name).str())
                : nullptr;
  };
  for (const auto &[question, always, ifResultsTell] : UsualQuestions)
    usualQuestions[function(question)] = {function(always),
                                          function(ifResultsTell)};
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
  if (function == note && kind != runtime::emulator::CodeKind::Recording)
    makeEmpty(*function);
  // Questions were not inlined so far, so that their calls could be told apart.
  if (isQuestion(*function, {true, true}))
    function->removeFnAttr(Attribute::NoInline);
  if (!function->hasFnAttribute(Attribute::NoInline))
    function->addFnAttr(Attribute::AlwaysInline);
  for (Instruction &instruction : instructions(function))
    if (Function *callee = calledBy(instruction))
      need(callee);
  return function;
}

bool SemanticsModule::isQuestion(const Function &function,
                                 Assumptions assumptions) const {
  return (assumptions.addresses && (&function == outside || &function == note ||
                                    is_contained(places, &function))) ||
         (assumptions.usual && usualQuestions.count(&function)) ||
         (assumptions.keepsTriples() && &function == movesTriples);
}

/// Returns whether a function, or one that it calls, asks a question that the
/// assumptions answer.
bool SemanticsModule::asks(const Function &function,
                           Assumptions assumptions) const {
  for (const Instruction &instruction : instructions(function)) {
    const Function *callee = calledBy(const_cast<Instruction &>(instruction));
    if (callee &&
        (isQuestion(*callee, assumptions) || asks(*callee, assumptions)))
      return true;
  }
  return false;
}

bool SemanticsModule::asksForUsual(const Function *operation) const {
  return asks(*operation, {false, true});
}

Function *SemanticsModule::assuming(Function *operation,
                                    Assumptions assumptions) {
  Function *&clone = clones[{operation, assumptions}];
  if (clone)
    return clone;
  FunctionType *type = operation->getFunctionType();
  std::vector<Type *> parameters(type->param_begin(), type->param_end());
  parameters.insert(parameters.end(),
                    (assumptions.addresses ? Assumptions::MostAccesses : 0) +
                        (assumptions.usual ? 1 : 0),
                    PointerType::getUnqual(bitcode->getContext()));
  Function *result = Function::Create(
      FunctionType::get(type->getReturnType(), parameters, false),
      operation->getLinkage(), operation->getName(), *bitcode);
  clone = result; // the map may change
  ValueToValueMapTy values;
  for (Argument &argument : operation->args())
    values[&argument] = result->getArg(argument.getArgNo());
  SmallVector<ReturnInst *, 4> returns;
  CloneFunctionInto(result, operation, values,
                    CloneFunctionChangeType::LocalChangesOnly, returns);
  // The clone accesses more memory than its original.
  result->setMemoryEffects(MemoryEffects::unknown());
  std::vector<Value *> more;
  for (unsigned i = type->getNumParams(); i != result->arg_size(); ++i)
    more.push_back(result->getArg(i));
  for (Instruction &instruction : make_early_inc_range(instructions(result)))
    if (Function *callee = calledBy(instruction))
      assume(cast<CallBase>(instruction), *callee, assumptions, more);
  return result;
}

/// Answers a call that is a question, or has it answered by whom it calls.
void SemanticsModule::assume(CallBase &call, Function &callee,
                             Assumptions assumptions,
                             const std::vector<Value *> &more) {
  IRBuilder<> builder(&call);
  Value *answer = nullptr;
  if (!isQuestion(callee, assumptions)) {
    if (!asks(callee, assumptions))
      return;
    std::vector<Value *> arguments(call.arg_begin(), call.arg_end());
    arguments.insert(arguments.end(), more.begin(), more.end());
    CallInst *other =
        builder.CreateCall(assuming(&callee, assumptions), arguments);
    other->setAttributes(call.getAttributes());
    answer = other;
  } else if (&callee == outside || &callee == movesTriples) {
    answer = builder.getFalse();
  } else if (&callee == note) {
    // All accesses of the loop have been noted in front of it.
    call.eraseFromParent();
    return;
  } else if (const auto found = find(places, &callee); found != places.end()) {
    answer = more[static_cast<std::size_t>(found - places.begin())];
  } else {
    const Gather &gather = usualQuestions.at(&callee);
    Function *how =
        assumptions.resultsTell ? gather.ifResultsTell : gather.always;
    if (how)
      builder.CreateCall(need(how), {more.back(), call.getArgOperand(0)});
    if (call.getType()->isVoidTy()) {
      call.eraseFromParent();
      return;
    }
    answer = builder.getTrue();
  }
  call.replaceAllUsesWith(answer);
  call.eraseFromParent();
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
