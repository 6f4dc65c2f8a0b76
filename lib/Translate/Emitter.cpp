// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Translates a region to one host function. The state stays in memory: each
// instruction is a call of its function of Semantics.cpp with constant
// operands. LLVM inlines the calls and keeps registers of the tile in host
// registers. For example (a slot holds one instruction here):
//
//    tile code                      host code
//    10  add $m1, $m1, -1           slot10: add(context, 1, 1, -1)
//    11  brnz $m1, 10                       taken = brnz(context, 1)
//                                           turns += 2
//                                           if (!taken) goto slot12
//                                           if (near the limit) leave at 10
//                                           goto slot10
//    12  exitz $m15                 slot12: exit(context, 15)
//                                           turns += 1, stop at 12
//
// A block begins at each slot that a branch may reach. Turns (issue slots) are
// added up at compile time and stored at the ends of blocks and at exits.
// Backward edges test the limit of turns. A region is left through `stop` when
// the context has exited or faulted, and through `leave` when the interpreter
// continues at a slot that has not been executed.

#include "lib/Translate/Emitter.h"

#include "lib/Translate/LineEmitter.h"

#include "runtime/Emulator/Translation/Translator.h"

namespace populus::translate {

using namespace llvm;
using namespace runtime::emulator;

namespace {

class Emitter : public LineEmitter {
public:
  using LineEmitter::LineEmitter;

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
  /// Emits the region's entry and exits.
  void emitEnds(BasicBlock *entry) {
    builder.SetInsertPoint(entry);
    issued = builder.CreateAlloca(builder.getInt64Ty());
    lastSlot = builder.CreateAlloca(builder.getInt32Ty());
    builder.CreateStore(call("populus_issued", {context}), issued);
    Value *first = function->getArg(3);
    require(builder.CreateNot(nearLimit()), [&] { end(leaveBlock, first); });
    SwitchInst *choice = nullptr;
    for (std::uint32_t known : region.entries)
      if (const auto found = blocks.find(known); found == blocks.end())
        continue;
      else if (!choice)
        choice = builder.CreateSwitch(first, found->second);
      else
        choice->addCase(builder.getInt32(region.relative(known)),
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

  void emitSystem(std::uint32_t at, const RegionSlot &slot) {
    noteInfluence(slot.decoded, false);
    emitOtherHalf(at, slot.decoded);
    call("populus_set_issued", {context, issuedNow()});
    pending += slot.turns();
    const std::uint32_t next = at + slot.decoded.length();
    call("populus_set_next_pc",
         {context, call("populus_address", {place, relative(next)})});
    Function *operation = semantics.operation(*slot.decoded.main);
    Value *done = operation ? builder.CreateIsNotNull(
                                  perform(operation, slot.decoded.mainOperands))
                            : call(slot.decoded.aux ? "populus_step_main"
                                                    : "populus_step",
                                   {context, slotPointer(at)});
    require(done, [&] { stopAt(at); });
  }

  // ---- Control --------------------------------------------------------------

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
          if (const std::optional<Pass> pass = passFrom(at, line)) {
            emitPass(*pass);
            next = pass->end;
          } else {
            emitStraight(at, line);
            next = at + lengthOf(line);
          }
          break;
        }
        noteBits(slot.decoded);
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
};

} // namespace

Function *emitRegion(SemanticsModule &semantics, const Region &region,
                     StringRef name) {
  return Emitter(semantics, region, name).run();
}

} // namespace populus::translate
