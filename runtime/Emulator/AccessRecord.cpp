// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Marks of whole ranges, and what is found out from them.

#include "runtime/Emulator/AccessRecord.h"

#include "runtime/Emulator/Tile.h"
#include "runtime/Emulator/Watch.h"

#include <algorithm>

// The emulator does not run on hosts without these (Emulator.cpp). Only single
// functions are compiled for them, so that nothing inline that others share is.
#ifdef POPULUS_EMULATOR_NEEDS_AVX2
#define HOST_VECTORS __attribute__((target("avx2,bmi,bmi2")))
#else
#define HOST_VECTORS
#endif

namespace populus::runtime::emulator {

namespace {

/// The same byte eight times.
constexpr std::uint64_t eightTimes(std::uint8_t byte) {
  return std::uint64_t(0x0101010101010101) * byte;
}

typedef std::uint64_t Vector16 __attribute__((vector_size(16)));
typedef std::uint64_t Vector32 __attribute__((vector_size(32)));

/// Whether a bit is set. (Hosts differ in how vectors are passed by value.)
[[gnu::always_inline]] inline bool isAny(const Vector32 &bits) {
  return (bits[0] | bits[1] | bits[2] | bits[3]) != 0;
}

/// Puts marks at first[0, number), where that is between once and twice the
/// bytes of Marks: the second half may overlap with the first one.
template <typename Marks>
[[gnu::always_inline]] inline void
markHalves(std::uint8_t *first, std::size_t number, std::uint64_t marks) {
  std::uint8_t *second = first + number - sizeof(Marks);
  Marks x, y;
  std::memcpy(&x, first, sizeof(x));
  std::memcpy(&y, second, sizeof(y));
  x = static_cast<Marks>(x | marks);
  y = static_cast<Marks>(y | marks);
  std::memcpy(first, &x, sizeof(x));
  std::memcpy(second, &y, sizeof(y));
}

/// What a loop accesses without a gap in a round, moving on together.
struct Group {
  std::int64_t begin, end, stride;
  std::uint32_t store;

  bool take(const Walk &walk) {
    if (walk.stride != stride || walk.store != store || walk.first > end ||
        walk.first + walk.bytes < begin)
      return false;
    begin = std::min(begin, walk.first);
    end = std::max(end, walk.first + walk.bytes);
    return true;
  }
};

} // namespace

AccessRecord::AccessRecord()
    : rangeNoter([](AccessRecord *record, std::uint32_t marks,
                    std::uint32_t offset, std::uint32_t bytes, bool store) {
        record->noteRange(marks, offset, bytes, store);
      }),
      walkNoter([](AccessRecord *record, std::uint32_t marks, Address lo,
                   const Walk *walks, std::uint32_t number,
                   std::uint32_t count) {
        record->noteWalks(marks, lo, {walks, number}, count);
      }),
      saveLine(save),
      savedBytes(std::make_unique_for_overwrite<std::uint8_t[]>(MostBytes)) {}

HOST_VECTORS void AccessRecord::save(AccessRecord *record, std::uint32_t line) {
  if (record->saved[line])
    return;
  record->saved[line] = 1;
  const std::uint8_t *from = record->memory + line * LineBytes;
  std::uint8_t *to = &record->savedBytes[record->numSaved * LineBytes];
  // A call of memcpy would take longer.
  for (std::size_t i = 0; i != LineBytes; i += sizeof(Vector32)) {
    Vector32 part;
    std::memcpy(&part, from + i, sizeof(part));
    std::memcpy(to + i, &part, sizeof(part));
  }
  record->savedLines[record->numSaved++] = line;
}

bool AccessRecord::access(Context &c, Address address, unsigned bytes,
                          bool store) {
  if (!checkBounds(c, address, bytes, store))
    return false;
  note(c.marks, address - c.lo, bytes, store);
  return true;
}

[[gnu::always_inline]] inline void
AccessRecord::markLines(std::size_t first, std::size_t last, bool store) {
  for (std::size_t line = first; line <= last; ++line) {
    if (store)
      save(this, static_cast<std::uint32_t>(line));
    lines[line] = 1;
  }
}

[[gnu::always_inline]] inline void
AccessRecord::markWords(std::size_t first, std::size_t last,
                        std::uint64_t marks) {
  std::uint8_t *at = &touched[first];
  std::size_t number = last - first + 1;
  for (; number > 64; number -= 32, at += 32)
    mark<Vector32>(at, marks, false);
  if (number >= 32)
    return markHalves<Vector32>(at, number, marks);
  if (number >= 16)
    return markHalves<Vector16>(at, number, marks);
  if (number >= 8)
    return markHalves<std::uint64_t>(at, number, marks);
  if (number >= 4)
    return markHalves<std::uint32_t>(at, number, marks);
  if (number >= 2)
    return markHalves<std::uint16_t>(at, number, marks);
  mark<std::uint8_t>(at, marks, false);
}

HOST_VECTORS void AccessRecord::noteRange(std::uint32_t marks,
                                          std::uint32_t offset,
                                          std::uint32_t bytes, bool store) {
  const std::size_t last = offset + bytes - 1;
  markLines(offset >> LineShift, last >> LineShift, store);
  markWords(offset >> WordShift, last >> WordShift,
            marks | std::uint64_t(marks) << 32 | (store ? Written : 0));
}

HOST_VECTORS void AccessRecord::noteWalks(std::uint32_t marks, Address lo,
                                          std::span<const Walk> walks,
                                          std::uint32_t count) {
  constexpr std::size_t MostGroups = 8;
  std::array<Group, MostGroups> groups;
  std::size_t number = 0;
  const auto flush = [&] {
    for (std::size_t i = 0; i != number; ++i) {
      const Group &group = groups[i];
      const std::int64_t bytes = group.end - group.begin;
      const std::int64_t distance =
          group.stride * (static_cast<std::int64_t>(count) - 1);
      const std::int64_t begin = group.begin - lo;
      const auto note = [&](std::int64_t at, std::int64_t size) {
        noteRange(marks, static_cast<std::uint32_t>(at),
                  static_cast<std::uint32_t>(size), group.store);
      };
      if (bytes >= std::abs(group.stride))
        note(begin + std::min<std::int64_t>(distance, 0),
             bytes + std::abs(distance));
      else
        for (std::uint32_t round = 0; round != count; ++round)
          note(begin + round * group.stride, bytes);
    }
    number = 0;
  };
  for (const Walk &walk : walks) {
    if (std::any_of(groups.begin(), groups.begin() + number,
                    [&](Group &group) { return group.take(walk); }))
      continue;
    if (number == MostGroups)
      flush();
    groups[number++] = {walk.first, walk.first + walk.bytes, walk.stride,
                        walk.store};
  }
  flush();
}

HOST_VECTORS bool AccessRecord::conflicts() const {
  Vector32 found = {};
  for (std::size_t line = 0; line != numSaved; ++line) {
    const std::uint8_t *first = &touched[savedLines[line] * LineWords];
    for (std::size_t i = 0; i != LineWords; i += sizeof(Vector32)) {
      Vector32 marks;
      std::memcpy(&marks, first + i, sizeof(marks));
      const Vector32 contexts = marks & ~Written;
      // A byte with more than one mark stays when its lowest one is taken away.
      const Vector32 several =
          contexts & ((contexts | Written) - eightTimes(1)) & ~Written;
      found |= (several + ~Written) & marks & Written;
    }
  }
  return isAny(found);
}

void AccessRecord::undo() const {
  for (std::size_t i = 0; i != numSaved; ++i)
    std::memcpy(memory + savedLines[i] * LineBytes, &savedBytes[i * LineBytes],
                LineBytes);
}

HOST_VECTORS void AccessRecord::clear() {
  // Few lines of many are marked.
  constexpr std::size_t AtOnce = 64;
  static_assert(MostLines % AtOnce == 0);
  for (std::size_t at = 0; at != MostLines; at += AtOnce) {
    // One by one: an array of both would be copied through memory in pieces,
    // which stalls.
    Vector32 low, high;
    static_assert(sizeof(low) + sizeof(high) == AtOnce);
    std::memcpy(&low, &lines[at], sizeof(low));
    std::memcpy(&high, &lines[at + sizeof(low)], sizeof(high));
    if (!isAny(low | high))
      continue;
    for (std::size_t first = at; first != at + AtOnce; first += 8) {
      // The bits of eight bytes that are 0 or 1, side by side.
      constexpr std::uint64_t Gather = 0x0102040810204080;
      std::uint64_t marked;
      std::memcpy(&marked, &lines[first], sizeof(marked));
      for (marked = marked * Gather >> 56; marked != 0; marked &= marked - 1)
        std::memset(&touched[(first + std::countr_zero(marked)) * LineWords], 0,
                    LineWords);
    }
    std::memset(&lines[at], 0, AtOnce);
    std::memset(&saved[at], 0, AtOnce);
  }
  numSaved = 0;
}

} // namespace populus::runtime::emulator
