// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Making slots. An instruction may begin at every word, so every word gets a
// slot, and what cannot be executed gets a slot that faults when it is.

#include "runtime/Emulator/Code/Code.h"

#include "runtime/Emulator/Code/Decode.h"
#include "runtime/Emulator/Code/SupervisorWaits.h"
#include "runtime/Emulator/Machine/WeightRegisters.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace populus::runtime::emulator {

class Decoder {
public:
  explicit Decoder(Code &code) : code(code), image(*code.image) {}

  void run() {
    const std::size_t count = image.textBytes / 4;
    // Two more, for the code that runs off the end.
    code.slots.resize(count + 2);
    code.weightRegister.resize(count);
    for (std::size_t i = 0; i != count; ++i)
      addSlot(i);
    addWaits();
    for (std::size_t i = count; i-- != 0;)
      countSame(i);
    setBad(code.slots[count], BadSlot::BadTarget, endAddress());
    setBad(code.slots[count + 1], BadSlot::BadTarget, endAddress() + 4);
  }

private:
  Address endAddress() const { return image.base + image.textBytes; }

  static void setBad(Slot &slot, BadSlot kind, std::uint32_t value) {
    slot = {};
    slot.run = runBad(kind);
    slot.step = stepBad(kind);
    slot.mainOperands.imm = static_cast<std::int32_t>(value);
    slot.mainOperands.lengthOrTurns = 1;
    slot.auxOperands.lengthOrTurns = 1;
  }

  void addSlot(std::size_t index) {
    const std::optional<DecodedSlot> decoded = decodeSlot(image, index);
    if (!decoded)
      return setBad(code.slots[index], BadSlot::Illegal, wordOf(image, index));
    const Handlers &handlers = handlersOf(decoded->main - rows().data());
    Slot &slot = code.slots[index];
    slot = {};
    slot.mainOperands = decoded->mainOperands;
    slot.auxOperands = decoded->auxOperands;
    if (decoded->aux) {
      const PairOrder order = decoded->order;
      slot.run = handlers.runBundle ? handlers.runBundle : runPair(order);
      slot.step = handlers.stepBundle ? handlers.stepBundle : stepPair(order);
      slot.main = handlers.half;
      slot.aux = handlersOf(decoded->aux - rows().data()).half;
    } else {
      slot.run = handlers.runLone;
      slot.step = handlers.stepLone;
    }
    addControl(index, *decoded);
  }

  /// Targets of branches, bodies of loops.
  void addControl(std::size_t index, const DecodedSlot &decoded) {
    Slot &slot = code.slots[index];
    if (isRepeat(decoded)) {
      const std::optional<std::int64_t> turns =
          repeatedTurns(image, index, decoded);
      slot.bodyTurns = turns.value_or(0);
      if (!turns) {
        slot.run = runBad(BadSlot::BadRepeat);
        slot.step = stepBad(BadSlot::BadRepeat);
      }
    } else if (const std::optional<Address> target = branchTarget(decoded)) {
      slot.target = targetAt(*target);
    } else if (slot.others() == Others::LoadsWeights) {
      addWeightLoad(index, decoded);
    }
  }

  void addWeightLoad(std::size_t index, const DecodedSlot &decoded) {
    constexpr unsigned BytesPerRegister = 8;
    constexpr unsigned TooLarge = 0xff;
    const unsigned first =
        std::min(static_cast<unsigned>(decoded.mainOperands.imm), TooLarge);
    const auto registers = static_cast<std::uint8_t>(
        decoded.main->facts.accessBytes / BytesPerRegister);
    code.weightRegister[index] = static_cast<std::uint8_t>(first);
    code.slots[index].weightLoads = {
        1, registers, static_cast<std::uint16_t>(first + registers),
        static_cast<std::uint8_t>(first < WeightRegisters::PerSet ? 1 : 2)};
  }

  void addWaits() {
    const std::vector<std::uint8_t> waits = supervisorWaits(image);
    for (std::size_t i = 0; i != waits.size(); ++i)
      if (code.slots[i].length() == 1)
        code.slots[i].setWaitBehind(waits[i]);
  }

  /// Counts the effects that supervisors have at once. The slots behind `index`
  /// have been counted.
  void countSame(std::size_t index) {
    if (code.slots[index].others() == Others::LoadsWeights)
      countWeightLoads(index);
    if (code.slots[index].others() == Others::InLine)
      countLine(index);
  }

  // Few enough for the cycles until a limit that is far away.
  static constexpr unsigned MostAtOnce = 64;

  void countLine(std::size_t index) {
    Slot &slot = code.slots[index];
    const Slot &next = code.slots[index + 1];
    slot.line = {1, static_cast<std::uint16_t>(slot.supervisorCycles())};
    if (next.others() == Others::InLine && next.line.length != MostAtOnce) {
      slot.line.length += next.line.length;
      slot.line.cycles += next.line.cycles;
    }
  }

  void countWeightLoads(std::size_t index) {
    Slot &slot = code.slots[index];
    const Slot &next = code.slots[index + 1];
    if (next.others() == Others::LoadsWeights &&
        next.weightLoads.registers == slot.weightLoads.registers &&
        next.weightLoads.number != MostAtOnce) {
      slot.weightLoads.number += next.weightLoads.number;
      slot.weightLoads.end =
          std::max(slot.weightLoads.end, next.weightLoads.end);
      slot.weightLoads.sets |= next.weightLoads.sets;
    }
  }

  const Slot *targetAt(Address target) {
    if (const Slot *slot = code.find(target))
      return slot;
    code.badTargets.push_back(std::make_unique<Slot>());
    setBad(*code.badTargets.back(), BadSlot::BadTarget, target);
    return code.badTargets.back().get();
  }

  Code &code;
  const CodeImage &image;
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

const Symbol *Code::symbolAt(Address address) const {
  const auto after = std::upper_bound(
      image->symbols.begin(), image->symbols.end(), address,
      [](Address a, const Symbol &symbol) { return a < symbol.address; });
  return after == image->symbols.begin() ? nullptr : &*std::prev(after);
}

std::string Code::describe(Address address) const {
  const Symbol *symbol = symbolAt(address);
  if (!symbol)
    return {};
  char offset[16];
  std::snprintf(offset, sizeof(offset), "+0x%x", address - symbol->address);
  return symbol->name + offset;
}

std::string Code::sourceLine(Address address) const {
  const auto after = std::upper_bound(
      image->lines.begin(), image->lines.end(), address,
      [](Address a, const SourceLine &line) { return a < line.address; });
  if (after == image->lines.begin() || std::prev(after)->file == None)
    return {};
  const SourceLine &line = *std::prev(after);
  return image->files[line.file] + ":" + std::to_string(line.line);
}

} // namespace populus::runtime::emulator
