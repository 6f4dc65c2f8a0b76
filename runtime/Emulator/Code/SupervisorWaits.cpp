// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One pass over the words of an image, with the cycle from which on each
// register can be read. $CCCSLOAD is one more register: weight loads read what
// `put` has written; that they also move it on holds none of them up.

#include "runtime/Emulator/Code/SupervisorWaits.h"

#include "runtime/Emulator/Machine/ControlNumbers.h"
#include "runtime/Target/Timing.h"

#include <algorithm>
#include <array>

namespace populus::runtime::emulator {

namespace {

constexpr unsigned WeightAddress = 16;

/// Registers as bits.
struct Registers {
  std::uint32_t read = 0, written = 0;
};

Registers registersOf(const DecodedSlot &slot) {
  Registers result;
  for (unsigned i = 0; i != slot.main->numOperands; ++i) {
    const OperandInfo &info = slot.main->operands[i];
    if (info.kind != OperandKind::MRead && info.kind != OperandKind::MWrite)
      continue;
    // The decoder redirects what nothing may write.
    const unsigned first = slot.mainOperands.r[info.slot];
    if (first >= WeightAddress)
      continue;
    const std::uint32_t words = ((1u << info.words) - 1) << first;
    (info.kind == OperandKind::MRead ? result.read : result.written) |= words;
  }
  const InstructionFacts &facts = slot.main->facts;
  if (facts.workers == Workers::LoadsWeights)
    result.read |= 1u << WeightAddress;
  if (facts.csr == Csr::WritesLower && slot.mainOperands.imm == csr::WeightLoad)
    result.written |= 1u << WeightAddress;
  return result;
}

/// Returns whether the slot behind this one may come next without a branch.
bool goesOn(Flow flow) {
  return flow == Flow::Next || flow == Flow::System || flow == Flow::Branch;
}

class Pipeline {
public:
  /// Marks all results as available.
  void empty() {
    ready.fill(0);
    now = 0;
  }

  /// Issues an instruction and returns the cycles that it waits.
  unsigned issue(const Registers &registers) {
    std::uint64_t start = now;
    for (unsigned i = 0; i != ready.size(); ++i)
      if (registers.read >> i & 1)
        start = std::max(start, ready[i]);
    for (unsigned i = 0; i != ready.size(); ++i)
      if (registers.written >> i & 1)
        ready[i] = start + timing::SupervisorResultCycles;
    const auto waited = static_cast<unsigned>(start - now);
    now = start + timing::SupervisorCycles;
    return waited;
  }

private:
  std::array<std::uint64_t, WeightAddress + 1> ready = {};
  std::uint64_t now = 0;
};

std::vector<bool> targetsOf(const CodeImage &image,
                            std::span<const std::optional<DecodedSlot>> slots) {
  std::vector<bool> result(slots.size());
  for (const std::optional<DecodedSlot> &slot : slots)
    if (const std::optional<Address> target =
            slot ? branchTarget(*slot) : std::nullopt) {
      const std::size_t index = (*target - image.base) / 4;
      if (index < result.size())
        result[index] = true;
    }
  return result;
}

} // namespace

std::vector<std::uint8_t> supervisorWaits(const CodeImage &image) {
  std::vector<std::optional<DecodedSlot>> slots(image.textBytes / 4);
  for (std::size_t i = 0; i != slots.size(); ++i)
    slots[i] = decodeSlot(image, i);
  const std::vector<bool> isTarget = targetsOf(image, slots);
  std::vector<std::uint8_t> result(slots.size());
  Pipeline pipeline;
  bool isBehind = false; // the instruction before may be followed by this one
  for (std::size_t i = 0; i != slots.size(); ++i) {
    const bool isLone = slots[i] && !slots[i]->aux;
    if (!isBehind || isTarget[i] || !isLone)
      pipeline.empty();
    if (isLone) {
      const unsigned waited = pipeline.issue(registersOf(*slots[i]));
      if (i != 0 && isBehind)
        result[i - 1] = static_cast<std::uint8_t>(waited);
    }
    isBehind = isLone && goesOn(slots[i]->main->facts.flow);
  }
  return result;
}

} // namespace populus::runtime::emulator
