// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Breadth first from the entry, so that a region that is too large loses what
// is farthest away. What would fault whenever it is executed is left to the
// interpreter.

#include "lib/Translate/Region.h"

#include "lib/Translate/Limits.h"

#include <deque>
#include <optional>
#include <string_view>

namespace populus::translate {

using namespace runtime::emulator;

namespace {

constexpr unsigned SupervisorOnly = 2;

Flow flowOf(const DecodedSlot &slot) {
  if (slot.main->isSystem)
    return Flow::System;
  if (!slot.main->isControl)
    return Flow::Next;
  const std::string_view name = slot.main->name;
  if (isRepeat(slot))
    return Flow::Repeat;
  if (name == "BR")
    return Flow::Jump;
  if (name == "BRI")
    return Flow::Goto;
  if (name == "CALL")
    return Flow::Call;
  return name.starts_with("EXIT") ? Flow::Exit : Flow::Branch;
}

class Finder {
public:
  explicit Finder(Region &region) : region(region) {}

  void run() {
    reach(region.entry);
    while (!pending.empty()) {
      const std::uint32_t start = pending.front();
      pending.pop_front();
      follow(start);
    }
  }

private:
  /// A slot to which control may come from elsewhere.
  void reach(std::uint32_t slot) {
    if (region.leaders.insert(slot).second)
      pending.push_back(slot);
  }

  /// The slots from `at` to the end of its straight line.
  void follow(std::uint32_t at) {
    while (!region.contains(at) && region.slots.size() < MostSlots) {
      const std::optional<RegionSlot> slot = understand(at);
      if (!slot)
        return;
      region.slots.emplace(at, *slot);
      const std::uint32_t next = nextOf(at, *slot);
      if (slot->flow == Flow::Branch || slot->flow == Flow::Goto ||
          slot->flow == Flow::Call)
        reach(slot->target);
      if (slot->flow == Flow::Call)
        region.returns.insert(next);
      if (slot->flow == Flow::Branch || slot->flow == Flow::Call)
        reach(next);
      if (slot->flow != Flow::Next && slot->flow != Flow::System &&
          slot->flow != Flow::Repeat)
        return;
      at = next;
    }
    // Where a straight line runs into another one, that one begins a block.
    region.leaders.insert(at);
  }

  std::optional<RegionSlot> understand(std::uint32_t at) const {
    const std::uint32_t count = region.image.textBytes / 4;
    if (at >= count)
      return std::nullopt;
    const std::optional<DecodedSlot> decoded = decodeSlot(region.image, at);
    if (!decoded || decoded->main->contexts == SupervisorOnly ||
        (decoded->aux && (decoded->main->isSystem || decoded->aux->isSystem)))
      return std::nullopt;
    RegionSlot slot{*decoded, flowOf(*decoded)};
    if (slot.flow == Flow::Repeat) {
      const std::optional<std::int64_t> turns =
          repeatedTurns(region.image, at, *decoded);
      if (!turns)
        return std::nullopt;
      slot.bodyTurns = *turns;
    } else if (const std::optional<Address> target = branchTarget(*decoded)) {
      const std::uint32_t offset = *target - region.image.base;
      if (offset % 4 != 0 || offset / 4 >= count)
        return std::nullopt;
      slot.target = offset / 4;
    }
    return slot;
  }

  static std::uint32_t nextOf(std::uint32_t at, const RegionSlot &slot) {
    std::uint32_t next = at + slot.decoded.length();
    if (slot.flow == Flow::Repeat)
      next += 2 * repeatedBundles(slot.decoded);
    return next;
  }

  Region &region;
  std::deque<std::uint32_t> pending;
};

} // namespace

std::uint32_t RegionSlot::turns() const {
  // The interpreter counts one turn for a lone instruction of these kinds.
  const bool special = flow != Flow::Next;
  return special && !decoded.aux ? 1 : decoded.turns();
}

Region findRegion(const CodeImage &image, std::uint32_t entry) {
  Region region{image, entry, {}, {}, {}};
  Finder(region).run();
  return region;
}

} // namespace populus::translate
