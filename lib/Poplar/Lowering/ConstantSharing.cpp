// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two constants are equal if they have the same bytes and the same mapping;
// their blocks are then pairwise equal. Nothing writes to constants: programs,
// vertices and host handles that would are rejected when they are made.

#include "lib/Poplar/Lowering/ConstantSharing.h"

#include "lib/Poplar/Lowering/Require.h"

#include <algorithm>
#include <functional>
#include <string_view>
#include <unordered_map>

namespace poplar::core {

namespace {

/// A constant and an earlier one that is equal.
struct EqualConstants {
  std::uint32_t one, other;
};

bool areEqual(const Variable &a, const Variable &b) {
  return a.data == b.data && a.numElements == b.numElements &&
         a.tiles == b.tiles && a.replication == b.replication;
}

std::vector<EqualConstants> findEqual(const GraphImpl &graph,
                                      const Storage &storage) {
  std::vector<EqualConstants> found;
  std::unordered_multimap<std::size_t, std::uint32_t> known; // by hash of data
  const auto &variables = graph.variables;
  for (std::uint32_t id = 0; id != variables.size(); ++id) {
    const Variable &variable = variables[id];
    if (!variable.isConstant || storage.partsOf(id).empty())
      continue;
    const std::size_t hash = std::hash<std::string_view>()(
        {reinterpret_cast<const char *>(variable.data.data()),
         variable.data.size()});
    const auto [first, last] = known.equal_range(hash);
    const auto equal = std::find_if(first, last, [&](const auto &entry) {
      return areEqual(variables[entry.second], variable);
    });
    if (equal == last)
      known.emplace(hash, id);
    else
      found.push_back({id, equal->second});
  }
  return found;
}

} // namespace

void shareConstants(const GraphImpl &graph, Storage &storage,
                    std::vector<std::uint32_t> &placeOf) {
  std::vector<Block> &blocks = storage.blocks();
  for (const auto &[one, other] : findEqual(graph, storage)) {
    const auto &parts = storage.partsOf(one);
    const auto &others = storage.partsOf(other);
    require(parts.size() == others.size(), "equal constants lie alike");
    for (std::size_t i = 0; i != parts.size(); ++i) {
      const std::uint32_t block = others[i].place.block;
      const Block &own = storage.block(parts[i].place);
      require(parts[i].begin == others[i].begin &&
                  parts[i].end == others[i].end &&
                  parts[i].place.offset == others[i].place.offset &&
                  own.tile == blocks[block].tile &&
                  own.bytes == blocks[block].bytes && placeOf[block] == None,
              "equal constants lie alike");
      placeOf[parts[i].place.block] = block;
      blocks[block].takeNeedsOf(blocks[parts[i].place.block]);
    }
  }
}

} // namespace poplar::core
