// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decoding. The table of encodings is generated from the instruction table; an
// instruction may begin at every word, so every word gets a slot, and what
// cannot be executed gets a slot that faults when it is.

#include "runtime/Emulator/Code.h"

#include "runtime/Emulator/DecodeTable.h"

#include "runtime/Target/TargetInfo.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string_view>

namespace populus::runtime::emulator {

namespace {

constexpr std::uint32_t BundleBit = 0x80000000;

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

std::optional<Decoded> decodeWord(std::uint32_t word) {
  const RowInfo *row = rowIndex().find(word);
  if (!row)
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

} // namespace

class Decoder {
public:
  explicit Decoder(Code &code) : code(code), image(*code.image) {}

  void run() {
    const std::size_t count = image.textBytes / 4;
    // Two more, for the code that runs off the end.
    code.slots.resize(count + 2);
    for (std::size_t i = 0; i != count; ++i)
      decodeSlot(i);
    setBad(code.slots[count], BadSlot::BadTarget, endAddress());
    setBad(code.slots[count + 1], BadSlot::BadTarget, endAddress() + 4);
    for (const Loop &loop : loops)
      checkLoop(loop);
  }

private:
  struct Loop {
    std::size_t index;
    std::uint32_t bundles;
  };

  Address endAddress() const { return image.base + image.textBytes; }

  std::uint32_t word(std::size_t index) const {
    std::uint32_t value;
    std::memcpy(&value, image.bytes.data() + 4 * index, sizeof(value));
    return value;
  }

  static void setBad(Slot &slot, BadSlot kind, std::uint32_t value) {
    slot = {};
    slot.run = runBad(kind);
    slot.step = stepBad(kind);
    slot.mainOperands.imm = static_cast<std::int32_t>(value);
    slot.mainOperands.lengthOrTurns = 1;
    slot.auxOperands.lengthOrTurns = 1;
  }

  void decodeSlot(std::size_t index) {
    const std::uint32_t first = word(index);
    const bool done =
        first & BundleBit ? decodeBundle(index) : decodeLone(index);
    if (!done)
      setBad(code.slots[index], BadSlot::Illegal, first);
  }

  bool decodeLone(std::size_t index) {
    const std::optional<Decoded> lone = decodeWord(word(index));
    if (!lone)
      return false;
    const Handlers &handlers = handlersOf(lone->row - rows().data());
    Slot &slot = code.slots[index];
    slot = {};
    slot.run = handlers.runLone;
    slot.step = handlers.stepLone;
    slot.mainOperands = lone->operands;
    slot.mainOperands.lengthOrTurns = 1;
    slot.mainOperands.contexts = lone->row->contexts;
    slot.auxOperands.lengthOrTurns = lone->row->issueSlots;
    addControl(index, *lone);
    return true;
  }

  bool decodeBundle(std::size_t index) {
    if (4 * (index + 2) > image.textBytes)
      return false;
    const std::optional<Decoded> main = decodeWord(word(index) & ~BundleBit);
    const std::optional<Decoded> aux = decodeWord(word(index + 1));
    if (!main || !aux || main->row->isAux || !aux->row->isAux ||
        main->row->noBundle || aux->row->noBundle ||
        (main->sets.writesA & aux->sets.writesA) != 0)
      return false;
    const Handlers &handlers = handlersOf(main->row - rows().data());
    const PairOrder order = orderOf(main->sets, aux->sets);
    Slot &slot = code.slots[index];
    slot = {};
    slot.run = handlers.runBundle ? handlers.runBundle : runPair(order);
    slot.step = handlers.stepBundle ? handlers.stepBundle : stepPair(order);
    slot.main = handlers.half;
    slot.aux = handlersOf(aux->row - rows().data()).half;
    slot.mainOperands = main->operands;
    slot.mainOperands.lengthOrTurns = 2;
    slot.mainOperands.contexts = 1;
    slot.auxOperands = aux->operands;
    if (order == PairOrder::AuxAside)
      writeAside(*aux->row, slot.auxOperands);
    slot.auxOperands.lengthOrTurns =
        std::max(main->row->issueSlots, aux->row->issueSlots);
    addControl(index, *main);
    return true;
  }

  /// Auxiliary instructions write one register or pair, and have few operands.
  static void writeAside(const RowInfo &row, Operands &operands) {
    for (unsigned i = 0; i != row.numOperands; ++i) {
      const OperandInfo &info = row.operands[i];
      if (info.kind != OperandKind::AWrite)
        continue;
      operands.r[AsideRegister] = operands.r[info.slot];
      operands.r[AsideWords] = info.words;
      operands.r[info.slot] = AsideResult;
    }
  }

  static PairOrder orderOf(const AccessSets &main, const AccessSets &aux) {
    const bool mainFeedsAux = main.writesA & aux.readsA;
    const bool auxFeedsMain = aux.writesA & main.readsA;
    if (mainFeedsAux && auxFeedsMain)
      return PairOrder::AuxAside;
    return auxFeedsMain ? PairOrder::MainFirst : PairOrder::AuxFirst;
  }

  /// Targets of branches, bodies of loops.
  void addControl(std::size_t index, const Decoded &decoded) {
    if (!decoded.row->isControl)
      return;
    const std::string_view mnemonic = decoded.row->mnemonic;
    Slot &slot = code.slots[index];
    if (mnemonic == "rpt") {
      const Operands &operands = decoded.operands;
      const bool counted = std::string_view(decoded.row->name) == "RPT_i";
      const std::uint32_t last = counted ? operands.r[0] : operands.imm;
      loops.push_back({index, last + 1});
    } else if (isBranch(decoded)) {
      slot.target = targetAt(
          (static_cast<std::uint32_t>(decoded.operands.imm) & 0x7ffff) * 4);
    }
  }

  /// Control instructions with an immediate other than rpt name a target.
  static bool isBranch(const Decoded &decoded) {
    for (unsigned i = 0; i != decoded.row->numOperands; ++i)
      if (decoded.row->operands[i].slot == ImmSlot)
        return true;
    return false;
  }

  const Slot *targetAt(Address target) {
    if (const Slot *slot = code.find(target))
      return slot;
    code.badTargets.push_back(std::make_unique<Slot>());
    setBad(*code.badTargets.back(), BadSlot::BadTarget, target);
    return code.badTargets.back().get();
  }

  void checkLoop(const Loop &loop) {
    Slot &slot = code.slots[loop.index];
    const std::size_t body = loop.index + slot.length();
    const std::size_t end = body + 2 * loop.bundles;
    std::int64_t turns = 0;
    bool good = (image.base + 4 * body) % 8 == 0 && 4 * end <= image.textBytes;
    for (std::size_t i = body; good && i != end; i += 2) {
      good = isPlainBundle(i);
      turns += code.slots[i].turns();
    }
    slot.bodyTurns = turns;
    if (!good) {
      slot.run = runBad(BadSlot::BadRepeat);
      slot.step = stepBad(BadSlot::BadRepeat);
    }
  }

  bool isPlainBundle(std::size_t index) const {
    if ((word(index) & BundleBit) == 0 || code.slots[index].length() != 2)
      return false;
    const RowInfo *main = rowIndex().find(word(index) & ~BundleBit);
    const RowInfo *aux = rowIndex().find(word(index + 1));
    return !main->isControl && !main->isSystem && !aux->isSystem;
  }

  Code &code;
  const CodeImage &image;
  std::vector<Loop> loops;
};

Code::Code(const CodeImage &image) : image(&image), base(image.base) {
  Decoder(*this).run();
}

std::uint32_t Code::wordAt(Address address) const {
  std::uint32_t word = 0;
  if (find(address))
    std::memcpy(&word, image->bytes.data() + (address - base), sizeof(word));
  return word;
}

std::string Code::describe(Address address) const {
  const auto after = std::upper_bound(
      image->symbols.begin(), image->symbols.end(), address,
      [](Address a, const Symbol &symbol) { return a < symbol.address; });
  if (after == image->symbols.begin())
    return {};
  const Symbol &symbol = *std::prev(after);
  char offset[16];
  std::snprintf(offset, sizeof(offset), "+0x%x", address - symbol.address);
  return symbol.name + offset;
}

std::string mnemonicOf(std::uint32_t word) {
  const RowInfo *row = rowIndex().find(word & ~BundleBit);
  return row ? row->mnemonic : "";
}

} // namespace populus::runtime::emulator
