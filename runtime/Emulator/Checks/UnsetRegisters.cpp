// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moves the marks of unset registers as slots move their values.

#include "runtime/Emulator/Checks/UnsetRegisters.h"

namespace populus::runtime::emulator {

/// A slot may load into the register that it stores.
void UnsetRegisters::keepStored(const SlotFacts &facts) {
  isStored = false;
  if (facts.stored == SlotFacts::NoRegister)
    return;
  for (unsigned word = 0; word != storedKnown.size(); ++word) {
    const unsigned r = facts.stored + word;
    const bool isUnset =
        r < loads.size() && (marked >> r & 1) && loads[r].isCopy;
    storedKnown[word] = isUnset ? loads[r].known : AllBytes;
    isStored |= isUnset;
  }
}

void UnsetRegisters::move(const SlotFacts &facts) {
  const std::uint32_t before = marked;
  marked &= ~facts.written;
  // A partly set value has no known destination after mixing, so only wholly
  // unset values are followed.
  for (std::uint32_t mixed = before & facts.mixed; mixed != 0;
       mixed &= mixed - 1) {
    Load load = loads[std::countr_zero(mixed)];
    if (load.known != 0)
      continue;
    load.isCopy = false;
    for (std::uint32_t to = facts.mixedInto; to != 0; to &= to - 1)
      loads[std::countr_zero(to)] = load;
    marked |= facts.mixedInto;
  }
  if (facts.movedTo == SlotFacts::NoRegister ||
      facts.movedFrom == SlotFacts::NoRegister)
    return;
  for (unsigned word = 0; word != facts.movedWords; ++word)
    if (before >> (facts.movedFrom + word) & 1) {
      loads[facts.movedTo + word] = loads[facts.movedFrom + word];
      marked |= 1u << (facts.movedTo + word);
    }
}

} // namespace populus::runtime::emulator
