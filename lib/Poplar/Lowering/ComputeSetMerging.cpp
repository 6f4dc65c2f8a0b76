// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides which compute sets of a straight line run as one, by the elements of
// variables that their vertices touch. For example, after compute set A:
//
//    A   h = f(x, n)    reads x, n    writes h
//    B   k = g(x)       reads x       writes k    joins A: both only read x
//    C   y = h + k      reads h, k    writes y    does not join: A writes h
//    D   n = n + 1      reads n       writes n    joins A: A reads a copy of
//                                                 the old n
//
// A copy costs time, so a joining compute set may overwrite only a few elements
// (MostOverwritten). Joined compute sets have their buffers at the same time,
// so only small ones are joined (MostBytes of edges on each tile).
//
// The analysis runs before anything is lowered. A strided run counts as its
// whole span: it may report a dependence too many, but never one too few.

#include "lib/Poplar/Lowering/ComputeSetMerging.h"

#include "lib/Poplar/Support/Types.h"

#include <algorithm>
#include <tuple>

namespace poplar::core {

using populus::archive::Direction;

namespace {

/// Maximum bytes of edges of a tile in merged compute sets. All of them may
/// need buffers at the same time. Larger compute sets keep the workers busy
/// anyway, and their exchanges take a small share of the time.
constexpr std::uint64_t MostBytes = 8192;

/// Maximum number of elements that a compute set reads and a later merged one
/// writes, such as a counter. Copying more would take as long as merging saves.
constexpr std::uint64_t MostOverwritten = 16;

/// Maximum number of merged compute sets; each new one is compared with all
/// others.
constexpr std::size_t MostSets = 16;

template <typename Visit>
void forEachRegion(const GraphImpl &graph, const FieldSlot &slot, Visit visit) {
  if (slot.kind == FieldSlot::Regions)
    for (std::uint32_t i = 0; i != slot.count; ++i)
      visit(graph.regions[slot.first + i]);
  if (slot.kind == FieldSlot::Indexed)
    for (const std::optional<Region> &region : graph.indexedRegions[slot.first])
      if (region)
        visit(*region);
}

} // namespace

ElementSpan spanOf(const Run &run) {
  const std::int64_t last =
      run.offset + static_cast<std::int64_t>(run.count - 1) * run.stride;
  return {run.variable, static_cast<std::uint64_t>(std::min(run.offset, last)),
          static_cast<std::uint64_t>(std::max(run.offset, last)) + 1};
}

std::vector<ComputeSetMerging::Span>
ComputeSetMerging::spansOf(const TensorView &view) {
  std::vector<Span> spans;
  view.forEachRun([&](const Run &run) {
    if (run.count != 0)
      spans.push_back(spanOf(run));
  });
  sortSpans(spans);
  return spans;
}

bool ComputeSetMerging::addVertex(const Vertex &vertex,
                                  Footprint &footprint) const {
  const auto &fields = graph.vertexTypes[vertex.type].description->fields;
  std::uint64_t &bytes = footprint.bytes[vertex.tile];
  for (std::size_t i = 0; i != fields.size(); ++i) {
    const FieldSlot &slot = graph.slots[vertex.firstSlot + i];
    forEachRegion(graph, slot, [&](const Region &region) {
      bytes += region.numElements * populus::runtime::sizeOf(fields[i].type);
      graph.regionRuns.forEach(region.runs, [&](const Run &run) {
        if (run.count == 0)
          return;
        const Span span = spanOf(run);
        footprint.touched.push_back(span);
        if (fields[i].direction != Direction::Input)
          footprint.written.push_back(span);
      });
    });
  }
  return bytes <= MostBytes;
}

ComputeSetMerging::Footprint
ComputeSetMerging::measure(const ComputeSetData &set) const {
  Footprint footprint;
  for (std::uint32_t vertex : set.vertices)
    if (graph.vertices[vertex].tile == None ||
        !addVertex(graph.vertices[vertex], footprint))
      return {};
  sortSpans(footprint.touched);
  sortSpans(footprint.written);
  footprint.isSmall = true;
  return footprint;
}

const ComputeSetMerging::Footprint &
ComputeSetMerging::footprintOf(std::uint32_t computeSet) {
  const auto [found, isNew] = known.try_emplace(computeSet);
  if (isNew)
    found->second = measure(graph.computeSets[computeSet]);
  return found->second;
}

/// Sorts and joins.
void ComputeSetMerging::sortSpans(std::vector<Span> &spans) {
  std::sort(spans.begin(), spans.end(), [](const Span &a, const Span &b) {
    return std::tie(a.variable, a.begin) < std::tie(b.variable, b.begin);
  });
  std::size_t kept = 0;
  for (const Span &span : spans)
    if (kept != 0 && spans[kept - 1].variable == span.variable &&
        spans[kept - 1].end >= span.begin)
      spans[kept - 1].end = std::max(spans[kept - 1].end, span.end);
    else
      spans[kept++] = span;
  spans.resize(kept);
  spans.shrink_to_fit();
}

std::vector<ElementSpan>
ComputeSetMerging::overlaps(const std::vector<Span> &a,
                            const std::vector<Span> &b) {
  std::vector<Span> found;
  auto i = a.begin(), j = b.begin();
  while (i != a.end() && j != b.end()) {
    if (i->meets(*j))
      found.push_back({i->variable, std::max(i->begin, j->begin),
                       std::min(i->end, j->end)});
    ++(std::tie(i->variable, i->end) < std::tie(j->variable, j->end) ? i : j);
  }
  return found;
}

bool ComputeSetMerging::canJoin(std::span<const std::uint32_t> sets,
                                std::uint32_t next) {
  if (!canReorder() || sets.size() == MostSets || !footprintOf(next).isSmall)
    return false;
  std::unordered_map<std::uint32_t, std::uint64_t> bytes =
      footprintOf(next).bytes;
  for (std::uint32_t set : sets) {
    const Footprint &one = footprintOf(set);
    const Footprint &other = footprintOf(next);
    if (!one.isSmall || meet(one.written, other.touched))
      return false;
    std::uint64_t overwritten = 0;
    for (const Span &span : overlaps(one.touched, other.written))
      overwritten += span.end - span.begin;
    if (overwritten > MostOverwritten)
      return false;
    for (const auto &[tile, more] : one.bytes)
      if ((bytes[tile] += more) > MostBytes)
        return false;
  }
  return true;
}

std::vector<std::vector<ElementSpan>>
ComputeSetMerging::overwritten(std::span<const std::uint32_t> sets) {
  std::vector<std::vector<Span>> all(sets.size());
  bool any = false;
  for (std::size_t behind = 1; behind < sets.size(); ++behind)
    for (std::size_t i = 0; i != behind; ++i) {
      const std::vector<Span> found = overlaps(
          footprintOf(sets[i]).touched, footprintOf(sets[behind]).written);
      all[i].insert(all[i].end(), found.begin(), found.end());
      any |= !found.empty();
    }
  return any ? std::move(all) : std::vector<std::vector<Span>>();
}

bool ComputeSetMerging::canPrecede(std::span<const std::uint32_t> sets,
                                   const TensorView &from,
                                   const TensorView &to) {
  if (!canReorder() ||
      !std::all_of(sets.begin(), sets.end(),
                   [&](std::uint32_t set) { return footprintOf(set).isSmall; }))
    return false;
  const std::vector<Span> read = spansOf(from), written = spansOf(to);
  return std::none_of(sets.begin(), sets.end(), [&](std::uint32_t set) {
    const Footprint &footprint = footprintOf(set);
    return meet(footprint.written, read) || meet(footprint.touched, written);
  });
}

} // namespace poplar::core
