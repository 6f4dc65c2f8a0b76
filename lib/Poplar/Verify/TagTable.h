// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tags: symbolic names of values. The graph and the tiles are executed side by
// side, on memories of tags instead of numbers. A vertex, a stream or initial
// data creates a tag; copies move tags. Example:
//
//   graph                 tiles                            tag
//   vertex 0 writes a     vertex 0 writes 0x100 of tile 3  E0
//   Copy(a, b)            exchange to 0x80 of tile 5       b, 0x80: E0
//   vertex 1 reads b      vertex 1 reads 0x80 of tile 5    E0 = E0: correct
//
// Had lowering copied another tensor to 0x80, the tags would differ. The order
// of copies and the addresses may be any, so every correct lowering passes.

#ifndef POPULUS_LIB_POPLAR_VERIFY_TAGTABLE_H
#define POPULUS_LIB_POPLAR_VERIFY_TAGTABLE_H

#include "lib/Poplar/Graph/GraphImpl.h"
#include "lib/Poplar/Verify/TagMap.h"
#include "runtime/Format/Executable.h"

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace poplar::core {

class TagTable {
public:
  enum class Kind : std::uint8_t {
    Nothing,  // memory that nothing wrote to
    Unset,    // a: variable, which begins without a value
    Initial,  // a: variable; the index is that of a byte of its data
    Data,     // a: payload; the index is an offset in it
    Executed, // a: compute set; the index says which output of which vertex
    Received, // text: what wrote it
    Head,     // a: tile, b: loop; what is at an address when a round begins
    Private,  // a: variable, b: loop; no address holds it when a round begins
    Join,     // a or b; the index in b is larger by delta
  };

  TagTable(const GraphImpl &graph, const populus::runtime::Executable &exe)
      : graph(graph), exe(exe) {
    classes.push_back({});
  }

  std::uint32_t unset(std::uint32_t variable) {
    return add({Kind::Unset, variable});
  }
  std::uint32_t initial(std::uint32_t variable) {
    return add({Kind::Initial, variable});
  }
  std::uint32_t data(std::uint32_t payload) {
    return add({Kind::Data, payload});
  }
  std::uint32_t executed(std::uint32_t computeSet) {
    return add({Kind::Executed, computeSet});
  }
  std::uint32_t received(std::string by) {
    return add({Kind::Received, 0, 0, 0, 0, std::move(by)});
  }
  std::uint32_t head(std::uint32_t tile, std::uint32_t loop) {
    return add({Kind::Head, tile, loop});
  }
  std::uint32_t privateOf(std::uint32_t variable, std::uint32_t loop) {
    return add({Kind::Private, variable, loop});
  }

  /// Starts a join, the end of the branches of a program; returns its number.
  std::uint32_t newJoin() {
    joined.clear();
    return ++joins;
  }
  /// The tag of a byte behind the current join, if it has tag `a` after one
  /// branch and `b` after the other.
  Tag join(Tag a, Tag b);

  Kind kindOf(std::uint32_t cls) const { return classes[cls].kind; }

  /// True if two runs hold the same values.
  bool equal(const TagRun &a, const TagRun &b) const;
  /// Like equal(), but any value satisfies an unset `wanted`.
  bool satisfies(const TagRun &wanted, const TagRun &found) const;

  /// The value of one byte, for messages.
  std::string describe(std::uint32_t cls, std::uint64_t index) const;

private:
  struct Class {
    Kind kind = Kind::Nothing;
    std::uint32_t a = 0, b = 0, join = 0;
    std::int64_t delta = 0;
    std::string text = {};
  };
  std::uint32_t add(Class cls) {
    classes.push_back(std::move(cls));
    return static_cast<std::uint32_t>(classes.size() - 1);
  }
  bool matches(const TagRun &a, const TagRun &b, bool unsetWillDo) const;
  const std::uint8_t *bytesOf(const TagRun &run) const;
  TagRun firstOf(const TagRun &run) const;
  TagRun secondOf(const TagRun &run) const;
  std::string describeOutput(std::uint32_t computeSet,
                             std::uint64_t index) const;

  const GraphImpl &graph;
  const populus::runtime::Executable &exe;
  std::vector<Class> classes;
  std::uint32_t joins = 0;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::int64_t>,
           std::uint32_t>
      joined; // of the last join
};

} // namespace poplar::core

#endif
