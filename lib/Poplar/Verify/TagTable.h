// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names for values. Graph and tiles are followed side by side, each with a
// memory of tags; a value gets its name where it comes to be (in a vertex, from
// a stream, in initial data), and copying moves names. So a vertex reads what
// it should if the names are equal on both sides, in whatever order and by
// whatever way they came there.

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

  /// A number for a place where ways of a program meet.
  std::uint32_t newJoin() {
    joined.clear();
    return ++joins;
  }
  /// What a place holds where the last of those ways meet, on one of which it
  /// has one tag, on the other another.
  Tag join(Tag a, Tag b);

  Kind kindOf(std::uint32_t cls) const { return classes[cls].kind; }

  /// Whether bytes hold the same on both sides.
  bool equal(const TagRun &a, const TagRun &b) const;
  /// The same where `wanted` may be without value: then all will do.
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
