// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bytes that a part of a program may write, on both sides of a check. For a
// loop body, these are the bytes whose contents are unknown when a round
// begins.

#ifndef POPULUS_LIB_POPLAR_VERIFY_CHANGEDPLACES_H
#define POPULUS_LIB_POPLAR_VERIFY_CHANGEDPLACES_H

#include "lib/Poplar/Graph/ProgramNode.h"
#include "lib/Poplar/Verify/ComputeSetCheck.h"

#include <cstdint>
#include <map>
#include <set>

namespace poplar::core {

/// Sets of bytes; in order, so that results do not depend on chance.
struct ChangedPlaces {
  std::map<std::uint32_t, TagMap> tiles, variables;
};

class ChangedPlacesFinder {
public:
  ChangedPlacesFinder(const GraphImpl &graph,
                      const populus::runtime::Executable &exe,
                      const GraphPlaces &places, const ComputeSetCheck &sets)
      : graph(graph), exe(exe), places(places), sets(sets) {}

  void add(const ProgramNode &node);
  void add(std::uint32_t step);
  void addView(const TensorView &view, std::uint32_t replicas);
  void addTensor(std::uint32_t tensor);

  ChangedPlaces take() { return std::move(changed); }

private:
  void addTile(std::uint32_t tile, std::uint64_t begin, std::uint64_t bytes) {
    changed.tiles[tile].assign(begin, begin + bytes, Tag{1, 0});
  }
  void addExchange(const populus::runtime::Exchange &exchange);
  void addComputeSet(std::uint32_t computeSet);
  void addNode(const ProgramNode &node);

  const GraphImpl &graph;
  const populus::runtime::Executable &exe;
  const GraphPlaces &places;
  const ComputeSetCheck &sets;
  ChangedPlaces changed;
  std::set<const ProgramNode *> knownNodes;
  std::set<std::uint32_t> knownSteps, knownSets;
};

} // namespace poplar::core

#endif
