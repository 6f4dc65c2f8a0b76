// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The graph side's memory in a check: numbers the bytes of each variable. They
// follow the order of their home addresses, tile by tile, so that adjacent
// bytes form one run, as on the tiles. The order only saves time: any unique
// numbering would be correct.

#ifndef POPULUS_LIB_POPLAR_VERIFY_GRAPHPLACES_H
#define POPULUS_LIB_POPLAR_VERIFY_GRAPHPLACES_H

#include "lib/Poplar/Graph/GraphImpl.h"
#include "lib/Poplar/Verify/LoweringRecord.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <vector>

namespace poplar::core {

/// A range of a variable's numbered bytes.
struct VariableBytes {
  std::uint32_t variable = 0;
  std::uint64_t begin = 0, bytes = 0;
};

/// Bytes of a variable that are contiguous on a tile.
struct HomeBytes {
  std::uint64_t begin = 0, bytes = 0;
  std::uint32_t tile = 0, address = 0;
  bool isOwn = false;
};

class GraphPlaces {
public:
  GraphPlaces(const GraphImpl &graph, const LoweringRecord &record);

  std::size_t numVariables() const { return variables.size(); }
  bool isUsed(std::uint32_t variable) const {
    return !variables[variable].parts.empty();
  }
  std::uint64_t bytesOf(std::uint32_t variable) const {
    return variables[variable].bytes;
  }
  /// The home addresses of a variable, by byte number.
  const std::vector<HomeBytes> &homesOf(std::uint32_t variable) const {
    return variables[variable].homes;
  }

  /// Calls visit(home, begin, end) for the homes of bytes [begin, end).
  template <typename Visit>
  void forEachHome(const VariableBytes &part, Visit visit) const {
    const std::vector<HomeBytes> &homes = homesOf(part.variable);
    const std::uint64_t end = part.begin + part.bytes;
    auto home = std::prev(std::upper_bound(
        homes.begin(), homes.end(), part.begin,
        [](std::uint64_t b, const HomeBytes &h) { return b < h.begin; }));
    for (; home != homes.end() && home->begin < end; ++home)
      visit(*home, std::max(part.begin, home->begin),
            std::min(end, home->begin + home->bytes));
  }

  /// Elements from `begin` to the next part have consecutive bytes.
  struct Part {
    std::uint64_t begin, place;
  };
  const std::vector<Part> &partsOf(std::uint32_t variable) const {
    return variables[variable].parts;
  }

  /// The bytes of elements, in the elements' order.
  void append(const Run &run, std::uint32_t replica,
              std::vector<VariableBytes> &places) const;
  std::vector<VariableBytes> of(std::span<const Run> runs,
                                std::uint32_t replica) const;
  std::vector<VariableBytes> of(const TensorView &view,
                                std::uint32_t replica) const;
  /// The bytes of a view in all of its replicas, at least `replicas` of them.
  std::vector<VariableBytes> ofAll(const TensorView &view,
                                   std::uint32_t replicas) const;
  std::uint32_t replicasOf(const TensorView &view) const;

  /// "element 3 of 'v' (float{8})", for messages.
  std::string describe(const VariableBytes &place) const;

private:
  struct Places {
    std::vector<Part> parts; // by element, and the end
    std::vector<HomeBytes> homes;
    std::uint64_t bytes = 0;
    unsigned elementBytes = 1;
  };
  void number(std::uint32_t variable, const std::vector<ElementHome> &homes);

  const GraphImpl &graph;
  std::vector<Places> variables;
};

/// The bytes that a vertex of the graph writes.
std::uint64_t outputBytesOf(const GraphImpl &graph, std::uint32_t vertex);

/// Calls visit(region) for each region connected to a field.
template <typename Visit>
void forEachRegionOf(const GraphImpl &graph, const FieldSlot &slot,
                     Visit visit) {
  if (slot.kind == FieldSlot::Regions)
    for (std::uint32_t i = 0; i != slot.count; ++i)
      visit(graph.regions[slot.first + i]);
  if (slot.kind == FieldSlot::Indexed)
    for (const std::optional<Region> &region : graph.indexedRegions[slot.first])
      if (region)
        visit(*region);
}

} // namespace poplar::core

#endif
