// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The search is breadth first from the entries, so that a region that is too
// large loses the slots that are farthest away. Slots that always fault are
// left to the interpreter.

#include "lib/Translate/Region.h"

#include "lib/Translate/Limits.h"

#include <deque>
#include <optional>

namespace populus::translate {

using namespace runtime::emulator;
using runtime::Symbol;

namespace {

constexpr unsigned SupervisorOnly = 2;

Flow flowOf(const DecodedSlot &slot) { return slot.main->facts.flow; }

bool branches(Flow flow) {
  return flow == Flow::Branch || flow == Flow::Goto || flow == Flow::Call;
}

class Finder {
public:
  explicit Finder(Region &region) : region(region) {}

  void run() {
    for (std::uint32_t entry : region.entries)
      reach(entry);
    while (!pending.empty()) {
      const std::uint32_t start = pending.front();
      pending.pop_front();
      follow(start);
    }
    for (auto &[at, slot] : region.slots)
      if (branches(slot.flow) && !region.contains(slot.target)) {
        slot.exit = static_cast<std::uint32_t>(region.exits.size());
        region.exits.push_back(slot.target);
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
      if (slot->flow == Flow::Branch || slot->flow == Flow::Goto)
        reach(slot->target);
      if (slot->flow == Flow::Call)
        call(slot->target, next);
      if (slot->flow == Flow::Branch || slot->flow == Flow::Call)
        reach(next);
      if (slot->flow != Flow::Next && slot->flow != Flow::System &&
          slot->flow != Flow::Repeat)
        return;
      at = next;
    }
    // A straight line that runs into another one ends there: the other one
    // begins a block.
    region.leaders.insert(at);
  }

  void call(std::uint32_t target, std::uint32_t next) {
    if (!isSmallLeaf(target)) {
      region.entries.insert(next);
      return;
    }
    reach(target);
    region.innerReturns.insert(next);
  }

  /// Returns whether a function is small and calls no others.
  bool isSmallLeaf(std::uint32_t function) const {
    std::set<std::uint32_t> seen;
    std::vector<std::uint32_t> rest = {function};
    while (!rest.empty()) {
      const std::uint32_t at = rest.back();
      rest.pop_back();
      if (!seen.insert(at).second)
        continue;
      const std::optional<RegionSlot> slot = understand(at);
      if (!slot || slot->flow == Flow::Call || seen.size() > MostLeafSlots)
        return false;
      if (slot->flow == Flow::Branch || slot->flow == Flow::Goto)
        rest.push_back(slot->target);
      if (slot->flow != Flow::Goto && slot->flow != Flow::Jump &&
          slot->flow != Flow::Exit)
        rest.push_back(nextOf(at, *slot));
    }
    return true;
  }

  std::optional<RegionSlot> understand(std::uint32_t at) const {
    const std::uint32_t count = region.image.textBytes / 4;
    if (at >= count)
      return std::nullopt;
    const std::optional<DecodedSlot> decoded = decodeSlot(region.image, at);
    if (!decoded || decoded->main->contexts == SupervisorOnly)
      return std::nullopt;
    // A system instruction alone in the auxiliary half is like any other.
    if (decoded->aux && decoded->aux->isSystem &&
        (decoded->main->isControl || decoded->main->isSystem))
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

WeightKinds Region::weights() const {
  WeightKinds result = NoWeights;
  const auto add = [&](const RowInfo *row) {
    if (row && row->facts.engine != EngineKind::None)
      result |= row->facts.takesSingles ? SingleWeights : HalfWeights;
  };
  for (const auto &[at, slot] : slots) {
    // The body of a hardware loop belongs to it.
    const std::uint32_t next = at + slot.decoded.length();
    const std::uint32_t end =
        next +
        (slot.flow == Flow::Repeat ? 2 * repeatedBundles(slot.decoded) : 0);
    add(slot.decoded.main);
    add(slot.decoded.aux);
    for (std::uint32_t i = next; i != end; ++i)
      add(findRow(wordOf(image, i)));
  }
  return result;
}

std::string Region::content() const {
  // The field of a target, which is relative in `content`.
  constexpr std::uint32_t TargetMask = 0x7ffff;
  constexpr std::uint32_t Outside = 0x80000000;
  std::string bytes;
  const auto add = [&](std::uint32_t word) {
    bytes.append(reinterpret_cast<const char *>(&word), sizeof(word));
  };
  add(static_cast<std::uint32_t>(kind));
  for (const auto &[at, slot] : slots) {
    std::uint32_t length = slot.decoded.length();
    if (slot.flow == Flow::Repeat)
      length += 2 * repeatedBundles(slot.decoded);
    add(relative(at));
    add(length);
    std::uint32_t first = wordOf(image, at);
    if (branches(slot.flow)) {
      first &= ~TargetMask;
      add(contains(slot.target) ? relative(slot.target) : Outside);
    }
    add(first);
    for (std::uint32_t i = 1; i < length; ++i)
      add(wordOf(image, at + i));
  }
  for (const std::set<std::uint32_t> *set : {&entries, &innerReturns}) {
    add(Outside);
    for (std::uint32_t slot : *set)
      add(relative(slot));
  }
  return bytes;
}

namespace {

/// Returns the entries of the function that begins at a slot or has a symbol
/// there: all of its symbols. Any other slot is its own only entry.
std::set<std::uint32_t> entriesWith(const CodeImage &image,
                                    std::uint32_t entry) {
  const Address address = image.base + 4 * entry;
  const Symbol *function = nullptr;
  bool isNamed = false;
  for (const Symbol &symbol : image.symbols) {
    isNamed |= symbol.address == address;
    if (symbol.address <= address && address - symbol.address < symbol.size)
      function = &symbol;
  }
  std::set<std::uint32_t> entries = {entry};
  if (isNamed && function)
    for (const Symbol &symbol : image.symbols)
      if (symbol.address - function->address < function->size &&
          symbol.address % 4 == 0)
        entries.insert((symbol.address - image.base) / 4);
  return entries;
}

Region regionOf(const CodeImage &image, std::set<std::uint32_t> entries,
                CodeKind kind) {
  const std::uint32_t first = *entries.begin();
  Region region{image, first, kind, {}, {}, {}, std::move(entries), {}};
  Finder(region).run();
  return region;
}

} // namespace

Region findRegion(const CodeImage &image, std::uint32_t entry, CodeKind kind) {
  Region region = regionOf(image, entriesWith(image, entry), kind);
  if (region.contains(entry))
    return region;
  // The function is too large.
  return regionOf(image, {entry}, kind);
}

} // namespace populus::translate
