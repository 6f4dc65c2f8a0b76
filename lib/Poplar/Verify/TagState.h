// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memories of a check: one per tile, then one per variable. A *scope* saves
// each memory when it is first changed in the scope. So a branch can be undone,
// and its result joined with that of another branch.

#ifndef POPULUS_LIB_POPLAR_VERIFY_TAGSTATE_H
#define POPULUS_LIB_POPLAR_VERIFY_TAGSTATE_H

#include "lib/Poplar/Verify/TagMap.h"
#include "lib/Poplar/Verify/TagTable.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace poplar::core {

class TagState {
public:
  TagState(std::uint32_t numTiles, std::size_t numVariables)
      : numTiles(numTiles), maps(numTiles + numVariables),
        scopeOf(maps.size()) {}

  const TagMap &tile(std::uint32_t id) const { return maps[id]; }
  const TagMap &variable(std::uint32_t id) const { return maps[numTiles + id]; }

  void setTile(std::uint32_t id, std::uint64_t begin, std::uint64_t end,
               Tag tag) {
    change(id).assign(begin, end, tag);
  }
  void setVariable(std::uint32_t id, std::uint64_t begin, std::uint64_t end,
                   Tag tag) {
    change(numTiles + id).assign(begin, end, tag);
  }

  void beginScope();
  /// Ends a scope and keeps its changes.
  void endScope();

  using Changes = std::unordered_map<std::size_t, TagMap>; // by memory
  /// Ends a scope and undoes its changes. Returns the changed memories.
  Changes undoScope();

  /// Joins the memories of several branches, all of which were undone.
  void join(TagTable &tags, std::vector<Changes> ways);

private:
  TagMap &change(std::size_t id) {
    if (scopeOf[id] != scopes.size())
      save(id);
    return maps[id];
  }
  void save(std::size_t id);

  struct Saved {
    TagMap map;
    std::uint32_t scope; // that had saved it before
  };
  std::uint32_t numTiles;
  std::vector<TagMap> maps;
  /// By memory: the innermost scope that saved it, counted from 1.
  std::vector<std::uint32_t> scopeOf;
  std::vector<std::unordered_map<std::size_t, Saved>> scopes;
};

} // namespace poplar::core

#endif
