// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A set of written bytes in several memories, such as an exchange's
// destinations on tiles. There may be millions of places, so they are not
// sorted as a whole. They are counted and then put side by side by memory. The
// places of one memory, which often come in order, are sorted only if they do
// not.

#ifndef POPULUS_RUNTIME_FORMAT_PLACESET_H
#define POPULUS_RUNTIME_FORMAT_PLACESET_H

#include "runtime/Format/Executable.h"

#include <cstdint>
#include <span>
#include <vector>

namespace populus::runtime {

class PlaceSet {
public:
  /// Places are in memories below `numMemories`.
  explicit PlaceSet(std::size_t numMemories) : groupOf(numMemories, None) {}

  /// Holds the places that forEach(add) tells by add(memory, begin, end), with
  /// begin < end < 2^32, and nothing else. It is called twice, and must tell
  /// the same.
  template <typename ForEach> void assign(ForEach forEach) {
    clear();
    forEach([this](std::uint32_t memory, std::uint64_t, std::uint64_t) {
      count(memory);
    });
    makeRoom();
    forEach(
        [this](std::uint32_t memory, std::uint64_t begin, std::uint64_t end) {
          Group &group = groups[groupOf[memory]];
          places[group.end++] = begin << 32 | end;
        });
  }

  /// Sorts, and makes one of places side by side. Returns a memory in which two
  /// overlap, or None.
  std::uint32_t join();

  // After join():

  /// Returns whether a place has a byte of [begin, end).
  bool reachesInto(std::uint32_t memory, std::uint64_t begin,
                   std::uint64_t end) const;

  /// Calls function(memory, begin, end) for each place.
  template <typename Function> void forEach(Function function) const {
    for (const Group &group : groups)
      for (std::size_t i = group.begin; i != group.end; ++i)
        function(group.memory, places[i] >> 32, places[i] & EndMask);
  }

private:
  static constexpr std::uint64_t EndMask = 0xffffffff;

  /// The places of a memory, [begin, end) of `places`.
  struct Group {
    std::uint32_t memory;
    std::size_t begin;
    std::size_t end;
  };

  void clear();
  void count(std::uint32_t memory) {
    std::uint32_t &group = groupOf[memory];
    if (group == None) {
      group = static_cast<std::uint32_t>(groups.size());
      groups.push_back({memory, 0, 0});
    }
    ++groups[group].end;
  }
  void makeRoom();

  std::vector<std::uint32_t> groupOf; // by memory: index into groups, or None
  std::vector<Group> groups;
  std::vector<std::uint64_t> places; // begin << 32 | end
};

} // namespace populus::runtime

#endif
