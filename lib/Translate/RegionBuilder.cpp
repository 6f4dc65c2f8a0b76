// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state stays in memory: each instruction is a call of its function of
// Semantics.cpp, with constant operands, which will be inlined, and LLVM keeps
// registers in registers of the host where it can.

#include "lib/Translate/RegionBuilder.h"

#include "lib/Translate/HostProcessor.h"
#include "lib/Translate/Limits.h"
#include "lib/Translate/RepeatGuards.h"

#include "runtime/Emulator/Code/SlotFacts.h"
#include "runtime/Emulator/Translation/Translator.h"

#include <llvm/IR/MDBuilder.h>

#include <algorithm>

namespace populus::translate {

using namespace llvm;
using namespace runtime::emulator;

RegionBuilder::RegionBuilder(SemanticsModule &semantics, const Region &region,
                             StringRef name)
    : semantics(semantics), region(region),
      builder(semantics.module().getContext()), function(declare(name)),
      context(function->getArg(0)), slots(function->getArg(2)),
      place(function->getArg(4)), state(context) {}

Function *RegionBuilder::declare(StringRef name) {
  Type *pointer = builder.getPtrTy();
  auto *type = FunctionType::get(
      builder.getInt64Ty(),
      {pointer, pointer, pointer, builder.getInt32Ty(), pointer}, false);
  auto *result = Function::Create(type, GlobalValue::ExternalLinkage, name,
                                  semantics.module());
  // Nothing else reaches the state while the region runs, so LLVM may keep
  // it in registers.
  result->addParamAttr(0, Attribute::NoAlias);
  result->addParamAttr(0, Attribute::NoCapture);
  result->addParamAttr(0, Attribute::Writable);
  result->addDereferenceableParamAttr(0, sizeof(Context));
  result->addParamAttr(0, Attribute::getWithAlignment(builder.getContext(),
                                                      Align(alignof(Context))));
  // Only supervisors change the weights, and they run by themselves.
  result->addParamAttr(1, Attribute::NoAlias);
  result->addParamAttr(1, Attribute::ReadOnly);
  result->addParamAttr(2, Attribute::ReadOnly);
  result->addParamAttr(4, Attribute::ReadOnly);
  result->addFnAttr(Attribute::NoUnwind);
  const Function *model = semantics.helper("populus_issued");
  if (model->hasFnAttribute("target-cpu"))
    result->addFnAttr(model->getFnAttribute("target-cpu"));
  result->addFnAttr("target-features", hostProcessor().features);
  result->addFnAttr("tune-cpu", hostProcessor().name);
  // Loops are too short for more.
  result->addFnAttr("prefer-vector-width", "256");
  // Two sets of units are as wide as that.
  result->addFnAttr("min-legal-vector-width", "512");
  return result;
}

BasicBlock *RegionBuilder::newBlock(const Twine &name) {
  return BasicBlock::Create(builder.getContext(), name, function);
}

AllocaInst *RegionBuilder::allocate(std::size_t bytes) {
  IRBuilder<> atEntry(&*function->getEntryBlock().getFirstInsertionPt());
  AllocaInst *place =
      atEntry.CreateAlloca(ArrayType::get(builder.getInt8Ty(), bytes));
  place->setAlignment(Align(std::max(alignof(Context), alignof(Doubts))));
  return place;
}

MDNode *RegionBuilder::unlikely() {
  return MDBuilder(builder.getContext()).createBranchWeights(1, 1 << 20);
}

Value *RegionBuilder::call(StringRef helper, ArrayRef<Value *> arguments) {
  return builder.CreateCall(semantics.helper(helper), arguments);
}

Value *RegionBuilder::word(std::uint32_t value) {
  return builder.getInt32(value);
}

Value *RegionBuilder::issuedNow() {
  return builder.CreateAdd(
      builder.CreateLoad(builder.getInt64Ty(), issued),
      builder.getInt64(static_cast<std::uint64_t>(pending)));
}

void RegionBuilder::addPending() {
  if (pending != 0)
    builder.CreateStore(issuedNow(), issued);
  pending = 0;
}

void RegionBuilder::require(Value *condition, function_ref<void()> otherwise) {
  BasicBlock *good = newBlock("good");
  BasicBlock *bad = newBlock("bad");
  builder.CreateCondBr(
      condition, good, bad,
      MDBuilder(builder.getContext()).createBranchWeights(1 << 20, 1));
  builder.SetInsertPoint(bad);
  otherwise();
  builder.SetInsertPoint(good);
}

void RegionBuilder::end(BasicBlock *how, Value *slot) {
  builder.CreateStore(issuedNow(), issued);
  builder.CreateStore(slot, lastSlot);
  builder.CreateBr(how);
}

Value *RegionBuilder::relative(std::uint32_t slot) {
  return word(region.relative(slot));
}

void RegionBuilder::stopAt(std::uint32_t slot) {
  end(stopBlock, relative(slot));
}

void RegionBuilder::leaveTo(std::uint32_t slot) {
  end(leaveBlock, relative(slot));
}

Value *RegionBuilder::nearLimit() {
  return call("populus_near_limit", {context, issuedNow()});
}

Value *RegionBuilder::perform(Function *operation, const Operands &operands,
                              Assumptions assumptions) {
  std::uint64_t registers = 0;
  for (unsigned i = 0; i != sizeof(operands.r); ++i)
    registers |= std::uint64_t(operands.r[i]) << (8 * i);
  std::vector<Value *> arguments = {
      state, builder.getInt64(registers),
      word(static_cast<std::uint32_t>(operands.imm))};
  if (assumptions != Assumptions())
    operation = semantics.assuming(operation, assumptions);
  if (assumptions.addresses)
    arguments.insert(arguments.end(), places.begin(), places.end());
  if (assumptions.usual)
    arguments.push_back(doubts);
  return builder.CreateCall(operation, arguments);
}

Value *RegionBuilder::slotPointer(std::uint32_t slot) {
  return call("populus_slot", {slots, relative(slot)});
}

void RegionBuilder::noteInfluence(const DecodedSlot &slot, bool isNoted) {
  if (region.kind != CodeKind::Recording)
    return;
  const Influence influence =
      semantics.operation(*slot.main) ? influenceOf(slot) : Influence::Other;
  if (influence == Influence::Other)
    call("populus_note_uncertain", {context});
  else if (influence == Influence::Loaded && !isNoted)
    call("populus_note_control", {context});
}

void RegionBuilder::emitOrdinary(std::uint32_t at, const DecodedSlot &slot,
                                 Assumptions assumptions,
                                 function_ref<void()> fault) {
  noteInfluence(slot, assumptions.addresses);
  Function *main = semantics.operation(*slot.main);
  Function *aux = slot.aux ? semantics.operation(*slot.aux) : nullptr;
  // A memory access is always an operation.
  if (!main)
    return require(call("populus_step", {context, slotPointer(at)}), fault);
  const auto half = [&](Function *operation, const Operands &operands) {
    require(operation ? builder.CreateIsNotNull(
                            perform(operation, operands, assumptions))
                      : call("populus_step_aux", {context, slotPointer(at)}),
            fault);
  };
  if (!slot.aux)
    return half(main, slot.mainOperands);
  if (slot.order == PairOrder::MainFirst)
    half(main, slot.mainOperands);
  half(aux, slot.auxOperands);
  if (slot.order != PairOrder::MainFirst)
    half(main, slot.mainOperands);
  if (slot.order == PairOrder::AuxAside)
    call("populus_move_aside", {state, word(slot.auxOperands.r[AsideRegister]),
                                word(slot.auxOperands.r[AsideWords])});
}

void RegionBuilder::noteBits(const DecodedSlot &slot) {
  const SlotFacts::Bits bits = bitsOf(*slot.main, slot.mainOperands);
  if (region.kind != CodeKind::Recording || bits == SlotFacts::Bits::None ||
      slot.main->facts.lowestBits == LowestBits::Adds)
    return;
  const std::uint8_t *r = slot.mainOperands.r;
  ifListening([&] {
    if (bits == SlotFacts::Bits::TakesLowest)
      call("populus_note_lowest", {context, word(r[1])});
    else
      call("populus_note_joined", {context, word(r[1]), word(r[2])});
  });
}

void RegionBuilder::ifListening(function_ref<void()> emit) {
  BasicBlock *heard = newBlock("heard"), *after = newBlock("after");
  builder.CreateCondBr(call("populus_has_listener", {context}), heard, after,
                       unlikely());
  builder.SetInsertPoint(heard);
  emit();
  builder.CreateBr(after);
  builder.SetInsertPoint(after);
}

void RegionBuilder::emitOtherHalf(std::uint32_t at, const DecodedSlot &slot) {
  if (!slot.aux)
    return;
  noteInfluence(slot, false);
  Function *aux = semantics.operation(*slot.aux);
  Value *done = aux ? builder.CreateIsNotNull(perform(aux, slot.auxOperands))
                    : call("populus_step_aux", {context, slotPointer(at)});
  require(done, [&] { stopAt(at); });
}

Value *RegionBuilder::performControl(const RegionSlot &slot) {
  Operands operands = slot.decoded.mainOperands;
  // The operation does not need the target of the branch.
  if (slot.flow != Flow::Repeat)
    operands.imm = 0;
  return perform(semantics.operation(*slot.decoded.main), operands);
}

} // namespace populus::translate
