// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of rows tell what kinds of instructions there are; everything else is
// in their operands.

#include "runtime/Emulator/SlotFacts.h"

#include "runtime/Emulator/Decode.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>

namespace populus::runtime::emulator {

namespace {

bool beginsWithAny(std::string_view name,
                   std::initializer_list<std::string_view> prefixes) {
  return std::any_of(
      prefixes.begin(), prefixes.end(),
      [name](std::string_view prefix) { return name.starts_with(prefix); });
}

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
      : row(row), name(row.name), operands(operands) {}

  void addTo(SlotFacts &facts) const {
    std::uint32_t reads = 0, writes = 0;
    for (unsigned i = 0; i != row.numOperands; ++i) {
      if (isRead(row.operands[i]))
        reads |= registers(i);
      else if (isWrite(row.operands[i]))
        writes |= registers(i);
    }
    facts.written |= writes;
    if (name == "RUN")
      facts.workers = SlotFacts::Workers::StartsOne;
    else if (name == "RUNALL")
      facts.workers = SlotFacts::Workers::StartsAll;
    else if (name == "SYNC")
      facts.workers = SlotFacts::Workers::Awaits;
    if (isMove()) {
      facts.movedTo = number(0);
      facts.movedFrom = number(1);
      facts.movedWords = row.operands[0].words;
    } else if (movesBits()) {
      facts.mixed |= reads;
      facts.mixedInto |= writes;
    } else {
      facts.used |= reads & ~registersStored(facts);
      addLoads(facts);
    }
    if (const SlotFacts::Bits bits = bitsOf(row, operands);
        bits != SlotFacts::Bits::None)
      facts.bits = bits;
  }

private:
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
    // $m14 and $m15, $a14 and $a15 are zero.
    return words << first & 0x3fff3fff;
  }

  bool isMove() const {
    if (name == "OR_m_rz" || name == "OR_a_rz")
      return operands.imm == 0;
    return name == "ATOM" || (name == "OR64" && isZero(2));
  }
  bool isZero(unsigned operand) const {
    const unsigned r = operands.r[row.operands[operand].slot];
    return r == 14 || r == 15;
  }
  bool movesBits() const {
    return beginsWithAny(name, {"AND", "OR", "XOR", "SHL", "SHR", "SHUF",
                                "SORT", "ROLL", "SWAP", "MOV"});
  }

  /// Sets what is stored, too.
  std::uint32_t registersStored(SlotFacts &facts) const {
    const bool isStore = beginsWithAny(name, {"ST32", "ST64", "STM32"});
    if (!isStore && !beginsWithAny(name, {"LDST", "LD2XST"}))
      return 0;
    const unsigned operand = isStore ? 0 : 1;
    facts.stored = number(operand);
    return registers(operand);
  }

  void addLoads(SlotFacts &facts) const {
    // Others load addresses, too, or not all of a register.
    if (!beginsWithAny(name, {"LD32", "LD64_", "LD64STEP", "LD128_",
                              "LD128STEP", "LDZ", "LDS", "LD2X"}))
      return;
    facts.loaded[0] = number(0);
    if (name == "LD2X64PACE")
      facts.loaded[1] = number(1);
    else if (name == "LD2XST64PACE" && number(0) != SlotFacts::NoRegister)
      facts.loaded[1] = static_cast<std::uint8_t>(number(0) + 2);
  }

  const RowInfo &row;
  const std::string_view name;
  const Operands &operands;
};

} // namespace

SlotFacts::Bits bitsOf(const RowInfo &row, const Operands &operands) {
  const std::string_view name = row.name;
  if (name == "AND_m_rz" && operands.imm >= 0 && operands.imm <= 15 &&
      (operands.imm & 4) != 0)
    return SlotFacts::Bits::TakesLowest;
  const bool joins = name == "OR_m_rr" || name == "XOR_rr" || name == "ADD_rr";
  return joins ? SlotFacts::Bits::Joins : SlotFacts::Bits::None;
}

ImageFacts::ImageFacts(const CodeImage &image) : slots(image.textBytes / 4) {
  for (std::size_t i = 0; i != slots.size(); ++i) {
    const std::optional<DecodedSlot> slot = decodeSlot(image, i);
    if (!slot)
      continue;
    Half(*slot->main, slot->mainOperands).addTo(slots[i]);
    if (slot->aux)
      Half(*slot->aux, slot->auxOperands).addTo(slots[i]);
  }
  for (const SlotFacts &facts : slots)
    special.push_back(facts.isSpecial());
}

} // namespace populus::runtime::emulator
