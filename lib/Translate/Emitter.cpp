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

#include "lib/Translate/HostProcessor.h"
#include "lib/Translate/Limits.h"
#include "lib/Translate/MatrixLoop.h"
#include "lib/Translate/RepeatGuards.h"
#include "lib/Translate/StateCopy.h"

#include "runtime/Emulator/AccessRecord.h"
#include "runtime/Emulator/Translator.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/MDBuilder.h>

#include <algorithm>
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

  BasicBlock *newBlock(const Twine &name) {
    return BasicBlock::Create(builder.getContext(), name, function);
  }

  AllocaInst *allocate(std::size_t bytes) {
    IRBuilder<> atEntry(&*function->getEntryBlock().getFirstInsertionPt());
    AllocaInst *place =
        atEntry.CreateAlloca(ArrayType::get(builder.getInt8Ty(), bytes));
    place->setAlignment(Align(std::max(alignof(Context), alignof(Doubts))));
    return place;
  }
  MDNode *unlikely() {
    return MDBuilder(builder.getContext()).createBranchWeights(1, 1 << 20);
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

  Value *perform(Function *operation, const Operands &operands,
                 Assumptions assumptions = {}) {
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

  Value *slotPointer(std::uint32_t slot) {
    return call("populus_slot", {slots, relative(slot)});
  }

  /// An instruction or both halves of a bundle; `fault` is called for the ways
  /// to fail.
  template <typename Fault>
  void emitOrdinary(std::uint32_t at, const DecodedSlot &slot,
                    Assumptions assumptions, Fault fault) {
    Function *main = semantics.operation(*slot.main);
    Function *aux = slot.aux ? semantics.operation(*slot.aux) : nullptr;
    // What accesses memory is always an operation.
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
    emitOtherHalf(at, slot.decoded);
    call("populus_set_issued", {context, issuedNow()});
    pending += slot.turns();
    const std::uint32_t next = at + slot.decoded.length();
    call("populus_set_next_pc",
         {context, call("populus_address", {place, relative(next)})});
    require(call(slot.decoded.aux ? "populus_step_main" : "populus_step",
                 {context, slotPointer(at)}),
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
    RepeatGuards guards =
        emitRepeatGuards(builder, semantics, context, count, bundles);
    require(guards.good, [&] { leaveTo(at); });
    emitOtherHalf(at, slot.decoded);
    pending += slot.turns();
    addPending();

    std::vector<RepeatedAccess> stores = guards.stores();
    const std::optional<StateCopy> copy = stateCopyFor(semantics, bundles);
    const std::optional<Rounded> unitsTell = whetherResultsTell(bundles);
    emitRounds({body,
                std::move(bundles),
                count,
                std::move(guards),
                std::move(stores),
                copy,
                unitsTell,
                {}});
    call("populus_set_repeat_count", {context, word(0)});
    Value *turns = builder.CreateMul(
        builder.CreateZExt(count, builder.getInt64Ty()),
        builder.getInt64(static_cast<std::uint64_t>(slot.bodyTurns)));
    builder.CreateStore(builder.CreateAdd(issuedNow(), turns), issued);
  }

  /// What a hardware loop consists of.
  struct Loop {
    std::uint32_t body; // slot of the first bundle
    std::vector<DecodedSlot> bundles;
    Value *count;
    RepeatGuards guards;
    std::vector<RepeatedAccess> stores;
    std::optional<StateCopy> copy;
    /// If the results of the matrix units tell all that is unusual.
    std::optional<Rounded> unitsTell;
    /// By bundle: where its accesses go in the first round.
    std::vector<std::vector<Value *>> places;
  };

  void emitRounds(Loop loop) {
    BasicBlock *before = newBlock("before");
    BasicBlock *after = newBlock("after");
    builder.CreateCondBr(builder.CreateIsNull(loop.count), after, before);
    builder.SetInsertPoint(before);
    for (const std::vector<RepeatedAccess> &accesses : loop.guards.accesses) {
      std::vector<Value *> &places = loop.places.emplace_back();
      for (const RepeatedAccess &access : accesses)
        places.push_back(call("populus_first_place", {context, access.first}));
    }
    if (region.kind == CodeKind::Recording)
      noteAccesses(loop);
    Value *left = loop.count;
    if (loop.copy && loop.guards.complete &&
        numAskingForUsual(loop.bundles) != 0)
      left = emitUsualRounds(loop, after);
    emitExactRounds(loop, left);
    builder.CreateBr(after);
    builder.SetInsertPoint(after);
  }

  /// `note` notes a range, but does not make room for more of them.
  template <typename Note>
  void noteRanges(const std::vector<RepeatedRange> &ranges, Note note) {
    for (std::size_t i = 0; i != ranges.size(); ++i) {
      note(ranges[i]);
      if ((i + 1) % AccessRecord::MostUnsettled == 0 || i + 1 == ranges.size())
        call("populus_settle_notes", {context});
    }
  }
  void noteAccesses(const Loop &loop) {
    noteRanges(loop.guards.ranges, [&](const RepeatedRange &range) {
      call("populus_note_rounds",
           {context, range.first, range.stride, word(range.bytes), loop.count,
            builder.getInt1(range.store)});
    });
  }

  void emitExactRounds(const Loop &loop, Value *count) {
    BasicBlock *last = newBlock("last");
    if (loop.copy)
      enter(*loop.copy);
    const Rounds rounds = beginRounds(loop, count);
    for (std::size_t i = 0; i != loop.bundles.size(); ++i)
      emitRepeated(loop, i, rounds, false, [&](std::uint32_t at) {
        if (loop.copy) {
          call("populus_copy_fault", {context, state});
          leave(*loop.copy);
        }
        call("populus_set_repeat_count", {context, rounds.left});
        stopAt(at);
      });
    endRounds(rounds, last);
    if (loop.copy)
      leave(*loop.copy);
    state = context;
  }

  /// The same for a loop in which nothing unusual happens, nearly always: that
  /// is assumed, so that the rounds have no branches, and LLVM can do several
  /// at once. If it turns out to be wrong, the state is still that of before,
  /// and so is memory when it has been put back. Gives the rounds that are left
  /// for the exact way; where there are none it goes on at `after`.
  Value *emitUsualRounds(const Loop &loop, BasicBlock *after) {
    BasicBlock *before = builder.GetInsertBlock();
    BasicBlock *some = newBlock("some"), *done = newBlock("done");
    BasicBlock *right = newBlock("right"), *wrong = newBlock("wrong");
    BasicBlock *exact = newBlock("exact");
    Value *atOnce = roundsAtOnce(loop);
    builder.CreateCondBr(isWorthTrying(loop, atOnce), some, exact);

    builder.SetInsertPoint(some);
    PHINode *left = builder.CreatePHI(builder.getInt32Ty(), 2);
    left->addIncoming(loop.count, before);
    Value *number = left;
    if (!loop.stores.empty())
      number = builder.CreateBinaryIntrinsic(Intrinsic::umin, left, atOnce);
    copyStores("populus_keep", loop, left, number);
    enter(*loop.copy);
    beginDoubts(loop.unitsTell);
    const Rounds rounds = beginRounds(loop, number, left);
    for (std::size_t i = 0; i != loop.bundles.size(); ++i)
      emitRepeated(loop, i, rounds, true,
                   [&](std::uint32_t) { builder.CreateBr(wrong); });
    endRounds(rounds, done);
    endDoubts(loop.unitsTell, right, wrong);

    builder.SetInsertPoint(right);
    moveTriples(loop.guards, number);
    leave(*loop.copy);
    state = context;
    Value *rest = builder.CreateSub(left, number);
    left->addIncoming(rest, right);
    builder.CreateCondBr(builder.CreateIsNull(rest), after, some);

    builder.SetInsertPoint(wrong);
    copyStores("populus_put_back", loop, left, number);
    builder.CreateBr(exact);
    builder.SetInsertPoint(exact);
    PHINode *result = builder.CreatePHI(builder.getInt32Ty(), 2);
    result->addIncoming(loop.count, before);
    result->addIncoming(left, wrong);
    return result;
  }

  /// `unitsTell`: results tell all.
  void beginDoubts(std::optional<Rounded> unitsTell) {
    if (!doubts)
      doubts = allocate(sizeof(Doubts));
    call("populus_no_doubts", {doubts});
    if (unitsTell)
      call("populus_gather_chains",
           {doubts, state, builder.getInt1(*unitsTell == Rounded::Halves)});
  }
  void endDoubts(std::optional<Rounded> unitsTell, BasicBlock *right,
                 BasicBlock *wrong) {
    if (unitsTell)
      call("populus_gather_cells", {doubts, state});
    builder.CreateCondBr(call("populus_has_doubts", {doubts}), wrong, right,
                         unlikely());
  }
  void moveTriples(const RepeatGuards &guards, Value *rounds) {
    for (const RepeatedTriple &triple : guards.triples)
      call("populus_move_triple",
           {state, word(triple.pair), triple.strides[0], triple.strides[1],
            triple.strides[2], rounds});
  }

  std::size_t numAskingForUsual(const std::vector<DecodedSlot> &slots) {
    return static_cast<std::size_t>(
        std::count_if(slots.begin(), slots.end(), [&](const DecodedSlot &slot) {
          return semantics.asksForUsual(semantics.operation(*slot.main)) ||
                 (slot.aux &&
                  semantics.asksForUsual(semantics.operation(*slot.aux)));
        }));
  }

  /// Rounds of which all that they store can be kept.
  Value *roundsAtOnce(const Loop &loop) {
    Value *result = word(RoundsAtOnce);
    for (const RepeatedAccess &store : loop.stores)
      result = builder.CreateBinaryIntrinsic(
          Intrinsic::umin, result,
          call("populus_rounds_at_once", {store.stride, word(store.bytes)}));
    return result;
  }

  /// Whether nothing unusual is wanted, and the rounds that are done at once
  /// are enough to be worth keeping what they store.
  Value *isWorthTrying(const Loop &loop, Value *atOnce) {
    Value *result = call("populus_rounds_to_nearest", {context});
    if (loop.stores.empty())
      return result;
    const auto bundles = static_cast<std::uint32_t>(loop.bundles.size());
    const std::uint32_t fewest = (FewestBundles + bundles - 1) / bundles;
    Value *rounds =
        builder.CreateBinaryIntrinsic(Intrinsic::umin, loop.count, atOnce);
    return builder.CreateAnd(result,
                             builder.CreateICmpUGE(rounds, word(fewest)));
  }

  /// Copies what `number` rounds store to, of which `left` are left with them.
  void copyStores(StringRef how, const Loop &loop, Value *left, Value *number) {
    const auto bytes = static_cast<unsigned>(KeptBytes * loop.stores.size());
    if (bytes == 0)
      return;
    reserveKept(bytes);
    unsigned offset = 0;
    for (const RepeatedAccess &store : loop.stores) {
      Value *first = builder.CreateAdd(
          store.first, builder.CreateMul(store.stride, roundOf(loop, left)));
      call(how, {context, first, store.stride, number, word(store.bytes),
                 keptAt(offset)});
      offset += KeptBytes;
    }
  }
  void reserveKept(unsigned bytes) {
    if (!kept)
      kept = allocate(bytes);
    else if (kept->getAllocatedType()->getArrayNumElements() < bytes)
      kept->setAllocatedType(ArrayType::get(builder.getInt8Ty(), bytes));
  }
  Value *keptAt(unsigned offset) {
    return builder.CreateConstGEP1_32(builder.getInt8Ty(), kept, offset);
  }

  /// Rounds that have been done when so many are left.
  Value *roundOf(const Loop &loop, Value *left) {
    return builder.CreateZExt(builder.CreateSub(loop.count, left),
                              builder.getInt64Ty());
  }

  /// A loop that counts down.
  struct Rounds {
    PHINode *left;
    PHINode *round; // counts up, from the first round of all
    BasicBlock *first;
  };
  /// `left` rounds are left, of which `count` are done here.
  Rounds beginRounds(const Loop &loop, Value *count, Value *left = nullptr) {
    Value *done = roundOf(loop, left ? left : count);
    BasicBlock *before = builder.GetInsertBlock();
    BasicBlock *round = newBlock("round");
    builder.CreateBr(round);
    builder.SetInsertPoint(round);
    const Rounds rounds = {builder.CreatePHI(builder.getInt32Ty(), 2),
                           builder.CreatePHI(builder.getInt64Ty(), 2), round};
    rounds.left->addIncoming(count, before);
    rounds.round->addIncoming(done, before);
    return rounds;
  }
  /// Goes on at `then`.
  void endRounds(const Rounds &rounds, BasicBlock *then) {
    BasicBlock *end = builder.GetInsertBlock();
    Value *fewer = builder.CreateSub(rounds.left, word(1));
    rounds.left->addIncoming(fewer, end);
    rounds.round->addIncoming(
        builder.CreateNSWAdd(rounds.round, builder.getInt64(1)), end);
    builder.CreateCondBr(builder.CreateIsNull(fewer), then, rounds.first);
    builder.SetInsertPoint(then);
  }

  // ---- Straight lines -------------------------------------------------------

  /// Slots from `at` on that come one after the other, as far as the addresses
  /// of their accesses are known in front of them all; fewer than two accesses
  /// are not worth it. Where all are good none is tested at its place; else
  /// nothing of it is executed here.
  std::vector<DecodedSlot> straightFrom(std::uint32_t at) const {
    std::vector<DecodedSlot> slots;
    for (std::uint32_t next = at; region.contains(next);) {
      const RegionSlot &slot = region.slots.at(next);
      if (slot.flow != Flow::Next || (next != at && blocks.count(next)) ||
          !semantics.operation(*slot.decoded.main))
        break;
      slots.push_back(slot.decoded);
      next += slot.decoded.length();
    }
    const StraightLine line = straightLine(slots);
    slots.resize(line.accesses < 2 ? 0 : line.slots);
    return slots;
  }

  void emitStraight(std::uint32_t at, const std::vector<DecodedSlot> &line) {
    const RepeatGuards guards =
        emitStraightGuards(builder, semantics, context, line);
    require(guards.good, [&] { leaveTo(at); });
    if (region.kind == CodeKind::Recording)
      noteRanges(guards.ranges, [&](const RepeatedRange &range) {
        call("populus_note_range", {context, range.first, word(range.bytes),
                                    builder.getInt1(range.store)});
      });
    std::vector<std::vector<Value *>> known;
    for (const std::vector<RepeatedAccess> &accesses : guards.accesses) {
      std::vector<Value *> &list = known.emplace_back(noPlaces());
      for (const RepeatedAccess &access : accesses)
        list[access.which] =
            call("populus_first_place", {context, access.first});
    }
    const std::optional<Rounded> unitsTell = whetherResultsTellOnce(line);
    const auto emitSlots = [&](bool usual, auto fault) {
      std::uint32_t slot = at;
      for (std::size_t i = 0; i != line.size(); ++i) {
        places = known[i];
        emitOrdinary(slot, line[i],
                     {!guards.accesses[i].empty(), usual, usual && unitsTell},
                     [&] { fault(slot); });
        if (!usual)
          pending += line[i].turns();
        slot += line[i].length();
      }
    };
    const auto emitExactly = [&] {
      emitSlots(false, [&](std::uint32_t slot) { stopAt(slot); });
    };
    const std::optional<StateCopy> copy = stateCopyFor(semantics, line);
    if (!copy || !guards.complete || numAskingForUsual(line) < FewestAsking)
      return emitExactly();
    BasicBlock *after = newBlock("after");
    emitUsualLine(guards, *copy, unitsTell, emitSlots, after);
    emitExactly();
    builder.CreateBr(after);
    builder.SetInsertPoint(after);
  }

  /// The same as emitUsualRounds, once; goes on where it has to be done in the
  /// exact way.
  template <typename EmitSlots>
  void emitUsualLine(const RepeatGuards &guards, const StateCopy &copy,
                     std::optional<Rounded> unitsTell, EmitSlots emitSlots,
                     BasicBlock *after) {
    BasicBlock *usual = newBlock("usual"), *exact = newBlock("exact");
    BasicBlock *right = newBlock("right"), *wrong = newBlock("wrong");
    builder.CreateCondBr(call("populus_rounds_to_nearest", {context}), usual,
                         exact);
    builder.SetInsertPoint(usual);
    copyRanges("populus_keep", guards);
    enter(copy);
    beginDoubts(unitsTell);
    emitSlots(true, [&](std::uint32_t) { builder.CreateBr(wrong); });
    endDoubts(unitsTell, right, wrong);
    builder.SetInsertPoint(right);
    moveTriples(guards, word(1));
    leave(copy);
    state = context;
    builder.CreateBr(after);
    builder.SetInsertPoint(wrong);
    copyRanges("populus_put_back", guards);
    builder.CreateBr(exact);
    builder.SetInsertPoint(exact);
  }

  /// Copies what a straight line stores to.
  void copyRanges(StringRef how, const RepeatGuards &guards) {
    unsigned bytes = 0;
    for (const RepeatedRange &range : guards.ranges)
      bytes += range.store ? range.bytes : 0;
    if (bytes != 0)
      reserveKept(bytes);
    unsigned offset = 0;
    for (const RepeatedRange &range : guards.ranges)
      if (range.store) {
        call(how, {context, range.first, builder.getInt64(0), word(1),
                   word(range.bytes), keptAt(offset)});
        offset += range.bytes;
      }
  }

  std::vector<Value *> noPlaces() {
    return std::vector<Value *>(Assumptions::MostAccesses,
                                ConstantPointerNull::get(builder.getPtrTy()));
  }

  /// A bundle of a loop; `fault` gets its slot.
  template <typename Fault>
  void emitRepeated(const Loop &loop, std::size_t index, const Rounds &rounds,
                    bool usual, Fault fault) {
    places = noPlaces();
    const std::vector<RepeatedAccess> &accesses = loop.guards.accesses[index];
    for (std::size_t i = 0; i != accesses.size(); ++i)
      places[accesses[i].which] = builder.CreateGEP(
          builder.getInt8Ty(), loop.places[index][i],
          builder.CreateNSWMul(accesses[i].stride, rounds.round), "",
          /*IsInBounds=*/true);
    const auto at = static_cast<std::uint32_t>(loop.body + 2 * index);
    emitOrdinary(at, loop.bundles[index],
                 {!accesses.empty(), usual, usual && loop.unitsTell},
                 [&] { fault(at); });
  }

  // ---- The state in hardware loops ------------------------------------------

  void enter(const StateCopy &copy) {
    state = allocate(sizeof(Context));
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
        if (const std::vector<DecodedSlot> line = straightFrom(at);
            !line.empty()) {
          emitStraight(at, line);
          for (const DecodedSlot &part : line)
            at += part.length();
          next = at;
          break;
        }
        emitOrdinary(at, slot.decoded, {}, [&] { stopAt(at); });
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
  Value *place;                 // where the region is
  Value *state;                 // the context, or its copy
  std::vector<Value *> places;  // of a repeated bundle's accesses
  AllocaInst *doubts = nullptr; // of rounds that are assumed to be usual
  AllocaInst *kept = nullptr;   // what such rounds overwrite
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
