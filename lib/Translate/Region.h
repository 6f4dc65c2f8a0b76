// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of a code image that is translated together: the slots that an entry
// reaches through branches, up to a size. Most often that is the function of
// the entry. A function with several symbols, at which workers begin, is one
// region with several entries, so its common code is translated once. Calls
// leave the region and come back to it; only small functions that call no
// others become a part of it.

#ifndef POPULUS_LIB_TRANSLATE_REGION_H
#define POPULUS_LIB_TRANSLATE_REGION_H

#include "runtime/Emulator/Code/Decode.h"
#include "runtime/Emulator/Translation/Translator.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace populus::translate {

using runtime::Address;
using runtime::CodeImage;
using runtime::emulator::CodeKind;
using runtime::emulator::DecodedSlot;
using runtime::emulator::Flow;

struct RegionSlot {
  DecodedSlot decoded;
  Flow flow;
  std::uint32_t target = 0;   // slot, of branches and calls
  std::uint32_t exit = 0;     // index into the region's exits, if it is one
  std::int64_t bodyTurns = 0; // of a hardware loop

  std::uint32_t turns() const;
};

struct Region {
  const CodeImage &image;
  std::uint32_t first; // slot that others are counted from
  CodeKind kind;
  std::map<std::uint32_t, RegionSlot> slots;
  /// Slots that control reaches not only from the slot in front.
  std::set<std::uint32_t> leaders;
  /// Return points of calls. Calls of functions inside the region return to
  /// innerReturns. Calls of other functions return to entries of the region, in
  /// addition to the slots where the region begins; some entries may not be in
  /// the region.
  std::set<std::uint32_t> innerReturns;
  std::set<std::uint32_t> entries;
  /// Targets of branches that are not in the region, in order of the branches.
  std::vector<std::uint32_t> exits;

  bool contains(std::uint32_t slot) const { return slots.count(slot) != 0; }
  /// The region may be elsewhere in another image.
  std::uint32_t relative(std::uint32_t slot) const { return slot - first; }
  /// Returns the kinds of weights that the matrix and slim convolution units
  /// read.
  runtime::emulator::WeightKinds weights() const;
  /// Returns everything that the host code depends on: regions with the same
  /// content share it.
  std::string content() const;
};

/// The region of an entry. It does not contain the entry if the interpreter has
/// to execute it.
Region findRegion(const CodeImage &image, std::uint32_t entry, CodeKind kind);

} // namespace populus::translate

#endif
