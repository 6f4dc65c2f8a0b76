// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers that hold unset memory. For example, copying an object copies its
// padding and its unset members, which is no mistake. So a load of unset memory
// only marks the register, a copy of the register is marked as well, and a
// store takes the mark back to memory. The mistake is to compute with such a
// register, to branch on it or to use it as an address. Instructions that only
// move bits to other places serve to store bytes into words: their result is
// marked, but counts as set once it is stored.

#ifndef POPULUS_RUNTIME_EMULATOR_CHECKS_UNSETREGISTERS_H
#define POPULUS_RUNTIME_EMULATOR_CHECKS_UNSETREGISTERS_H

#include "runtime/Emulator/Code/SlotFacts.h"

#include <array>
#include <bit>

namespace populus::runtime::emulator {

class UnsetRegisters {
public:
  /// The load that set a register.
  struct Load {
    Address pc = 0;
    Address address = 0;
    unsigned bytes = 0;
    std::uint8_t known = 0; // a bit for each byte of the register that is set
    bool isCopy = false;    // of a word in memory
  };

  void clear() { marked = 0; }
  /// Returns whether execute() has anything to do.
  bool any() const { return marked != 0 || isStored; }

  /// Before a slot is executed: calls `use` with the load of each register that
  /// it computes with and none of whose bytes are set, which counts as set from
  /// then on.
  template <typename Use> void execute(const SlotFacts &facts, Use use) {
    keepStored(facts);
    std::uint32_t used = marked & facts.used;
    for (; used != 0; used &= used - 1) {
      const Load &load = loads[std::countr_zero(used)];
      if (load.known == 0)
        use(load);
    }
    marked &= ~facts.used;
    move(facts);
  }

  /// The slot that is executed loads so many words into registers from `first`
  /// on; `load` is of word `word`.
  void loaded(unsigned first, unsigned word, const Load &load) {
    const unsigned r = first + word;
    loads[r] = load;
    marked |= 1u << r;
  }

  /// The bytes that are set of the word that the slot stores from its register
  /// number `word`.
  std::uint8_t knownOfStored(unsigned word) const { return storedKnown[word]; }
  bool storesUnset() const { return isStored; }

private:
  static constexpr std::uint8_t AllBytes = 0xf;

  void keepStored(const SlotFacts &facts);
  void move(const SlotFacts &facts);

  std::uint32_t marked = 0; // a bit for each register
  std::array<Load, 32> loads;
  bool isStored = false;
  std::array<std::uint8_t, 2> storedKnown = {AllBytes, AllBytes};
};

} // namespace populus::runtime::emulator

#endif
