// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A hardware loop becomes a host loop without tests. For example, the loop
//
//    rpt $m2, 0
//      { st32step $a0, $mzero, $m3+=, 1 ; f32add $a0, $a0, $a1 }
//
// becomes
//
//    if ([$m3, $m3 + 4 * $m2) is bad memory)     the interpreter runs the loop
//      leave the region                          and finds the fault
//    note this range                             recording code only
//    local = copy of $a0, $a1, $m3 …
//    keep the old contents of the range
//    doubts = 0                                  usual rounds: every result is
//    $m2 times: round(local, &doubts)            assumed to be finite
//    if (doubts)                                 something was not: undo,
//      undo; $m2 times: exactRound(local)        and run exact rounds
//    write local back; turns += $m2 * 1
//
// The usual rounds have no branches, so LLVM can vectorise them. What they keep
// is limited, so long loops run in portions. Fewer steps are emitted if the
// body cannot do anything unusual, or stores nothing.

#include "lib/Translate/LoopEmitter.h"

#include "lib/Translate/Limits.h"

#include "runtime/Emulator/Tile/AccessRecord.h"

#include <algorithm>

namespace populus::translate {

using namespace llvm;
using namespace runtime::emulator;

void LoopEmitter::emitRepeat(std::uint32_t at, const RegionSlot &slot) {
  CodePiece piece = pieceOfLoop(at, slot);
  piece.count = performControl(slot);
  const RepeatGuards guards =
      emitGuards(builder, semantics, context, {piece}).front();
  requireGood({guards}, at);
  emitOtherHalf(at, slot.decoded);
  pending += slot.turns();
  addPending();
  const std::optional<StateCopy> copy = stateCopyFor(semantics, piece.slots);
  const Loop loop{at + slot.decoded.length(),
                  slot.bodyTurns,
                  piece,
                  guards,
                  guards.stores(),
                  copy,
                  whetherResultsTell({piece})};
  ifAnyRounds(loop.piece.count, [&] {
    Value *mark = markOverwritten();
    noteAccesses(loop);
    emitRounds(loop, mark);
    endDisorder(loop.guards, loop.piece.slots);
  });
  endRepeat(loop);
}

void LoopEmitter::requireGood(const std::vector<RepeatGuards> &all,
                              std::uint32_t at) {
  Value *defects = builder.getInt64(0);
  for (const RepeatGuards &guards : all)
    defects = builder.CreateOr(defects, guards.defects);
  require(builder.CreateICmpSGE(defects, builder.getInt64(0)),
          [&] { leaveTo(at); });
}

CodePiece LoopEmitter::pieceOfLoop(std::uint32_t at,
                                   const RegionSlot &slot) const {
  const std::uint32_t body = at + slot.decoded.length();
  CodePiece piece{{}, &slot.decoded};
  for (std::uint32_t i = 0; i != repeatedBundles(slot.decoded); ++i)
    piece.slots.push_back(*decodeSlot(region.image, body + 2 * i));
  return piece;
}

void LoopEmitter::ifAnyRounds(Value *count, function_ref<void()> emit) {
  BasicBlock *some = newBlock("some");
  BasicBlock *after = newBlock("after");
  builder.CreateCondBr(builder.CreateIsNull(count), after, some);
  builder.SetInsertPoint(some);
  emit();
  builder.CreateBr(after);
  builder.SetInsertPoint(after);
}

void LoopEmitter::emitRounds(const Loop &loop, Value *mark) {
  if (!loop.copy || !loop.guards.complete || !isFasterIfUsual(loop, mark))
    return emitExactRounds(loop, loop.piece.count);
  BasicBlock *after = newBlock("after");
  emitExactRounds(loop, emitUsualRounds(loop, mark, after));
  builder.CreateBr(after);
  builder.SetInsertPoint(after);
}

bool LoopEmitter::isFasterIfUsual(const Loop &loop, Value *mark) {
  // Triples need not be packed again in each round.
  const bool packs = !loop.guards.triples.empty();
  const bool keeps = !mark && !loop.stores.empty();
  return numAskingForUsual(loop.piece.slots) != 0 || (packs && !keeps);
}

void LoopEmitter::endRepeat(const Loop &loop) {
  call("populus_set_repeat_count", {context, word(0)});
  builder.CreateStore(builder.CreateAdd(issuedNow(), turnsOf(loop)), issued);
  pending = 0;
}

Value *LoopEmitter::turnsOf(const Loop &loop) {
  return builder.CreateMul(
      builder.CreateZExt(loop.piece.count, builder.getInt64Ty()),
      builder.getInt64(static_cast<std::uint64_t>(loop.turns)));
}

void LoopEmitter::noteRanges(
    const RepeatGuards &guards, const std::vector<DecodedSlot> &slots,
    function_ref<void(const RepeatedRange &)> note,
    function_ref<void(const RepeatedAccess &)> noteEach) {
  const std::vector<RepeatedRange> &ranges = guards.ranges;
  if (region.kind != CodeKind::Recording || ranges.empty())
    return;
  BasicBlock *each = newBlock("each"), *together = newBlock("together");
  BasicBlock *noted = newBlock("noted");
  builder.CreateCondBr(call("populus_has_listener", {context}), each, together,
                       unlikely());
  builder.SetInsertPoint(each);
  if (isDisordered(guards, slots))
    call("populus_note_disorder", {context, builder.getTrue()});
  for (const std::vector<RepeatedAccess> &accesses : guards.accesses)
    for (const RepeatedAccess &access : accesses)
      noteEach(access);
  call("populus_end_rounds", {context});
  builder.CreateBr(noted);
  builder.SetInsertPoint(together);
  for (std::size_t i = 0; i != ranges.size(); ++i) {
    if (ranges[i].control)
      call("populus_note_control", {context});
    note(ranges[i]);
    if ((i + 1) % AccessRecord::MostUnsettled == 0 || i + 1 == ranges.size())
      call("populus_settle_notes", {context});
  }
  builder.CreateBr(noted);
  builder.SetInsertPoint(noted);
}

/// Some are noted in advance, and others when they are made.
bool LoopEmitter::isDisordered(const RepeatGuards &guards,
                               const std::vector<DecodedSlot> &slots) const {
  if (region.kind != CodeKind::Recording || guards.ranges.empty())
    return false;
  for (std::size_t i = 0; i != slots.size(); ++i)
    if (guards.accesses[i].empty() && isMemoryAccess(slots[i]))
      return true;
  return false;
}

void LoopEmitter::endDisorder(const RepeatGuards &guards,
                              const std::vector<DecodedSlot> &slots) {
  if (isDisordered(guards, slots))
    ifListening(
        [&] { call("populus_note_disorder", {context, builder.getFalse()}); });
}

void LoopEmitter::noteEach(const RepeatedAccess &access, Value *rounds) {
  Value *first = builder.CreateAdd(
      access.base, builder.getInt64(static_cast<std::uint64_t>(access.offset)));
  call("populus_note_each", {context, first, access.stride, word(access.bytes),
                             rounds, builder.getInt1(access.store)});
}

void LoopEmitter::noteAccesses(const Loop &loop) {
  noteRanges(
      loop.guards, loop.piece.slots,
      [&](const RepeatedRange &range) {
        call("populus_note_rounds",
             {context, range.first, range.stride, word(range.bytes),
              loop.piece.count, builder.getInt1(range.store)});
      },
      [&](const RepeatedAccess &access) {
        noteEach(access, loop.piece.count);
      });
}

void LoopEmitter::emitExactRounds(const Loop &loop, Value *count) {
  BasicBlock *last = newBlock("last");
  if (loop.copy)
    enter(*loop.copy);
  const Places places = placesOf(loop.guards);
  const Rounds rounds = beginRounds(loop, count);
  emitRound(loop, places, rounds, false, [&](std::uint32_t at) {
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

Value *LoopEmitter::emitUsualRounds(const Loop &loop, Value *mark,
                                    BasicBlock *after) {
  BasicBlock *before = builder.GetInsertBlock();
  BasicBlock *some = newBlock("some"), *done = newBlock("done");
  BasicBlock *right = newBlock("right"), *wrong = newBlock("wrong");
  BasicBlock *exact = newBlock("exact");
  const bool keeps = !mark && !loop.stores.empty();
  Value *atOnce = keeps ? roundsAtOnce(loop) : loop.piece.count;
  Value *tries = call("populus_rounds_to_nearest", {context});
  if (keeps)
    tries = builder.CreateAnd(tries, isWorthKeeping(loop, atOnce));
  else if (mark)
    tries = builder.CreateAnd(tries, keepsAllSince(mark));
  builder.CreateCondBr(tries, some, exact);

  builder.SetInsertPoint(some);
  PHINode *left = builder.CreatePHI(builder.getInt32Ty(), 2);
  left->addIncoming(loop.piece.count, before);
  Value *number = left;
  if (keeps) {
    number = builder.CreateBinaryIntrinsic(Intrinsic::umin, left, atOnce);
    copyStores("populus_keep", loop, left, number);
  }
  enter(*loop.copy);
  beginDoubts(loop.unitsTell);
  const Places places = placesOf(loop.guards);
  const Rounds rounds = beginRounds(loop, number, left);
  emitRound(loop, places, rounds, true,
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
  if (mark)
    call("populus_put_back_since", {context, mark});
  else
    copyStores("populus_put_back", loop, left, number);
  builder.CreateBr(exact);
  builder.SetInsertPoint(exact);
  PHINode *result = builder.CreatePHI(builder.getInt32Ty(), 2);
  result->addIncoming(loop.piece.count, before);
  result->addIncoming(left, wrong);
  return result;
}

void LoopEmitter::beginDoubts(std::optional<Rounded> unitsTell) {
  if (!doubts)
    doubts = allocate(sizeof(Doubts));
  call("populus_no_doubts", {doubts});
  if (unitsTell)
    call("populus_gather_chains",
         {doubts, state, builder.getInt1(*unitsTell == Rounded::Halves)});
}

void LoopEmitter::endDoubts(std::optional<Rounded> unitsTell, BasicBlock *right,
                            BasicBlock *wrong) {
  if (unitsTell)
    call("populus_gather_cells", {doubts, state});
  builder.CreateCondBr(call("populus_has_doubts", {doubts}), wrong, right,
                       unlikely());
}

void LoopEmitter::moveTriples(const RepeatGuards &guards, Value *rounds) {
  for (const RepeatedTriple &triple : guards.triples)
    call("populus_move_triple", {state, word(triple.pair), triple.strides[0],
                                 triple.strides[1], triple.strides[2], rounds});
}

std::size_t
LoopEmitter::numAskingForUsual(const std::vector<DecodedSlot> &slots) {
  return static_cast<std::size_t>(
      std::count_if(slots.begin(), slots.end(), [&](const DecodedSlot &slot) {
        return semantics.asksForUsual(semantics.operation(*slot.main)) ||
               (slot.aux &&
                semantics.asksForUsual(semantics.operation(*slot.aux)));
      }));
}

Value *LoopEmitter::markOverwritten() {
  return region.kind == CodeKind::Recording
             ? call("populus_mark_overwritten", {context})
             : nullptr;
}

Value *LoopEmitter::keepsAllSince(Value *mark) {
  return mark ? call("populus_keeps_all_since_mark", {context})
              : builder.getTrue();
}

Value *LoopEmitter::roundsAtOnce(const Loop &loop) {
  Value *result = word(RoundsAtOnce);
  for (const RepeatedRange &store : loop.stores)
    result = builder.CreateBinaryIntrinsic(
        Intrinsic::umin, result,
        call("populus_rounds_at_once",
             {store.stride, word(store.bytes), loop.piece.count}));
  return result;
}

Value *LoopEmitter::isWorthKeeping(const Loop &loop, Value *atOnce) {
  const auto bundles = static_cast<std::uint32_t>(loop.piece.slots.size());
  const std::uint32_t fewest = (FewestBundles + bundles - 1) / bundles;
  Value *rounds =
      builder.CreateBinaryIntrinsic(Intrinsic::umin, loop.piece.count, atOnce);
  return builder.CreateICmpUGE(rounds, word(fewest));
}

void LoopEmitter::copyStores(StringRef how, const Loop &loop, Value *left,
                             Value *number, unsigned offset) {
  for (const RepeatedRange &store : loop.stores) {
    reserveKept(offset + KeptBytes);
    Value *first = builder.CreateAdd(
        store.first, builder.CreateMul(store.stride, roundOf(loop, left)));
    call(how, {context, first, store.stride, number, word(store.bytes),
               keptAt(offset)});
    offset += KeptBytes;
  }
}

void LoopEmitter::reserveKept(unsigned bytes) {
  if (!kept)
    kept = allocate(bytes);
  else if (kept->getAllocatedType()->getArrayNumElements() < bytes)
    kept->setAllocatedType(ArrayType::get(builder.getInt8Ty(), bytes));
}

Value *LoopEmitter::keptAt(unsigned offset) {
  return builder.CreateConstGEP1_32(builder.getInt8Ty(), kept, offset);
}

Value *LoopEmitter::roundOf(const Loop &loop, Value *left) {
  return builder.CreateZExt(builder.CreateSub(loop.piece.count, left),
                            builder.getInt64Ty());
}

LoopEmitter::Rounds LoopEmitter::beginRounds(const Loop &loop, Value *count,
                                             Value *left) {
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

void LoopEmitter::endRounds(const Rounds &rounds, BasicBlock *then) {
  BasicBlock *end = builder.GetInsertBlock();
  Value *fewer = builder.CreateSub(rounds.left, word(1));
  rounds.left->addIncoming(fewer, end);
  rounds.round->addIncoming(
      builder.CreateNSWAdd(rounds.round, builder.getInt64(1)), end);
  builder.CreateCondBr(builder.CreateIsNull(fewer), then, rounds.first);
  builder.SetInsertPoint(then);
}

LoopEmitter::Places LoopEmitter::placesOf(const RepeatGuards &guards) {
  Places result;
  for (const std::vector<RepeatedAccess> &accesses : guards.accesses) {
    std::vector<Value *> &list = result.emplace_back();
    for (const RepeatedAccess &access : accesses)
      list.push_back(call("populus_first_place", {context, access.base}));
  }
  return result;
}

Value *LoopEmitter::placeAt(Value *place, std::int64_t offset) {
  return builder.CreateInBoundsGEP(
      builder.getInt8Ty(), place,
      builder.getInt64(static_cast<std::uint64_t>(offset)));
}

std::vector<Value *> LoopEmitter::noPlaces() {
  return std::vector<Value *>(Assumptions::MostAccesses,
                              ConstantPointerNull::get(builder.getPtrTy()));
}

void LoopEmitter::emitRound(const Loop &loop, const Places &first,
                            const Rounds &rounds, bool usual,
                            function_ref<void(std::uint32_t)> fault) {
  for (std::size_t i = 0; i != loop.piece.slots.size(); ++i) {
    places = noPlaces();
    const std::vector<RepeatedAccess> &accesses = loop.guards.accesses[i];
    for (std::size_t j = 0; j != accesses.size(); ++j)
      places[accesses[j].which] =
          placeAt(builder.CreateInBoundsGEP(
                      builder.getInt8Ty(), first[i][j],
                      builder.CreateNSWMul(accesses[j].stride, rounds.round)),
                  accesses[j].offset);
    const auto at = static_cast<std::uint32_t>(loop.body + 2 * i);
    emitOrdinary(at, loop.piece.slots[i],
                 {!accesses.empty(), usual, usual && loop.unitsTell},
                 [&] { fault(at); });
  }
}

void LoopEmitter::enter(const StateCopy &copy) {
  state = allocate(sizeof(Context));
  call("populus_enter_copy",
       {state, context, word(copy.m), word(copy.singles()), word(copy.pairs)});
}

void LoopEmitter::leave(const StateCopy &copy) {
  call("populus_leave_copy",
       {context, state, word(copy.m), word(copy.singles()), word(copy.pairs)});
}

} // namespace populus::translate
