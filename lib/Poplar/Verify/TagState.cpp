// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Saves and joins memories, restricted to those that were changed.

#include "lib/Poplar/Verify/TagState.h"

#include <algorithm>
#include <set>
#include <utility>

namespace poplar::core {

void TagState::save(std::size_t id) {
  if (scopes.empty())
    return;
  scopes.back().emplace(id, Saved{maps[id], scopeOf[id]});
  scopeOf[id] = static_cast<std::uint32_t>(scopes.size());
}

void TagState::beginScope() { scopes.emplace_back(); }

void TagState::endScope() {
  auto inner = std::move(scopes.back());
  scopes.pop_back();
  for (auto &[id, saved] : inner) {
    scopeOf[id] = saved.scope;
    // The outer scope has not saved this memory, so its copy is valid there.
    if (!scopes.empty() && saved.scope != scopes.size()) {
      scopeOf[id] = static_cast<std::uint32_t>(scopes.size());
      scopes.back().emplace(id, std::move(saved));
    }
  }
}

TagState::Changes TagState::undoScope() {
  auto inner = std::move(scopes.back());
  scopes.pop_back();
  Changes changes;
  for (auto &[id, saved] : inner) {
    scopeOf[id] = saved.scope;
    changes.emplace(id, std::exchange(maps[id], std::move(saved.map)));
  }
  return changes;
}

static TagMap joinMaps(TagTable &tags, const TagMap &a, const TagMap &b) {
  const std::vector<TagMap::Entry> left = a.entries(), right = b.entries();
  std::vector<TagMap::Entry> joined;
  Tag tagA, tagB;
  auto i = left.begin();
  auto j = right.begin();
  while (i != left.end() || j != right.end()) {
    const std::uint64_t at =
        std::min(i == left.end() ? ~std::uint64_t(0) : i->begin,
                 j == right.end() ? ~std::uint64_t(0) : j->begin);
    if (i != left.end() && i->begin == at)
      tagA = (i++)->tag;
    if (j != right.end() && j->begin == at)
      tagB = (j++)->tag;
    const Tag tag = tagA == tagB ? tagA : tags.join(tagA, tagB);
    if (joined.empty() || !(joined.back().tag == tag))
      joined.push_back({at, tag});
  }
  return TagMap::of(joined);
}

void TagState::join(TagTable &tags, std::vector<Changes> ways) {
  std::set<std::size_t> changed; // in order, so that results are the same
  for (const Changes &way : ways)
    for (const auto &[id, map] : way)
      changed.insert(id);
  const auto atEnd = [&](const Changes &way, std::size_t id) -> const TagMap & {
    const auto found = way.find(id);
    return found == way.end() ? maps[id] : found->second;
  };
  Changes all;
  for (std::size_t id : changed)
    all.emplace(id, atEnd(ways.front(), id));
  for (std::size_t i = 1; i < ways.size(); ++i) {
    tags.newJoin();
    for (std::size_t id : changed)
      all[id] = joinMaps(tags, all[id], atEnd(ways[i], id));
  }
  for (auto &[id, map] : all)
    change(id) = std::move(map);
}

} // namespace poplar::core
