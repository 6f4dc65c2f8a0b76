// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of a code image that is translated together: what can be reached
// from an entry through branches, calls and returns to calls, up to a size.

#ifndef POPULUS_LIB_TRANSLATE_REGION_H
#define POPULUS_LIB_TRANSLATE_REGION_H

#include "runtime/Emulator/Decode.h"

#include <map>
#include <set>
#include <vector>

namespace populus::translate {

using runtime::Address;
using runtime::CodeImage;
using runtime::emulator::DecodedSlot;

/// How control goes on after a slot.
enum class Flow {
  Next,   // to the slot behind it
  System, // the same, but the instruction looks at where it is
  Repeat, // after a hardware loop
  Branch, // to a target, or not
  Goto,   // to a target
  Call,   // to a target, which may come back
  Jump,   // to a register
  Exit,
};

struct RegionSlot {
  DecodedSlot decoded;
  Flow flow;
  std::uint32_t target = 0;   // slot, of branches and calls
  std::int64_t bodyTurns = 0; // of a hardware loop

  std::uint32_t turns() const;
};

struct Region {
  const CodeImage &image;
  std::uint32_t entry;
  std::map<std::uint32_t, RegionSlot> slots;
  /// Where slots begin to which control does not only come from the slot in
  /// front.
  std::set<std::uint32_t> leaders;
  /// Where calls in the region return to.
  std::set<std::uint32_t> returns;

  bool contains(std::uint32_t slot) const { return slots.count(slot) != 0; }
  Address addressOf(std::uint32_t slot) const { return image.base + 4 * slot; }
};

/// The region of an entry. It is empty if the interpreter has to execute the
/// entry.
Region findRegion(const CodeImage &image, std::uint32_t entry);

} // namespace populus::translate

#endif
