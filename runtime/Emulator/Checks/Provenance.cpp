// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Follows origins through registers and memory.

#include "runtime/Emulator/Checks/Provenance.h"

#include <algorithm>
#include <bit>

namespace populus::runtime::emulator {

// ---- Origins ----------------------------------------------------------------

Origin Origin::operator-() const {
  Origin negative;
  negative.plus = minus;
  negative.minus = plus;
  return negative;
}

Origin Origin::operator+(const Origin &other) const {
  if (isUnknown() || other.isUnknown())
    return unknown();
  std::uint32_t a = plus, b = other.plus, c = minus, d = other.minus;
  // A region that is added and taken away again does not count.
  for (std::uint32_t *added : {&a, &b})
    for (std::uint32_t *taken : {&c, &d})
      if (*added == *taken)
        *added = *taken = 0;
  if ((a && b) || (c && d))
    return unknown();
  Origin sum;
  sum.plus = a | b;
  sum.minus = c | d;
  return sum;
}

// ---- Registers --------------------------------------------------------------

void Provenance::beginVertex(const VertexRegions &regions, Address at) {
  memory.clear();
  filled.reset();
  state = at;
  ofState = Origin();
  for (Registers &of : contexts) {
    of.marked = 0;
    of.isFresh = true;
    of.pending = nullptr;
    of.address = Origin();
  }
  for (std::size_t i = 0; i != regions.all().size(); ++i) {
    const AllowedRegion &region = regions.all()[i];
    if (region.isState && region.begin != region.end)
      ofState = Origin(i);
    else if (region.slotBytes != 0) // fields may share one in programs by hand
      put(region.slot, region.slotBytes,
          memory.contains(region.slot) ? Origin::unknown() : Origin(i));
  }
}

void Provenance::beginWorker(unsigned context) {
  Registers &of = contexts[context];
  of.marked = 0;
  of.isFresh = true;
  of.pending = nullptr;
}

void Provenance::begin(Registers &of, const Context &c) const {
  of.isFresh = false;
  const Register base = c.isSupervisor() ? 0 : VertexBase;
  if (c.m[base] == state)
    set(of, base, ofState);
}

void Provenance::set(Registers &of, unsigned r, Origin origin) {
  if (r >= NumRegisters)
    return;
  of.origins[r] = origin;
  const std::uint32_t bit = 1u << r;
  of.marked = origin.isNone() ? of.marked & ~bit : of.marked | bit;
}

Origin Provenance::get(const Registers &of, unsigned r) {
  return r < NumRegisters && (of.marked >> r & 1) ? of.origins[r] : Origin();
}

/// A slot that reads or writes a register with an origin.
void Provenance::execute(Registers &of, const Context &c) {
  const PointerFacts &facts = *of.facts;
  for (unsigned i = 0; i != of.stored.size(); ++i)
    of.stored[i] = get(of, facts.stored + i);
  if (facts.isPacked) {
    of.address = Origin::unknown();
    of.marked &= ~facts.written;
    return;
  }
  for (std::uint8_t r : facts.address)
    of.address = of.address + get(of, r);
  const Origin stepped = get(of, facts.stepped) + get(of, facts.steppedBy);
  Computation &next = of.computation;
  bool isMarked = false;
  for (unsigned i = 0; i != next.origins.size(); ++i) {
    const unsigned r = facts.sources[i];
    next.origins[i] = get(of, r);
    isMarked |= !next.origins[i].isNone();
    next.values[i] = r < std::size(c.m) ? c.m[r] : 0;
  }
  std::array<Origin, 4> moved;
  const unsigned words =
      std::min<unsigned>(facts.movedWords, static_cast<unsigned>(moved.size()));
  for (unsigned i = 0; i != words; ++i)
    moved[i] = get(of, facts.movedFrom + i);
  of.marked &= ~facts.written;
  set(of, facts.stepped, stepped);
  for (unsigned i = 0; i != words; ++i)
    set(of, facts.movedTo + i, moved[i]);
  if (isMarked && facts.result != PointerFacts::None)
    of.pending = &facts;
}

void Provenance::settle(Registers &of, const Context &c) {
  const PointerFacts &facts = *of.pending;
  of.pending = nullptr;
  const Origin origin = resultOf(of.computation, facts, c.m[facts.result]);
  // The whole result of one that writes a pair.
  for (std::uint32_t rest = facts.written & 0xffff; rest; rest &= rest - 1)
    set(of, static_cast<unsigned>(std::countr_zero(rest)), origin);
}

Origin Provenance::resultOf(const Computation &computation,
                            const PointerFacts &facts, std::uint32_t result) {
  // Below that are no addresses but flags, counts and lowest bits.
  constexpr std::uint32_t FirstAddress = 4096;
  const auto &[origins, values] = computation;
  unsigned marked[3], numMarked = 0, numSources = 0;
  for (unsigned i = 0; i != origins.size(); ++i) {
    numSources += facts.sources[i] != PointerFacts::None;
    if (!origins[i].isNone())
      marked[numMarked++] = i;
  }
  const unsigned first = marked[0];
  if (numSources == std::size(marked)) { // it is one of them
    if (numMarked == 1)
      return result == values[first] ? origins[first] : Origin();
    Origin found = Origin::unknown();
    unsigned numEqual = 0;
    for (unsigned i = 0; i != numMarked; ++i)
      if (result == values[marked[i]]) {
        numEqual += !(found == origins[marked[i]]);
        found = origins[marked[i]];
      }
    return numEqual == 1 ? found : Origin::unknown();
  }
  const bool isSmall = result < FirstAddress;
  if (numMarked == 1) {
    const Origin origin = origins[first];
    if (origin.isUnknown())
      return origin;
    const std::uint32_t value = values[first];
    const std::uint32_t other =
        numSources == 2 ? values[1 - first] : facts.immediate;
    if (result == other - value && result != value)
      return -origin;
    const bool isFlag = result <= 1 && value > 1;
    return isFlag || (origin.isPointer() && isSmall && value >= FirstAddress)
               ? Origin()
               : origin;
  }
  const Origin a = origins[0], b = origins[1];
  if (result == values[0] + values[1])
    return a + b;
  if (result == values[0] - values[1])
    return a - b;
  if (result == values[0])
    return a;
  if (result == values[1])
    return b;
  if (isSmall)
    return Origin();
  return a == b ? a : Origin::unknown();
}

// ---- Memory -----------------------------------------------------------------

void Provenance::put(Address address, unsigned bytes, Origin origin) {
  memory[address] = {origin, bytes};
  filled.set(address / WordBytes % FilterSize);
}

void Provenance::erase(Address address, unsigned bytes) {
  for (unsigned i = 0; i < bytes; i += 2)
    if (mayHold(address + i))
      memory.erase(address + i);
}

/// The origin of a word or a part of one.
Origin Provenance::at(Address address, unsigned bytes) const {
  if (!mayHold(address))
    return {};
  Origin found;
  for (unsigned i = 0; i < bytes; i += 2)
    if (const auto entry = memory.find(address + i); entry != memory.end())
      found = found.isNone() ? entry->second.origin : Origin::unknown();
  return found;
}

void Provenance::accessed(unsigned context, Address address, unsigned bytes,
                          bool store, unsigned load) {
  Registers &of = contexts[context];
  const PointerFacts *facts = of.facts;
  if (!facts)
    return;
  if (store) {
    erase(address, bytes);
    // Parts of a word hold no pointer.
    if (bytes < WordBytes || facts->stored == PointerFacts::None)
      return;
    for (unsigned i = 0; i != bytes / WordBytes && i != of.stored.size(); ++i)
      if (!of.stored[i].isNone())
        put(address + i * WordBytes, WordBytes, of.stored[i]);
    return;
  }
  if (load >= std::size(facts->loaded) ||
      facts->loaded[load] == PointerFacts::None)
    return;
  const unsigned first = facts->loaded[load];
  if (bytes <= WordBytes)
    return set(of, first, at(address, bytes));
  for (unsigned i = 0; i != bytes / WordBytes; ++i)
    set(of, first + i, at(address + i * WordBytes, WordBytes));
}

} // namespace populus::runtime::emulator
