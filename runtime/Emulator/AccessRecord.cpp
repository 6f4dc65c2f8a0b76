// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Marks of whole ranges, and what is found out from them.

#include "runtime/Emulator/AccessRecord.h"

#include "runtime/Emulator/Tile.h"
#include "runtime/Emulator/Watch.h"

#include <algorithm>

namespace populus::runtime::emulator {

namespace {

/// The same byte eight times.
constexpr std::uint64_t eightTimes(std::uint8_t byte) {
  return std::uint64_t(0x0101010101010101) * byte;
}

std::uint64_t eightBytes(const std::uint8_t *at) {
  std::uint64_t value;
  std::memcpy(&value, at, sizeof(value));
  return value;
}

/// Accesses of one round without gaps between them, which move on together.
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
    : walkNoter([](AccessRecord *record, std::uint32_t marks, Address lo,
                   const Walk *walks, std::uint32_t number,
                   std::uint32_t count) {
        record->noteWalks(marks, lo, {walks, number}, count);
      }),
      saveLine(save),
      savedBytes(std::make_unique_for_overwrite<std::uint8_t[]>(MostBytes)) {}

void AccessRecord::save(AccessRecord *record, std::uint32_t line) {
  record->saved[line] = 1;
  std::memcpy(&record->savedBytes[record->savedLines.size() * LineBytes],
              record->memory + line * LineBytes, LineBytes);
  record->savedLines.push_back(line);
}

bool AccessRecord::access(Context &c, Address address, unsigned bytes,
                          bool store) {
  if (!checkBounds(c, address, bytes, store))
    return false;
  note(c.marks, address - c.lo, bytes, store);
  return true;
}

void AccessRecord::noteRange(std::uint32_t marks, std::int64_t offset,
                             std::int64_t bytes, bool store) {
  const auto end = static_cast<std::size_t>(offset + bytes);
  for (auto line = static_cast<std::uint32_t>(offset >> LineShift);
       line <= (end - 1) >> LineShift; ++line) {
    if (store && !saved[line])
      save(this, line);
    lines[line] = 1;
  }
  std::size_t word = static_cast<std::size_t>(offset) >> WordShift;
  const std::size_t last = (end - 1) >> WordShift;
  for (; word + 8 <= last + 1; word += 8) {
    const std::uint64_t all = marks | std::uint64_t(marks) << 32 |
                              (store ? eightTimes(Written & 0xff) : 0);
    const std::uint64_t marked = eightBytes(&touched[word]) | all;
    std::memcpy(&touched[word], &marked, sizeof(marked));
  }
  for (; word <= last; ++word)
    mark<std::uint8_t>(&touched[word], marks, store);
}

void AccessRecord::noteWalks(std::uint32_t marks, Address lo,
                             std::span<const Walk> walks, std::uint32_t count) {
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
      if (bytes >= std::abs(group.stride))
        noteRange(marks, begin + std::min<std::int64_t>(distance, 0),
                  bytes + std::abs(distance), group.store);
      else
        for (std::uint32_t round = 0; round != count; ++round)
          noteRange(marks, begin + round * group.stride, bytes, group.store);
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

bool AccessRecord::conflictsIn(std::size_t line) const {
  constexpr std::uint64_t Store = eightTimes(Written & 0xff);
  std::uint64_t found = 0;
  for (std::size_t i = 0; i != LineWords; i += 8) {
    const std::uint64_t marks = eightBytes(&touched[line * LineWords + i]);
    const std::uint64_t contexts = marks & ~Store;
    // A byte with more than one mark stays when its lowest one is taken away.
    const std::uint64_t several =
        contexts & ((contexts | Store) - eightTimes(1)) & ~Store;
    found |= (several + ~Store) & marks & Store;
  }
  return found != 0;
}

bool AccessRecord::conflicts() const {
  return std::any_of(savedLines.begin(), savedLines.end(),
                     [&](std::uint32_t line) { return conflictsIn(line); });
}

void AccessRecord::undo() const {
  for (std::size_t i = 0; i != savedLines.size(); ++i)
    std::memcpy(memory + savedLines[i] * LineBytes, &savedBytes[i * LineBytes],
                LineBytes);
}

void AccessRecord::clear() {
  // Few lines of many are marked.
  constexpr std::size_t AtOnce = 64;
  static_assert(MostLines % AtOnce == 0);
  for (std::size_t at = 0; at != MostLines; at += AtOnce) {
    std::uint64_t any = 0;
    for (std::size_t i = 0; i != AtOnce; i += 8)
      any |= eightBytes(&lines[at + i]);
    if (any == 0)
      continue;
    for (std::size_t line = at; line != at + AtOnce; ++line)
      if (lines[line])
        std::memset(&touched[line * LineWords], 0, LineWords);
    std::memset(&lines[at], 0, AtOnce);
    std::memset(&saved[at], 0, AtOnce);
  }
  savedLines.clear();
}

} // namespace populus::runtime::emulator
