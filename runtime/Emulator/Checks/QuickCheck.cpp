// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads and stores of a loop are looked at one access after the other, with all
// of its rounds, if the order of rounds does not matter: what the loop stores
// it does not touch otherwise, or has loaded before. Else round by round.

#include "runtime/Emulator/Checks/QuickCheck.h"

#include "runtime/Emulator/Tile/Tile.h"

#include <algorithm>
#include <cstring>

namespace populus::runtime::emulator {

// ---- Stores that nothing has loaded -----------------------------------------

[[gnu::always_inline]] inline QuickCheck::Words
QuickCheck::wordsOf(Address first, Address last) const {
  return {(first - subject->lo) / WordBytes,
          (last - 1 - subject->lo) / WordBytes + 1};
}

[[gnu::always_inline]] inline void QuickCheck::setUnread(const Words &words,
                                                         std::uint8_t value) {
  constexpr std::size_t Few = 4; // not worth a call
  if (words.last - words.first > Few)
    std::memset(&unread[words.first], value, words.last - words.first);
  else
    for (std::size_t i = words.first; i != words.last; ++i)
      unread[i] = value;
}

[[gnu::always_inline]] inline void QuickCheck::markRead(Address first,
                                                        Address last) {
  setUnread(wordsOf(first, last), 0);
}

[[gnu::always_inline]] inline bool QuickCheck::wasRead(Address first,
                                                       Address last) const {
  const Words words = wordsOf(first, last);
  std::uint8_t any = 0;
  for (std::size_t i = words.first; i != words.last; ++i)
    any |= unread[i];
  return any == 0;
}

[[gnu::always_inline]] inline void QuickCheck::markUnread(Address first,
                                                          Address last) {
  const Words words = wordsOf(first, last);
  setUnread(words, 1);
  for (std::size_t line = words.first / LineWords;
       line <= (words.last - 1) / LineWords; ++line)
    if (!isStored[line]) {
      isStored[line] = true;
      storedLines.push_back(static_cast<std::uint32_t>(line));
    }
}

// ---- Vertices ---------------------------------------------------------------

void QuickCheck::begin(const Subject &next) {
  subject.emplace(next);
  stacks.emplace(next.setup);
  isGood = true;
  looksAtUninit = next.options[Check::Uninit];
  looksAtDeadStores = next.options[Check::DeadStores];
  loop.clear();
  hasVertex = false;
  earlierSignatures.clear();
  alignment.assign(NumContexts, AlignmentTests(next.lo));
  const std::size_t lines = (next.hi - next.lo) / WordBytes / LineWords + 1;
  if (isStored.size() < lines) {
    isStored.resize(lines);
    unread.resize(lines * LineWords);
  }
}

void QuickCheck::beginVertex(std::uint32_t vertex) {
  regions.find(subject->executable, vertex);
  if (hasVertex)
    earlierSignatures.push_back(signature.value());
  hasVertex = true;
  beginSignature(vertex);
  for (auto &ofContext : lastRegions)
    ofContext.fill(nullptr);
  for (AlignmentTests &ofContext : alignment)
    ofContext.clear();
  disorder(false);
  forgetUnread();
  const TileStacks::Span all = stacks->all(subject->lo, subject->hi);
  if (looksAtUninit && all.first < all.last)
    subject->known.forget(all.first, all.last - all.first);
}

/// The code, and everything about the regions that may make a difference.
void QuickCheck::beginSignature(std::uint32_t vertex) {
  const Vertex &data = subject->executable.vertices[vertex];
  signature = {};
  signature.add(std::uint64_t(data.type) << 32 | subject->setup.image);
  for (const AllowedRegion &region : regions.all()) {
    signature.add(region.end - region.begin);
    if (regions.overlap())
      signature.add(region.begin - regions.all().front().begin);
  }
}

void QuickCheck::end() { forgetUnread(); }

std::vector<std::uint64_t> QuickCheck::signatures() const {
  std::vector<std::uint64_t> all = earlierSignatures;
  if (hasVertex)
    all.push_back(signature.value());
  return all;
}

// ---- Loops ------------------------------------------------------------------

void QuickCheck::accessed(unsigned context, std::uint32_t offset,
                          std::int64_t stride, std::uint32_t bytes,
                          std::uint32_t rounds, bool store) {
  if (rounds == 1 && !isEarly && early.empty() &&
      checkOne(context, subject->lo + offset, bytes, store)) [[likely]]
    return;
  const Walk walk{context, subject->lo + offset, stride, bytes, rounds, store};
  if (isEarly)
    early.push_back(walk);
  else if (!early.empty() && !isInOrder(walk))
    isGood = false;
  if (rounds == 1)
    check(walk);
  else
    loop.push_back(walk);
}

void QuickCheck::disorder(bool begins) {
  early.clear();
  isEarly = begins;
}

/// Returns whether an access may be moved across the accesses that were
/// reported early.
bool QuickCheck::isInOrder(const Walk &walk) const {
  return std::none_of(early.begin(), early.end(), [&](const Walk &other) {
    return (walk.store || other.store) && walk.first() < other.last() &&
           other.first() < walk.last();
  });
}

void QuickCheck::endRounds() {
  isEarly = false;
  if (loop.empty())
    return;
  if (canBeTogether()) {
    for (const bool stores : {false, true})
      for (const Walk &walk : loop)
        if (walk.store == stores)
          check(walk);
  } else {
    for (std::uint32_t i = 0; i != loop.front().rounds && isGood; ++i)
      for (const Walk &walk : loop)
        check(walk.round(i));
  }
  loop.clear();
}

/// Returns whether each access may be checked in all rounds at once, loads
/// first.
bool QuickCheck::canBeTogether() const {
  for (const Walk &write : loop) {
    if (!write.store)
      continue;
    if (write.step() < write.bytes)
      return false;
    for (const Walk &other : loop)
      if (&other != &write && !neverMeets(write, other) &&
          (other.store || !isAhead(other, write)))
        return false;
  }
  return true;
}

/// Returns whether two accesses never touch the same bytes. They may
/// interleave: each in the gaps of the other's steps.
bool QuickCheck::neverMeets(const Walk &a, const Walk &b) {
  if (a.last() <= b.first() || b.last() <= a.first())
    return true;
  if (a.stride != b.stride || a.stride == 0)
    return false;
  const std::uint32_t step = a.step();
  const std::uint32_t distance =
      b.at > a.at ? b.at - a.at : step - (a.at - b.at) % step;
  const std::uint32_t apart = distance < step ? distance : distance % step;
  return apart >= a.bytes && apart + b.bytes <= step;
}

/// Returns whether `read` always loads the bytes that `write` stores in the
/// same round, or in a later one.
bool QuickCheck::isAhead(const Walk &read, const Walk &write) {
  if (read.stride != write.stride || read.bytes != write.bytes)
    return false;
  const std::int64_t distance = std::int64_t(read.at) - std::int64_t(write.at);
  return distance % write.stride == 0 &&
         (distance == 0 ? &read < &write : distance / write.stride > 0);
}

// ---- Alignment --------------------------------------------------------------

void QuickCheck::takesLowest(unsigned context, std::uint32_t value) {
  alignment[context].test(value, regions);
}

void QuickCheck::joins(unsigned context, std::uint32_t a, std::uint32_t b) {
  alignment[context].join(a, b);
}

void QuickCheck::interprets(const Context &c, const Slot *slot) {
  const auto index = static_cast<std::size_t>(slot - c.tile->code->firstSlot());
  if (index >= subject->facts.special.size() || !subject->facts.special[index])
    return;
  const SlotFacts::Bits bits = subject->facts.slots[index].bits;
  const Operands &operands = slot->mainOperands;
  if (bits == SlotFacts::Bits::TakesLowest)
    takesLowest(c.number, c.m[operands.r[1]]);
  else if (bits == SlotFacts::Bits::Joins)
    joins(c.number, c.m[operands.r[1]], c.m[operands.r[2]]);
}

// ---- The checks -------------------------------------------------------------

template <typename Do> void QuickCheck::forPieces(const Walk &walk, Do each) {
  if (!walk.hasGaps())
    return each(walk.first(), walk.last());
  Address at = walk.at;
  for (std::uint32_t i = 0; i != walk.rounds; ++i) {
    each(at, at + walk.bytes);
    at = static_cast<Address>(at + walk.stride);
  }
}

[[gnu::always_inline]] inline void
QuickCheck::signPlace(unsigned context, const AllowedRegion &region, Address at,
                      std::uint32_t bytes, bool store) {
  const auto index =
      static_cast<std::uint64_t>(&region - regions.all().data() + 1);
  signature.add(index << 40 ^ std::uint64_t(at - region.begin) << 16 ^
                context << 8 ^ bytes << 1 ^ store);
}

/// The usual access that is no loop's: in the region of the last one, and
/// aligned for certain. False: it is another one, and nothing has been done.
[[gnu::always_inline]] inline bool QuickCheck::checkOne(unsigned context,
                                                        Address at,
                                                        std::uint32_t bytes,
                                                        bool store) {
  const AllowedRegion *region = lastRegions[context][store];
  if (!region || !region->contains(at, bytes, store))
    return false;
  if (bytes > WordBytes && region->field &&
      (regions.overlap() ||
       !isPromised(*region, region->field->minAlign | (at - region->begin),
                   bytes)))
    return false;
  signPlace(context, *region, at, bytes, store);
  KnownBytes &known = subject->known;
  if (store) {
    if (looksAtUninit)
      known.setAccess(at, bytes);
    if (looksAtDeadStores) {
      isGood &= wasRead(at, at + bytes);
      markUnread(at, at + bytes);
    }
    return true;
  }
  isGood &= !looksAtUninit || known.all(at, bytes);
  if (looksAtDeadStores && !storedLines.empty())
    markRead(at, at + bytes);
  return true;
}

void QuickCheck::check(const Walk &walk) {
  const bool inRegion = checkRegion(walk);
  if (!inRegion && !isInStack(walk) && !isInImage(walk)) {
    // Each round may be in a region of its own.
    for (std::uint32_t i = 0; walk.rounds != 1 && i != walk.rounds; ++i)
      check(walk.round(i));
    isGood &= walk.rounds != 1;
    return;
  }
  sign(walk, inRegion ? lastRegions[walk.context][walk.store] : nullptr);
  walk.store ? store(walk, inRegion) : load(walk, inRegion);
}

/// Adds an access to the signature: its place in a region, or in the stack or
/// the image.
void QuickCheck::sign(const Walk &walk, const AllowedRegion *region) {
  if (region)
    signPlace(walk.context, *region, walk.at, walk.bytes, walk.store);
  else
    signature.add(std::uint64_t(walk.at) << 16 ^ walk.context << 8 ^
                  walk.bytes << 1 ^ walk.store);
  if (walk.rounds != 1) {
    signature.add(walk.rounds);
    signature.add(static_cast<std::uint64_t>(walk.stride));
  }
}

bool QuickCheck::isInStack(const Walk &walk) const {
  return walk.first() >= stacks->begin(walk.context) &&
         walk.last() <= stacks->end(walk.context);
}

bool QuickCheck::isInImage(const Walk &walk) const {
  const CodeImage &image = subject->executable.images[subject->setup.image];
  return !walk.store && walk.first() >= image.base &&
         walk.last() <= image.base + image.bytes.size();
}

bool QuickCheck::checkRegion(const Walk &walk) {
  const AllowedRegion *&region = lastRegions[walk.context][walk.store];
  const Address first = walk.first(), last = walk.last();
  if (!region || !region->containsAll(first, last, walk.bytes, walk.store)) {
    const AllowedRegion *found =
        regions.containing(first, last, walk.bytes, walk.store);
    if (!found)
      return false;
    region = found;
  }
  if (walk.bytes > WordBytes && subject->options[Check::Alignment] &&
      !(regions.overlap() ? isAlignedInAll(walk) : isAligned(walk, *region)))
    isGood = false;
  return true;
}

bool QuickCheck::isAligned(const Walk &walk,
                           const AllowedRegion &region) const {
  const FieldInfo *field = region.field;
  if (!field || walk.bytes <= field->elementBytes)
    return true;
  const std::uint32_t promised =
      field->minAlign | (walk.at - region.begin) | walk.step();
  return isPromised(region, promised, walk.bytes) ||
         alignment[walk.context].isTested(field);
}

bool QuickCheck::isPromised(const AllowedRegion &region, std::uint32_t promised,
                            std::uint32_t bytes) {
  return (promised & (bytes - 1)) == 0 &&
         (bytes != 16 || region.field->interleaved);
}

/// Checks every region that contains the access: if regions overlap, it is not
/// known which one is meant.
bool QuickCheck::isAlignedInAll(const Walk &walk) const {
  const Address first = walk.first(), last = walk.last();
  return std::all_of(regions.all().begin(), regions.all().end(),
                     [&](const AllowedRegion &region) {
                       return !region.containsAll(first, last, walk.bytes,
                                                  walk.store) ||
                              isAligned(walk, region);
                     });
}

void QuickCheck::load(const Walk &walk, bool inRegion) {
  if (looksAtUninit && !isKnown(walk))
    isGood = false;
  if (inRegion && looksAtDeadStores && !storedLines.empty())
    forPieces(walk, [&](Address begin, Address end) { markRead(begin, end); });
}

bool QuickCheck::isKnown(const Walk &walk) const {
  const KnownBytes &known = subject->known;
  if (walk.rounds == 1)
    return known.all(walk.at, walk.bytes);
  if (known.allOf(walk.first(), walk.last() - walk.first()))
    return true;
  bool all = true;
  forPieces(walk, [&](Address begin, Address end) {
    all &= known.allOf(begin, end - begin);
  });
  return all;
}

void QuickCheck::store(const Walk &walk, bool inRegion) {
  forPieces(walk, [&](Address begin, Address end) {
    if (looksAtUninit)
      subject->known.set(begin, end - begin);
    if (!inRegion || !looksAtDeadStores)
      return;
    isGood &= wasRead(begin, end);
    markUnread(begin, end);
  });
}

void QuickCheck::forgetUnread() {
  for (std::uint32_t line : storedLines) {
    std::memset(&unread[line * LineWords], 0, LineWords);
    isStored[line] = false;
  }
  storedLines.clear();
}

// ---- Vertices side by side --------------------------------------------------

namespace {

/// The farthest end of the ranges so far, and the farthest one of another
/// vertex.
class Reach {
public:
  void add(std::uint32_t vertex, Address end) {
    if (vertex == farthestOf) {
      farthest = std::max(farthest, end);
    } else if (end > farthest) {
      other = farthest;
      farthest = end;
      farthestOf = vertex;
    } else {
      other = std::max(other, end);
    }
  }
  Address ofOthers(std::uint32_t vertex) const {
    return vertex == farthestOf ? other : farthest;
  }

private:
  std::uint32_t farthestOf = None;
  Address farthest = 0;
  Address other = 0;
};

} // namespace

bool areApart(const Executable &executable, Range vertices) {
  if (vertices.count < 2)
    return true;
  struct Piece {
    Address begin, end;
    std::uint32_t vertex;
    bool isWritten;
  };
  constexpr Address InWord = 3;
  std::vector<Piece> pieces;
  VertexRegions regions;
  for (std::uint32_t i = 0; i != vertices.count; ++i) {
    regions.find(executable, vertices.first + i);
    for (const AllowedRegion &region : regions.all())
      pieces.push_back({region.begin & ~InWord, (region.end + InWord) & ~InWord,
                        i, !region.isInput});
  }
  std::sort(pieces.begin(), pieces.end(),
            [](const Piece &a, const Piece &b) { return a.begin < b.begin; });
  Reach all, written;
  for (const Piece &piece : pieces) {
    const Reach &others = piece.isWritten ? all : written;
    if (others.ofOthers(piece.vertex) > piece.begin)
      return false;
    all.add(piece.vertex, piece.end);
    if (piece.isWritten)
      written.add(piece.vertex, piece.end);
  }
  return true;
}

} // namespace populus::runtime::emulator
