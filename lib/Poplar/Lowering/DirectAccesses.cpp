// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See DirectAccesses.h.

#include "lib/Poplar/Lowering/DirectAccesses.h"

#include <poplar/exceptions.hpp>

#include <algorithm>
#include <tuple>

namespace poplar::core {

namespace rt = populus::runtime;
using populus::archive::Direction;
using populus::archive::Field;

void DirectAccesses::note(const Field &field, const PlaceRun &run,
                          std::uint32_t vertex) {
  Access access = {run.place.block, run.place.offset,
                   run.place.offset + run.bytes, vertex, false};
  if (field.direction != Direction::Output)
    reads.push_back(access);
  access.writes = true;
  if (field.direction != Direction::Input)
    writes.push_back(access);
}

void DirectAccesses::finishTile(std::vector<VertexAccess> &all) {
  add(reads, all);
  add(writes, all);
}

void DirectAccesses::add(std::vector<Access> &list,
                         std::vector<VertexAccess> &all) {
  std::sort(list.begin(), list.end(), [](const Access &a, const Access &b) {
    return std::tie(a.block, a.begin) < std::tie(b.block, b.begin);
  });
  for (std::size_t i = 0; i != list.size();) {
    const Access &first = list[i];
    std::uint32_t end = first.end;
    for (++i; i != list.size() && list[i].block == first.block &&
              list[i].begin <= end;
         ++i) {
      if (first.writes && list[i].begin < end)
        throw graph_connection_error(
            graph.describe(list[i - 1].vertex) + " and " +
            graph.describe(list[i].vertex) + " write the same elements of " +
            graph.describeVariable(storage.blocks()[first.block].variable));
      end = std::max(end, list[i].end);
    }
    const PlaceRun run = {{first.block, first.begin}, end - first.begin};
    all.push_back({run.place, run.bytes, !first.writes});
    if (first.writes)
      written.push_back(run);
  }
  list.clear();
}

void DirectAccesses::checkWrites(const std::string &name,
                                 const std::vector<Piece> &after) const {
  if (written.empty() || after.empty())
    return;
  std::vector<PlaceRun> all = written;
  for (const Piece &piece : after)
    all.push_back({piece.to, piece.bytes});
  std::sort(all.begin(), all.end(), [](const PlaceRun &a, const PlaceRun &b) {
    return std::tie(a.place.block, a.place.offset) <
           std::tie(b.place.block, b.place.offset);
  });
  for (std::size_t i = 1; i < all.size(); ++i)
    if (all[i - 1].place.block == all[i].place.block &&
        all[i - 1].place.offset + all[i - 1].bytes > all[i].place.offset)
      throw graph_connection_error(
          "'" + name + "': two vertices write the same elements of " +
          graph.describeVariable(
              storage.blocks()[all[i].place.block].variable));
}

} // namespace poplar::core
