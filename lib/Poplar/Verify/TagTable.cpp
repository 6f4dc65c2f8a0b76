// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Initial data is compared by its bytes: lowering may store equal constants
// once, and copies of parts of them elsewhere.

#include "lib/Poplar/Verify/TagTable.h"

#include "lib/Poplar/Support/Types.h"
#include "lib/Poplar/Verify/GraphPlaces.h"

#include <cstring>

namespace poplar::core {

Tag TagTable::join(Tag a, Tag b) {
  const std::int64_t delta = b.delta - a.delta;
  const auto [found, isNew] =
      joined.try_emplace(std::tuple(a.cls, b.cls, delta), 0);
  if (isNew)
    found->second = add({Kind::Join, a.cls, b.cls, joins, delta});
  return {found->second, a.delta};
}

TagRun TagTable::firstOf(const TagRun &run) const {
  return {classes[run.cls].a, run.index, run.bytes};
}

TagRun TagTable::secondOf(const TagRun &run) const {
  const Class &cls = classes[run.cls];
  return {cls.b, run.index + static_cast<std::uint64_t>(cls.delta), run.bytes};
}

/// The initial bytes of a run; null if it has none, or not as many.
const std::uint8_t *TagTable::bytesOf(const TagRun &run) const {
  const Class &cls = classes[run.cls];
  const auto from = [&](std::span<const std::uint8_t> all) {
    return run.index + run.bytes <= all.size() ? all.data() + run.index
                                               : nullptr;
  };
  if (cls.kind == Kind::Initial)
    return from(graph.variables[cls.a].data);
  if (cls.kind == Kind::Data)
    return from(exe.payloads[cls.a].contents());
  return nullptr;
}

bool TagTable::matches(const TagRun &a, const TagRun &b,
                       bool unsetWillDo) const {
  const Kind kindA = classes[a.cls].kind, kindB = classes[b.cls].kind;
  if (unsetWillDo && kindA == Kind::Unset)
    return true;
  if (kindA == Kind::Nothing)
    return false;
  if (a.cls == b.cls && a.index == b.index)
    return true;
  if (kindA == Kind::Join && kindB == Kind::Join &&
      classes[a.cls].join == classes[b.cls].join)
    return matches(firstOf(a), firstOf(b), unsetWillDo) &&
           matches(secondOf(a), secondOf(b), unsetWillDo);
  if (kindA == Kind::Join)
    return matches(firstOf(a), b, unsetWillDo) &&
           matches(secondOf(a), b, unsetWillDo);
  if (kindB == Kind::Join)
    return matches(a, firstOf(b), unsetWillDo) &&
           matches(a, secondOf(b), unsetWillDo);
  const std::uint8_t *bytesA = bytesOf(a), *bytesB = bytesOf(b);
  return bytesA && bytesB && std::memcmp(bytesA, bytesB, a.bytes) == 0;
}

bool TagTable::equal(const TagRun &a, const TagRun &b) const {
  return matches(a, b, false);
}

bool TagTable::satisfies(const TagRun &wanted, const TagRun &found) const {
  return matches(wanted, found, true);
}

/// Outputs of a compute set are numbered in the order of its vertices.
std::string TagTable::describeOutput(std::uint32_t computeSet,
                                     std::uint64_t index) const {
  std::uint64_t at = 0;
  for (std::uint32_t id : graph.computeSets[computeSet].vertices) {
    const Vertex &vertex = graph.vertices[id];
    const std::uint64_t bytes =
        outputBytesOf(graph, id) * vertex.replication.factor;
    if (index < at + bytes)
      return "byte " + std::to_string(index - at) + " of what " +
             graph.describe(id) + " writes";
    at += bytes;
  }
  return "an output of compute set '" + graph.computeSets[computeSet].name +
         "'";
}

std::string TagTable::describe(std::uint32_t id, std::uint64_t index) const {
  const Class &cls = classes[id];
  const auto byte = [&](const std::string &of) {
    return "byte " + std::to_string(index) + " of " + of;
  };
  switch (cls.kind) {
  case Kind::Nothing:
    break;
  case Kind::Unset:
    return "what nothing wrote to " + graph.describeVariable(cls.a);
  case Kind::Initial:
    return byte("the initial data of " + graph.describeVariable(cls.a));
  case Kind::Data:
    return byte("initial data ('" + exe.payloads[cls.a].name + "')");
  case Kind::Executed:
    return describeOutput(cls.a, index);
  case Kind::Received:
    return byte("what " + cls.text + " brings");
  case Kind::Head:
    return "what address " + std::to_string(index) + " of tile " +
           std::to_string(cls.a) + " holds when a round of a loop begins";
  case Kind::Private:
    return "what " + graph.describeVariable(cls.a) +
           " holds when a round of a loop begins";
  case Kind::Join:
    return describe(cls.a, index) + " or " +
           describe(cls.b, index + static_cast<std::uint64_t>(cls.delta));
  }
  return "nothing that the program wrote there";
}

} // namespace poplar::core
