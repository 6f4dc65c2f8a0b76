// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lines are tested, noted and, where there are units that ask, assumed to be
// usual as a whole, like the rounds of a loop (LoopEmitter.cpp).

#include "lib/Translate/LineEmitter.h"

#include "lib/Translate/Limits.h"

#include <algorithm>

namespace populus::translate {

using namespace llvm;
using namespace runtime::emulator;

// ---- Straight lines ---------------------------------------------------------

std::vector<DecodedSlot> LineEmitter::slotsFrom(std::uint32_t at) const {
  std::vector<DecodedSlot> slots;
  for (std::uint32_t next = at; region.contains(next);) {
    const RegionSlot &slot = region.slots.at(next);
    if (slot.flow != Flow::Next || (next != at && blocks.count(next)) ||
        !semantics.operation(*slot.decoded.main))
      break;
    slots.push_back(slot.decoded);
    next += slot.decoded.length();
  }
  return slots;
}

std::vector<DecodedSlot> LineEmitter::straightFrom(std::uint32_t at) const {
  std::vector<DecodedSlot> slots = slotsFrom(at);
  const StraightLine line = straightLine(slots);
  slots.resize(line.accesses < 2 ? 0 : line.slots);
  return slots;
}

void LineEmitter::emitStraight(std::uint32_t at,
                               const std::vector<DecodedSlot> &slots) {
  const CodePiece piece{slots};
  const Line line{at, slots,
                  emitGuards(builder, semantics, context, {piece}).front()};
  requireGood({line.guards}, at);
  Value *mark = markOverwritten();
  noteAccesses(line);
  const std::optional<Rounded> unitsTell = whetherResultsTell({piece});
  const std::optional<StateCopy> copy = stateCopyFor(semantics, slots);
  if (!copy || !line.guards.complete ||
      numAskingForUsual(slots) < FewestAsking) {
    emitExactly(line);
    return endDisorder(line.guards, slots);
  }
  addPending();
  BasicBlock *after = newBlock("after");
  emitUsualLine(line, *copy, unitsTell, mark, after);
  emitExactly(line);
  addPending();
  builder.CreateBr(after);
  builder.SetInsertPoint(after);
  endDisorder(line.guards, slots);
}

void LineEmitter::noteAccesses(const Line &line) {
  noteRanges(
      line.guards, line.slots,
      [&](const RepeatedRange &range) {
        call("populus_note_range", {context, range.first, word(range.bytes),
                                    builder.getInt1(range.store)});
      },
      [&](const RepeatedAccess &access) { noteEach(access, word(1)); });
}

void LineEmitter::emitSlots(const Line &line, Assumptions assumptions,
                            function_ref<void(std::uint32_t)> fault) {
  const Places all = placesOf(line.guards);
  std::uint32_t slot = line.at;
  for (std::size_t i = 0; i != line.slots.size(); ++i) {
    places = noPlaces();
    const std::vector<RepeatedAccess> &accesses = line.guards.accesses[i];
    for (std::size_t j = 0; j != accesses.size(); ++j)
      places[accesses[j].which] = placeAt(all[i][j], accesses[j].offset);
    assumptions.addresses = !accesses.empty();
    if (!assumptions.usual)
      noteBits(line.slots[i]);
    emitOrdinary(slot, line.slots[i], assumptions, [&] { fault(slot); });
    if (!assumptions.usual)
      pending += line.slots[i].turns();
    slot += line.slots[i].length();
  }
}

void LineEmitter::emitExactly(const Line &line) {
  emitSlots(line, {}, [&](std::uint32_t slot) { stopAt(slot); });
}

std::int64_t LineEmitter::turnsOf(const Line &line) {
  std::int64_t turns = 0;
  for (const DecodedSlot &slot : line.slots)
    turns += slot.turns();
  return turns;
}

void LineEmitter::emitUsualLine(const Line &line, const StateCopy &copy,
                                std::optional<Rounded> unitsTell, Value *mark,
                                BasicBlock *after) {
  BasicBlock *usual = newBlock("usual"), *exact = newBlock("exact");
  BasicBlock *right = newBlock("right"), *wrong = newBlock("wrong");
  builder.CreateCondBr(
      builder.CreateAnd(call("populus_rounds_to_nearest", {context}),
                        keepsAllSince(mark)),
      usual, exact);
  builder.SetInsertPoint(usual);
  if (!mark)
    copyRanges("populus_keep", line.guards, 0);
  enter(copy);
  beginDoubts(unitsTell);
  emitSlots(line, {false, true, unitsTell.has_value()},
            [&](std::uint32_t) { builder.CreateBr(wrong); });
  endDoubts(unitsTell, right, wrong);
  builder.SetInsertPoint(right);
  moveTriples(line.guards, word(1));
  leave(copy);
  state = context;
  addTurns(builder.getInt64(static_cast<std::uint64_t>(turnsOf(line))));
  builder.CreateBr(after);
  builder.SetInsertPoint(wrong);
  if (mark)
    call("populus_put_back_since", {context, mark});
  else
    copyRanges("populus_put_back", line.guards, 0);
  builder.CreateBr(exact);
  builder.SetInsertPoint(exact);
}

void LineEmitter::addTurns(Value *turns) {
  builder.CreateStore(builder.CreateAdd(issuedNow(), turns), issued);
}

unsigned LineEmitter::copyRanges(StringRef how, const RepeatGuards &guards,
                                 unsigned offset) {
  for (const RepeatedRange &range : guards.stores()) {
    reserveKept(offset + range.bytes);
    call(how, {context, range.first, builder.getInt64(0), word(1),
               word(range.bytes), keptAt(offset)});
    offset += range.bytes;
  }
  return offset;
}

// ---- Passes of the matrix units ---------------------------------------------

std::optional<LineEmitter::Pass>
LineEmitter::passFrom(std::uint32_t at,
                      const std::vector<DecodedSlot> &first) const {
  const std::uint32_t repeat = at + lengthOf(first);
  if (!region.contains(repeat) || blocks.count(repeat))
    return std::nullopt;
  const RegionSlot &slot = region.slots.at(repeat);
  if (slot.flow != Flow::Repeat ||
      (slot.decoded.aux &&
       !doesNothing(*slot.decoded.aux, slot.decoded.auxOperands)))
    return std::nullopt;
  std::vector<CodePiece> pieces = {{first}, pieceOfLoop(repeat, slot)};
  const std::uint32_t last =
      repeat + slot.decoded.length() + lengthOf(pieces[1].slots);
  pieces.push_back(
      {blocks.count(last) ? std::vector<DecodedSlot>() : slotsFrom(last)});
  // The code behind the last piece may use the same registers in another way,
  // so shorten the piece until all its accesses are known.
  std::vector<DecodedSlot> &slots = pieces.back().slots;
  while (!slots.empty() &&
         (!isKnownInAdvance(pieces) || !whetherResultsTell(pieces)))
    slots.pop_back();
  std::vector<DecodedSlot> all;
  for (const CodePiece &piece : pieces)
    all.insert(all.end(), piece.slots.begin(), piece.slots.end());
  const std::optional<StateCopy> copy = stateCopyFor(semantics, all);
  const std::optional<Rounded> unitsTell = whetherResultsTell(pieces);
  if (!copy || !unitsTell || !isKnownInAdvance(pieces))
    return std::nullopt;
  return Pass{at,     repeat, last,      last + lengthOf(slots),
              pieces, *copy,  *unitsTell};
}

std::uint32_t LineEmitter::lengthOf(const std::vector<DecodedSlot> &slots) {
  std::uint32_t length = 0;
  for (const DecodedSlot &slot : slots)
    length += slot.length();
  return length;
}

void LineEmitter::emitPass(Pass pass) {
  const RegionSlot &slot = region.slots.at(pass.repeat);
  pass.pieces[1].count = performControl(slot);
  const std::vector<RepeatGuards> guards =
      emitGuards(builder, semantics, context, pass.pieces);
  requireGood(guards, pass.first);
  addPending();
  const Line first{pass.first, pass.pieces[0].slots, guards[0]};
  const Line last{pass.last, pass.pieces[2].slots, guards[2]};
  const Loop loop{pass.repeat + slot.decoded.length(),
                  slot.bodyTurns,
                  pass.pieces[1],
                  guards[1],
                  guards[1].stores(),
                  stateCopyFor(semantics, pass.pieces[1].slots),
                  pass.unitsTell};
  Value *mark = markOverwritten();
  noteAccesses(first);
  ifAnyRounds(loop.piece.count, [&] { noteAccesses(loop); });
  noteAccesses(last);
  BasicBlock *after = newBlock("after");
  emitUsualPass(pass, first, loop, last, mark, after);

  emitExactly(first);
  emitOtherHalf(pass.repeat, slot.decoded);
  pending += slot.turns();
  addPending();
  // The loop's stores can be put back only together with the first line's.
  ifAnyRounds(loop.piece.count, [&] {
    if (mark)
      emitExactRounds(loop, loop.piece.count);
    else
      emitRounds(loop, nullptr);
  });
  endRepeat(loop);
  emitExactly(last);
  addPending();
  builder.CreateBr(after);
  builder.SetInsertPoint(after);
  require(builder.CreateNot(nearLimit()), [&] { leaveTo(pass.end); });
}

void LineEmitter::emitUsualPass(const Pass &pass, const Line &first,
                                const Loop &loop, const Line &last, Value *mark,
                                BasicBlock *after) {
  BasicBlock *usual = newBlock("usual"), *exact = newBlock("exact");
  BasicBlock *right = newBlock("right"), *wrong = newBlock("wrong");
  Value *count = loop.piece.count;
  Value *canBeKept = mark ? keepsAllSince(mark)
                          : builder.CreateICmpUGE(roundsAtOnce(loop), count);
  builder.CreateCondBr(
      builder.CreateAnd(call("populus_rounds_to_nearest", {context}),
                        canBeKept),
      usual, exact);
  builder.SetInsertPoint(usual);
  if (!mark)
    copyStores("populus_keep", first, loop, last);
  enter(pass.copy);
  beginDoubts(pass.unitsTell);
  const Assumptions assumptions{false, true, true};
  const auto toWrong = [&](std::uint32_t) { builder.CreateBr(wrong); };
  emitSlots(first, assumptions, toWrong);
  const Places places = placesOf(loop.guards);
  ifAnyRounds(count, [&] {
    const Rounds rounds = beginRounds(loop, count);
    emitRound(loop, places, rounds, true, toWrong);
    endRounds(rounds, newBlock("done"));
  });
  emitSlots(last, assumptions, toWrong);
  endDoubts(pass.unitsTell, right, wrong);

  builder.SetInsertPoint(right);
  moveTriples(first.guards, word(1));
  moveTriples(loop.guards, count);
  moveTriples(last.guards, word(1));
  leave(pass.copy);
  state = context;
  pending =
      turnsOf(first) + region.slots.at(pass.repeat).turns() + turnsOf(last);
  endRepeat(loop);
  builder.CreateBr(after);
  builder.SetInsertPoint(wrong);
  if (mark)
    call("populus_put_back_since", {context, mark});
  else
    copyStores("populus_put_back", first, loop, last);
  builder.CreateBr(exact);
  builder.SetInsertPoint(exact);
}

void LineEmitter::copyStores(StringRef how, const Line &first, const Loop &loop,
                             const Line &last) {
  const unsigned offset =
      copyRanges(how, last.guards, copyRanges(how, first.guards, 0));
  if (!loop.stores.empty())
    ifAnyRounds(loop.piece.count, [&] {
      copyStores(how, loop, loop.piece.count, loop.piece.count, offset);
    });
}

} // namespace populus::translate
