// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The instruction table tells what kinds of instructions there are; everything
// else is in their operands.

#include "runtime/Emulator/Code/SlotFacts.h"

#include "runtime/Emulator/Code/Decode.h"

namespace populus::runtime::emulator {

namespace {

bool isRead(const OperandInfo &info) {
  return info.kind == OperandKind::MRead || info.kind == OperandKind::ARead;
}
bool isWrite(const OperandInfo &info) {
  return info.kind == OperandKind::MWrite || info.kind == OperandKind::AWrite;
}

/// One half of a slot.
class Half {
public:
  Half(const RowInfo &row, const Operands &operands)
      : row(row), facts(row.facts), operands(operands) {}

  void addTo(SlotFacts &slot) const {
    std::uint32_t reads = 0, writes = 0;
    for (unsigned i = 0; i != row.numOperands; ++i) {
      if (isRead(row.operands[i]))
        reads |= registers(i);
      else if (isWrite(row.operands[i]))
        writes |= registers(i);
    }
    slot.written |= writes;
    if (facts.workers == Workers::StartsOne)
      slot.workers = SlotFacts::Workers::StartsOne;
    else if (facts.workers == Workers::StartsAll)
      slot.workers = SlotFacts::Workers::StartsAll;
    else if (facts.workers == Workers::Awaits)
      slot.workers = SlotFacts::Workers::Awaits;
    if (isMove()) {
      slot.movedTo = number(0);
      slot.movedFrom = number(1);
      slot.movedWords = row.operands[0].words;
    } else if (facts.bitMoves != BitMoves::None) {
      slot.mixed |= reads;
      slot.mixedInto |= writes;
    } else {
      slot.used |= reads & ~registersStored(slot);
      addLoads(slot);
    }
    if (const SlotFacts::Bits bits = bitsOf(row, operands);
        bits != SlotFacts::Bits::None)
      slot.bits = bits;
  }

  void addTo(PointerFacts &slot) const {
    for (unsigned i = 0; i != row.numOperands; ++i)
      if (isRead(row.operands[i]))
        slot.read |= registers(i);
      else if (isWrite(row.operands[i]))
        slot.written |= registers(i);
    if (facts.access != AccessKind::None)
      addAccess(slot);
    else if (isMove())
      addMove(slot);
    else if (row.numOperands != 0 &&
             row.operands[0].kind == OperandKind::MWrite)
      addComputation(slot);
  }

private:
  /// The address is made of the last registers that are read: base, delta, and
  /// a third one by which it is moved, now or behind the access.
  void addAccess(PointerFacts &slot) const {
    unsigned numBases = 2;
    bool hasThird = facts.addressing == Addressing::Offset ||
                    facts.addressing == Addressing::StepBy;
    bool moves = facts.addressing == Addressing::Step ||
                 facts.addressing == Addressing::StepBy;
    if (facts.addressing == Addressing::Other &&
        facts.access == AccessKind::Store) { // base and offset, or step
      numBases = 1;
      hasThird = true;
      moves = isWrite(row.operands[0]);
    } else if (facts.addressing == Addressing::Paced ||
               facts.addressing == Addressing::Other) {
      slot.isPacked = true;
      return;
    }
    unsigned reads[std::size(row.operands)], numReads = 0;
    for (unsigned i = 0; i != row.numOperands; ++i)
      if (isRead(row.operands[i]))
        reads[numReads++] = i;
    const unsigned *const bases = reads + (numReads - numBases - hasThird);
    for (unsigned i = 0; i != numBases; ++i)
      slot.address[i] = number(bases[i]);
    if (moves)
      slot.stepped = number(bases[numBases - 1]);
    if (hasThird)
      (moves ? slot.steppedBy : slot.address[numBases]) =
          number(bases[numBases]);
    if (facts.stores())
      slot.stored = number(reads[0]);
    else if (isWrite(row.operands[0]))
      slot.loaded[0] = number(0);
  }
  void addMove(PointerFacts &slot) const {
    slot.movedTo = number(0);
    slot.movedFrom = number(1);
    slot.movedWords = row.operands[0].words;
  }
  void addComputation(PointerFacts &slot) const {
    slot.result = number(0);
    unsigned source = 0;
    for (unsigned i = 0; i != row.numOperands; ++i)
      if (row.operands[i].kind == OperandKind::MRead &&
          source != std::size(slot.sources))
        slot.sources[source++] = number(i);
      else if (row.operands[i].slot == ImmSlot)
        slot.immediate = static_cast<std::uint32_t>(operands.imm);
  }

  std::uint8_t number(unsigned operand) const {
    const OperandInfo &info = row.operands[operand];
    const bool isA =
        info.kind == OperandKind::ARead || info.kind == OperandKind::AWrite;
    constexpr unsigned Count = 16;
    unsigned r = operands.r[info.slot];
    if (isA && r == AsideResult)
      r = operands.r[AsideRegister];
    // The decoder redirects what nothing may write.
    return static_cast<std::uint8_t>(r < Count ? r + (isA ? Count : 0)
                                               : SlotFacts::NoRegister);
  }
  std::uint32_t registers(unsigned operand) const {
    const unsigned first = number(operand);
    if (first == SlotFacts::NoRegister)
      return 0;
    const std::uint32_t words = (1u << row.operands[operand].words) - 1;
    // $m14 and $m15, $a8 to $a15 are zero.
    return words << first & 0x00ff3fff;
  }

  bool isMove() const {
    return facts.bitMoves == BitMoves::Copies ||
           (facts.bitMoves == BitMoves::CopiesIfZero && isLastZero());
  }
  bool isLastZero() const {
    const unsigned last = row.numOperands - 1u;
    return row.operands[last].slot == ImmSlot ? operands.imm == 0
                                              : isZero(last);
  }
  bool isZero(unsigned operand) const { return registers(operand) == 0; }

  /// Sets what is stored, too: the first operand that is read.
  std::uint32_t registersStored(SlotFacts &slot) const {
    if (!facts.stores())
      return 0;
    unsigned operand = 0;
    while (!isRead(row.operands[operand]))
      ++operand;
    slot.stored = number(operand);
    return registers(operand);
  }

  void addLoads(SlotFacts &slot) const {
    // Others load addresses, too, or not all of a register.
    if (!facts.loadsWords)
      return;
    slot.loaded[0] = number(0);
    if (facts.tripleBytes[1] == 0)
      return;
    // Into two pairs, or both into a quad.
    if (isWrite(row.operands[1]))
      slot.loaded[1] = number(1);
    else if (number(0) != SlotFacts::NoRegister)
      slot.loaded[1] = static_cast<std::uint8_t>(number(0) + 2);
  }

  const RowInfo &row;
  const InstructionFacts &facts;
  const Operands &operands;
};

} // namespace

SlotFacts::Bits bitsOf(const RowInfo &row, const Operands &operands) {
  switch (row.facts.lowestBits) {
  case LowestBits::Takes: // three of them, or four
    return operands.imm >= 0 && operands.imm <= 15 && (operands.imm & 4) != 0
               ? SlotFacts::Bits::TakesLowest
               : SlotFacts::Bits::None;
  case LowestBits::Joins:
  case LowestBits::Adds:
    return SlotFacts::Bits::Joins;
  case LowestBits::None:
    break;
  }
  return SlotFacts::Bits::None;
}

ImageFacts::ImageFacts(const CodeImage &image)
    : slots(image.textBytes / 4), pointers(slots.size()) {
  for (std::size_t i = 0; i != slots.size(); ++i) {
    const std::optional<DecodedSlot> slot = decodeSlot(image, i);
    if (!slot)
      continue;
    const auto add = [&](const Half &half) {
      half.addTo(slots[i]);
      half.addTo(pointers[i]);
    };
    add(Half(*slot->main, slot->mainOperands));
    if (slot->aux)
      add(Half(*slot->aux, slot->auxOperands));
  }
  for (const SlotFacts &facts : slots)
    special.push_back(facts.isSpecial());
}

} // namespace populus::runtime::emulator
