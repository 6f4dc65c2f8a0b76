// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decoding one slot by the generated table of encodings.

#include "runtime/Emulator/Code/Decode.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

namespace populus::runtime::emulator {

namespace {

/// Rows by bits 30:24, in which all rows differ first.
class RowIndex {
public:
  RowIndex() {
    for (const RowInfo &row : rows())
      buckets[row.value >> 24].push_back(&row);
  }

  const RowInfo *find(std::uint32_t word) const {
    for (const RowInfo *row : buckets[(word >> 24) & 0x7f])
      if ((word & row->mask) == row->value)
        return row;
    return nullptr;
  }

private:
  std::array<std::vector<const RowInfo *>, 128> buckets;
};

const RowIndex &rowIndex() {
  static const RowIndex index;
  return index;
}

/// Sets of $a registers, to find out whether the halves of a bundle interfere.
struct AccessSets {
  std::uint32_t readsA = 0;
  std::uint32_t writesA = 0;
};

struct Decoded {
  const RowInfo *row;
  Operands operands;
  AccessSets sets;
};

std::int32_t extend(const OperandInfo &info, std::uint32_t field) {
  if (info.kind == OperandKind::High12)
    return static_cast<std::int32_t>(field << 20);
  if (info.kind == OperandKind::Signed) {
    const unsigned unused = 32 - info.width;
    return static_cast<std::int32_t>(field << unused) >> unused;
  }
  return static_cast<std::int32_t>(field);
}

/// The entry of the register file that an operand means: writes to read-only
/// registers go to the spare entries.
std::uint8_t registerEntry(const OperandInfo &info, std::uint32_t number) {
  if (info.kind == OperandKind::MWrite && number >= WorkerBase)
    return SpareM;
  if (info.kind == OperandKind::AWrite && number >= 8)
    return SpareA;
  return static_cast<std::uint8_t>(number);
}

bool isRegister(OperandKind kind) { return kind <= OperandKind::AWrite; }

std::optional<Decoded> decodeWord(const CodeImage &image, std::uint32_t word) {
  const RowInfo *row = rowIndex().find(word);
  if (!row || (row->needsTwoSets && image.accumulatorSets < 2))
    return std::nullopt;
  Decoded result{row, {}, {}};
  for (unsigned i = 0; i != row->numOperands; ++i) {
    const OperandInfo &info = row->operands[i];
    const std::uint32_t field = (word >> info.low) & ((1u << info.width) - 1);
    if (!isRegister(info.kind)) {
      if (info.slot == ImmSlot)
        result.operands.imm = extend(info, field);
      else
        result.operands.r[info.slot] = static_cast<std::uint8_t>(field);
      continue;
    }
    if ((info.legal >> field & 1) == 0)
      return std::nullopt;
    const std::uint8_t entry = registerEntry(info, field);
    result.operands.r[info.slot] = entry;
    const std::uint32_t registers = ((1u << info.words) - 1) << entry;
    if (info.kind == OperandKind::ARead)
      result.sets.readsA |= registers;
    else if (info.kind == OperandKind::AWrite && entry < SpareA)
      result.sets.writesA |= registers;
  }
  return result;
}

/// Auxiliary instructions write one register or pair, and have few operands.
void writeAside(const RowInfo &row, Operands &operands) {
  for (unsigned i = 0; i != row.numOperands; ++i) {
    const OperandInfo &info = row.operands[i];
    if (info.kind != OperandKind::AWrite)
      continue;
    operands.r[AsideRegister] = operands.r[info.slot];
    operands.r[AsideWords] = info.words;
    operands.r[info.slot] = AsideResult;
  }
}

PairOrder orderOf(const AccessSets &main, const AccessSets &aux) {
  const bool mainFeedsAux = main.writesA & aux.readsA;
  const bool auxFeedsMain = aux.writesA & main.readsA;
  if (mainFeedsAux && auxFeedsMain)
    return PairOrder::AuxAside;
  return auxFeedsMain ? PairOrder::MainFirst : PairOrder::AuxFirst;
}

Others othersOf(const RowInfo &row) {
  switch (row.facts.workers) {
  case Workers::StartsOne:
  case Workers::StartsAll:
    return Others::Starts;
  case Workers::Awaits:
    return Others::Awaits;
  case Workers::LoadsWeights:
    return Others::LoadsWeights;
  case Workers::None:
    break;
  }
  if (row.isSystem)
    return Others::MayMatter;
  constexpr unsigned WorkersOnly = 1;
  return row.isControl || row.contexts == WorkersOnly || row.issueSlots != 1
             ? Others::Nothing
             : Others::InLine;
}

std::optional<DecodedSlot> decodeLone(const CodeImage &image,
                                      std::uint32_t word) {
  const std::optional<Decoded> lone = decodeWord(image, word);
  if (!lone)
    return std::nullopt;
  DecodedSlot slot{lone->row, nullptr, lone->operands, {}, PairOrder::AuxFirst};
  slot.mainOperands.lengthOrTurns = 1;
  slot.mainOperands.contextsOrOthers = lone->row->contexts;
  slot.auxOperands.lengthOrTurns = lone->row->issueSlots;
  slot.auxOperands.contextsOrOthers =
      static_cast<std::uint8_t>(othersOf(*lone->row));
  return slot;
}

std::optional<DecodedSlot> decodeBundle(const CodeImage &image,
                                        std::uint32_t first,
                                        std::uint32_t second) {
  const std::optional<Decoded> main = decodeWord(image, first & ~BundleBit);
  const std::optional<Decoded> aux = decodeWord(image, second);
  if (!main || !aux || main->row->isAux || !aux->row->isAux ||
      main->row->noBundle || aux->row->noBundle ||
      (main->sets.writesA & aux->sets.writesA) != 0)
    return std::nullopt;
  DecodedSlot slot{main->row, aux->row, main->operands, aux->operands,
                   orderOf(main->sets, aux->sets)};
  slot.mainOperands.lengthOrTurns = 2;
  slot.mainOperands.contextsOrOthers = 1;
  if (slot.order == PairOrder::AuxAside)
    writeAside(*aux->row, slot.auxOperands);
  slot.auxOperands.lengthOrTurns =
      std::max(main->row->issueSlots, aux->row->issueSlots);
  return slot;
}

/// May be in the body of a hardware loop.
bool isPlainBundle(const std::optional<DecodedSlot> &slot) {
  return slot && slot->aux && !slot->main->isControl && !slot->main->isSystem &&
         !slot->aux->isSystem;
}

} // namespace

std::uint32_t wordOf(const CodeImage &image, std::size_t index) {
  std::uint32_t value;
  std::memcpy(&value, image.bytes.data() + 4 * index, sizeof(value));
  return value;
}

std::optional<DecodedSlot> decodeSlot(const CodeImage &image,
                                      std::size_t index) {
  const std::uint32_t first = wordOf(image, index);
  if ((first & BundleBit) == 0)
    return decodeLone(image, first);
  if (4 * (index + 2) > image.textBytes)
    return std::nullopt;
  return decodeBundle(image, first, wordOf(image, index + 1));
}

bool isRepeat(const DecodedSlot &slot) {
  return slot.main->facts.flow == Flow::Repeat;
}

std::uint32_t repeatedBundles(const DecodedSlot &slot) {
  const OperandInfo &last = slot.main->operands[slot.main->numOperands - 1];
  const std::uint32_t others = last.slot == ImmSlot
                                   ? slot.mainOperands.imm
                                   : slot.mainOperands.r[last.slot];
  return others + 1;
}

std::optional<std::int64_t> repeatedTurns(const CodeImage &image,
                                          std::size_t index,
                                          const DecodedSlot &slot) {
  const std::size_t body = index + slot.length();
  const std::size_t end = body + 2 * repeatedBundles(slot);
  if ((image.base + 4 * body) % 8 != 0 || 4 * end > image.textBytes)
    return std::nullopt;
  std::int64_t turns = 0;
  for (std::size_t i = body; i != end; i += 2) {
    const std::optional<DecodedSlot> bundle = decodeSlot(image, i);
    if (!isPlainBundle(bundle))
      return std::nullopt;
    turns += bundle->turns();
  }
  return turns;
}

std::optional<Address> branchTarget(const DecodedSlot &slot) {
  if (!slot.main->isControl || isRepeat(slot))
    return std::nullopt;
  // Control instructions with an immediate other than rpt name a target.
  for (unsigned i = 0; i != slot.main->numOperands; ++i)
    if (slot.main->operands[i].slot == ImmSlot)
      return (static_cast<std::uint32_t>(slot.mainOperands.imm) & 0x7ffff) * 4;
  return std::nullopt;
}

const RowInfo *findRow(std::uint32_t word) {
  return rowIndex().find(word & ~BundleBit);
}

std::string mnemonicOf(std::uint32_t word) {
  const RowInfo *row = findRow(word);
  return row ? row->mnemonic : "";
}

} // namespace populus::runtime::emulator
