// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state stays in memory: each instruction is a call of its function of
// Semantics.cpp, with constant operands, which will be inlined, and LLVM keeps
// registers in registers of the host where it can. A block begins where control
// may come from elsewhere. Turns are added up at the ends of blocks; where the
// region may be left in the middle of one, the turns so far are known.
//
// A region is left through two blocks: `stop`, when the context has exited or
// faulted, and `leave`, when the interpreter goes on at a slot of which nothing
// has been done.

#include "lib/Translate/Emitter.h"

#include "lib/Translate/RepeatGuards.h"

#include "runtime/Emulator/Translator.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/MDBuilder.h>

#include <optional>

namespace populus::translate {

using namespace llvm;
using namespace runtime::emulator;

namespace {

class Emitter {
public:
  Emitter(SemanticsModule &semantics, const Region &region, StringRef name)
      : semantics(semantics), region(region),
        builder(semantics.module().getContext()), function(declare(name)),
        context(function->getArg(0)), slots(function->getArg(2)),
        place(function->getArg(4)), state(context) {}

  Function *run() {
    BasicBlock *entry = newBlock("entry");
    leaveBlock = newBlock("leave");
    stopBlock = newBlock("stop");
    for (std::uint32_t leader : region.leaders)
      if (region.contains(leader))
        blocks[leader] = newBlock("slot" + std::to_string(leader));
    emitEnds(entry);
    for (const auto &[leader, block] : blocks)
      emitBlock(leader, block);
    return function;
  }

private:
  // ---- Pieces of IR ---------------------------------------------------------

  Function *declare(StringRef name) {
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
    result->addParamAttr(0, Attribute::getWithAlignment(
                                builder.getContext(), Align(alignof(Context))));
    // Only supervisors change the weights, and they run by themselves.
    result->addParamAttr(1, Attribute::NoAlias);
    result->addParamAttr(1, Attribute::ReadOnly);
    result->addParamAttr(2, Attribute::ReadOnly);
    result->addParamAttr(4, Attribute::ReadOnly);
    result->addFnAttr(Attribute::NoUnwind);
    const Function *model = semantics.helper("populus_issued");
    for (const char *attribute : {"target-cpu", "target-features", "tune-cpu"})
      if (model->hasFnAttribute(attribute))
        result->addFnAttr(model->getFnAttribute(attribute));
    return result;
  }

  BasicBlock *newBlock(const Twine &name) {
    return BasicBlock::Create(builder.getContext(), name, function);
  }

  Value *call(StringRef helper, ArrayRef<Value *> arguments) {
    return builder.CreateCall(semantics.helper(helper), arguments);
  }
  Value *word(std::uint32_t value) { return builder.getInt32(value); }

  /// The turns up to here, with those of the block so far.
  Value *issuedNow() {
    return builder.CreateAdd(
        builder.CreateLoad(builder.getInt64Ty(), issued),
        builder.getInt64(static_cast<std::uint64_t>(pending)));
  }
  void addPending() {
    if (pending != 0)
      builder.CreateStore(issuedNow(), issued);
    pending = 0;
  }

  /// Goes on only if a condition holds that nearly always does; else through a
  /// block that the caller fills, and ends, in `otherwise`.
  template <typename Otherwise>
  void require(Value *condition, Otherwise otherwise) {
    BasicBlock *good = newBlock("good");
    BasicBlock *bad = newBlock("bad");
    builder.CreateCondBr(
        condition, good, bad,
        MDBuilder(builder.getContext()).createBranchWeights(1 << 20, 1));
    builder.SetInsertPoint(bad);
    otherwise();
    builder.SetInsertPoint(good);
  }

  void end(BasicBlock *how, Value *slot) {
    builder.CreateStore(issuedNow(), issued);
    builder.CreateStore(slot, lastSlot);
    builder.CreateBr(how);
  }
  Value *relative(std::uint32_t slot) { return word(region.relative(slot)); }
  void stopAt(std::uint32_t slot) { end(stopBlock, relative(slot)); }
  void leaveTo(std::uint32_t slot) { end(leaveBlock, relative(slot)); }

  Value *nearLimit() {
    return call("populus_near_limit", {context, issuedNow()});
  }

  /// Where the region begins and ends.
  void emitEnds(BasicBlock *entry) {
    builder.SetInsertPoint(entry);
    issued = builder.CreateAlloca(builder.getInt64Ty());
    lastSlot = builder.CreateAlloca(builder.getInt32Ty());
    builder.CreateStore(call("populus_issued", {context}), issued);
    Value *first = function->getArg(3);
    require(builder.CreateNot(nearLimit()), [&] { end(leaveBlock, first); });
    SwitchInst *choice = builder.CreateSwitch(first, blocks.at(region.entry));
    for (std::uint32_t other : region.entries)
      if (const auto found = blocks.find(other);
          found != blocks.end() && other != region.entry)
        choice->addCase(builder.getInt32(region.relative(other)),
                        found->second);
    emitReturn(leaveBlock, RegionEnd::Continue);
    emitReturn(stopBlock, RegionEnd::Stop);
  }

  /// A RegionResult as it is returned in a register.
  void emitReturn(BasicBlock *block, RegionEnd end) {
    builder.SetInsertPoint(block);
    call("populus_set_issued",
         {context, builder.CreateLoad(builder.getInt64Ty(), issued)});
    Value *slot =
        builder.CreateZExt(builder.CreateLoad(builder.getInt32Ty(), lastSlot),
                           builder.getInt64Ty());
    builder.CreateRet(builder.CreateOr(
        slot, builder.getInt64(static_cast<std::uint64_t>(end) << 32)));
  }

  // ---- Instructions ---------------------------------------------------------

  Value *perform(Function *operation, const Operands &operands) {
    std::uint64_t registers = 0;
    for (unsigned i = 0; i != sizeof(operands.r); ++i)
      registers |= std::uint64_t(operands.r[i]) << (8 * i);
    return builder.CreateCall(operation,
                              {state, builder.getInt64(registers),
                               word(static_cast<std::uint32_t>(operands.imm))});
  }

  Value *slotPointer(std::uint32_t slot) {
    return call("populus_slot", {slots, relative(slot)});
  }

  /// An instruction or both halves of a bundle; `fault` is called for the ways
  /// to fail.
  template <typename Fault>
  void emitOrdinary(std::uint32_t at, const DecodedSlot &slot, bool unchecked,
                    Fault fault) {
    Function *main = semantics.operation(*slot.main);
    Function *aux = slot.aux ? semantics.operation(*slot.aux) : nullptr;
    if (!main || (slot.aux && !aux))
      return require(call("populus_step", {context, slotPointer(at)}), fault);
    if (unchecked)
      main = semantics.unchecked(main);
    const auto half = [&](Function *operation, const Operands &operands) {
      require(builder.CreateIsNotNull(perform(operation, operands)), fault);
    };
    if (!slot.aux)
      return half(main, slot.mainOperands);
    if (slot.order == PairOrder::MainFirst)
      half(main, slot.mainOperands);
    half(aux, slot.auxOperands);
    if (slot.order != PairOrder::MainFirst)
      half(main, slot.mainOperands);
    if (slot.order == PairOrder::AuxAside)
      call("populus_move_aside",
           {state, word(slot.auxOperands.r[AsideRegister]),
            word(slot.auxOperands.r[AsideWords])});
  }

  /// The other half of a bundle with a control instruction.
  void emitOtherHalf(std::uint32_t at, const DecodedSlot &slot) {
    if (!slot.aux)
      return;
    Function *aux = semantics.operation(*slot.aux);
    Value *done = aux ? builder.CreateIsNotNull(perform(aux, slot.auxOperands))
                      : call("populus_step_aux", {context, slotPointer(at)});
    require(done, [&] { stopAt(at); });
  }

  void emitSystem(std::uint32_t at, const RegionSlot &slot) {
    call("populus_set_issued", {context, issuedNow()});
    pending += slot.turns();
    require(call("populus_step", {context, slotPointer(at)}),
            [&] { stopAt(at); });
  }

  // ---- Control --------------------------------------------------------------

  Value *performControl(const RegionSlot &slot) {
    Operands operands = slot.decoded.mainOperands;
    // Where a branch leads is not the operation's business.
    if (slot.flow != Flow::Repeat)
      operands.imm = 0;
    return perform(semantics.operation(*slot.decoded.main), operands);
  }

  /// The block that goes on at a slot. To go back takes a look at the limit.
  BasicBlock *edge(std::uint32_t from, std::uint32_t to) {
    const auto found = blocks.find(to);
    if (found != blocks.end() && to > from)
      return found->second;
    IRBuilderBase::InsertPointGuard guard(builder);
    BasicBlock *block = newBlock("edge");
    builder.SetInsertPoint(block);
    if (found == blocks.end()) {
      leaveTo(to);
    } else {
      require(builder.CreateNot(nearLimit()), [&] { leaveTo(to); });
      builder.CreateBr(found->second);
    }
    return block;
  }

  BasicBlock *targetEdge(std::uint32_t from, const RegionSlot &slot) {
    if (region.contains(slot.target))
      return edge(from, slot.target);
    IRBuilderBase::InsertPointGuard guard(builder);
    BasicBlock *block = newBlock("edge");
    builder.SetInsertPoint(block);
    end(leaveBlock, call("populus_outside_slot", {place, word(slot.exit)}));
    return block;
  }

  void emitBranch(std::uint32_t at, std::uint32_t next,
                  const RegionSlot &slot) {
    emitOtherHalf(at, slot.decoded);
    Value *taken = builder.CreateIsNotNull(performControl(slot));
    pending += slot.turns();
    addPending();
    builder.CreateCondBr(taken, targetEdge(at, slot), edge(at, next));
  }

  void emitGoto(std::uint32_t at, std::uint32_t next, const RegionSlot &slot) {
    emitOtherHalf(at, slot.decoded);
    if (slot.flow == Flow::Call) {
      call("populus_set_next_pc",
           {context, call("populus_address", {place, relative(next)})});
      performControl(slot);
    }
    pending += slot.turns();
    addPending();
    builder.CreateBr(targetEdge(at, slot));
  }

  /// A jump to a register. In a region it is a return, most likely.
  void emitJump(std::uint32_t at, const RegionSlot &slot) {
    Value *target = performControl(slot);
    require(call("populus_is_code", {place, target}), [&] { leaveTo(at); });
    emitOtherHalf(at, slot.decoded);
    pending += slot.turns();
    addPending();
    Value *index = call("populus_slot_of", {place, target});
    require(builder.CreateNot(nearLimit()), [&] { end(leaveBlock, index); });
    BasicBlock *elsewhere = newBlock("elsewhere");
    SwitchInst *choice = builder.CreateSwitch(index, elsewhere);
    for (std::uint32_t known : region.innerReturns)
      if (const auto found = blocks.find(known); found != blocks.end())
        choice->addCase(builder.getInt32(region.relative(known)),
                        found->second);
    builder.SetInsertPoint(elsewhere);
    end(leaveBlock, index);
  }

  void emitExit(std::uint32_t at, const RegionSlot &slot) {
    emitOtherHalf(at, slot.decoded);
    call("populus_exit", {context, performControl(slot)});
    pending += slot.turns();
    stopAt(at);
  }

  /// A hardware loop. Where all accesses of a bundle have been found to be good
  /// in advance, the bundle does not test them; where one is not, the
  /// interpreter executes the loop and finds the fault.
  void emitRepeat(std::uint32_t at, const RegionSlot &slot) {
    const std::uint32_t body = at + slot.decoded.length();
    std::vector<DecodedSlot> bundles;
    for (std::uint32_t i = 0; i != repeatedBundles(slot.decoded); ++i)
      bundles.push_back(*decodeSlot(region.image, body + 2 * i));
    Value *count = performControl(slot);
    const RepeatGuards guards =
        emitRepeatGuards(builder, semantics, context, count, bundles);
    require(guards.good, [&] { leaveTo(at); });
    emitOtherHalf(at, slot.decoded);
    pending += slot.turns();
    addPending();

    emitRounds(body, count, bundles, guards);
    call("populus_set_repeat_count", {context, word(0)});
    Value *turns = builder.CreateMul(
        builder.CreateZExt(count, builder.getInt64Ty()),
        builder.getInt64(static_cast<std::uint64_t>(slot.bodyTurns)));
    builder.CreateStore(builder.CreateAdd(issuedNow(), turns), issued);
  }

  void emitRounds(std::uint32_t body, Value *count,
                  const std::vector<DecodedSlot> &bundles,
                  const RepeatGuards &guards) {
    BasicBlock *before = newBlock("before");
    BasicBlock *loop = newBlock("round");
    BasicBlock *last = newBlock("last");
    BasicBlock *after = newBlock("after");
    builder.CreateCondBr(builder.CreateIsNull(count), after, before);
    builder.SetInsertPoint(before);
    const std::optional<StateCopy> copy = copyFor(bundles);
    if (copy)
      enter(*copy);
    builder.CreateBr(loop);

    builder.SetInsertPoint(loop);
    PHINode *left = builder.CreatePHI(builder.getInt32Ty(), 2);
    left->addIncoming(count, before);
    for (std::size_t i = 0; i != bundles.size(); ++i) {
      const auto at = static_cast<std::uint32_t>(body + 2 * i);
      emitOrdinary(at, bundles[i], guards.unchecked[i], [&] {
        if (copy) {
          call("populus_copy_fault", {context, state});
          leave(*copy);
        }
        call("populus_set_repeat_count", {context, left});
        stopAt(at);
      });
    }
    Value *fewer = builder.CreateSub(left, word(1));
    left->addIncoming(fewer, builder.GetInsertBlock());
    builder.CreateCondBr(builder.CreateIsNull(fewer), last, loop);

    builder.SetInsertPoint(last);
    if (copy)
      leave(*copy);
    state = context;
    builder.CreateBr(after);
    builder.SetInsertPoint(after);
  }

  // ---- The state in hardware loops ------------------------------------------

  /// Registers that a loop accesses, as bits: $m, $a, and pairs of $a. Pairs
  /// that are accessed as such are whole.
  struct StateCopy {
    std::uint32_t m = 0;
    std::uint32_t a = 0;
    std::uint32_t pairs = 0;

    std::uint32_t singles() const {
      std::uint32_t result = a;
      for (unsigned pair = 0; pair != 16; ++pair)
        if (pairs >> pair & 1)
          result &= ~(3u << (2 * pair));
      return result;
    }
    void addA(unsigned first, unsigned words) {
      for (unsigned r = first; r != first + words; ++r) {
        a |= 1u << r;
        if (words != 1)
          pairs |= 1u << (r / 2);
      }
    }
  };

  static void note(StateCopy &copy, const RowInfo &row,
                   const Operands &operands) {
    for (unsigned i = 0; i != row.numOperands; ++i) {
      const OperandInfo &info = row.operands[i];
      const unsigned first = operands.r[info.slot % sizeof(operands.r)];
      if (info.kind == OperandKind::ARead || info.kind == OperandKind::AWrite)
        copy.addA(first, info.words);
      else if (info.kind <= OperandKind::MWrite)
        copy.m |= ((1u << info.words) - 1) << first;
    }
  }

  /// Nothing if an instruction needs the interpreter, which needs the context.
  std::optional<StateCopy> copyFor(const std::vector<DecodedSlot> &bundles) {
    StateCopy copy;
    for (const DecodedSlot &bundle : bundles) {
      if (!semantics.operation(*bundle.main) ||
          !semantics.operation(*bundle.aux))
        return std::nullopt;
      note(copy, *bundle.main, bundle.mainOperands);
      note(copy, *bundle.aux, bundle.auxOperands);
      if (bundle.order == PairOrder::AuxAside)
        copy.addA(bundle.auxOperands.r[AsideRegister],
                  bundle.auxOperands.r[AsideWords]);
    }
    return copy;
  }

  void enter(const StateCopy &copy) {
    IRBuilder<> atEntry(&*function->getEntryBlock().getFirstInsertionPt());
    AllocaInst *place = atEntry.CreateAlloca(
        ArrayType::get(builder.getInt8Ty(), sizeof(Context)));
    place->setAlignment(Align(alignof(Context)));
    state = place;
    call("populus_enter_copy", {state, context, word(copy.m),
                                word(copy.singles()), word(copy.pairs)});
  }
  void leave(const StateCopy &copy) {
    call("populus_leave_copy", {context, state, word(copy.m),
                                word(copy.singles()), word(copy.pairs)});
  }

  void emitBlock(std::uint32_t at, BasicBlock *block) {
    builder.SetInsertPoint(block);
    pending = 0;
    for (;;) {
      const RegionSlot &slot = region.slots.at(at);
      std::uint32_t next = at + slot.decoded.length();
      switch (slot.flow) {
      case Flow::Next:
        emitOrdinary(at, slot.decoded, false, [&] { stopAt(at); });
        pending += slot.turns();
        break;
      case Flow::System:
        emitSystem(at, slot);
        break;
      case Flow::Repeat:
        emitRepeat(at, slot);
        next += 2 * repeatedBundles(slot.decoded);
        require(builder.CreateNot(nearLimit()), [&] { leaveTo(next); });
        break;
      case Flow::Branch:
        return emitBranch(at, next, slot);
      case Flow::Goto:
      case Flow::Call:
        return emitGoto(at, next, slot);
      case Flow::Jump:
        return emitJump(at, slot);
      case Flow::Exit:
        return emitExit(at, slot);
      }
      at = next;
      if (!region.contains(at))
        return leaveTo(at);
      if (const auto found = blocks.find(at); found != blocks.end()) {
        addPending();
        builder.CreateBr(found->second);
        return;
      }
    }
  }

  SemanticsModule &semantics;
  const Region &region;
  IRBuilder<> builder;
  Function *function;
  Value *context;
  Value *slots;
  Value *place; // where the region is
  Value *state; // the context, or its copy
  BasicBlock *leaveBlock = nullptr;
  BasicBlock *stopBlock = nullptr;
  AllocaInst *issued = nullptr;   // turns at the beginning of the block
  AllocaInst *lastSlot = nullptr; // where the region is left
  std::int64_t pending = 0;       // turns since then
  std::map<std::uint32_t, BasicBlock *> blocks;
};

} // namespace

Function *emitRegion(SemanticsModule &semantics, const Region &region,
                     StringRef name) {
  return Emitter(semantics, region, name).run();
}

} // namespace populus::translate
