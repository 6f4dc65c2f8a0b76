// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/PopLibs/popops/movement/MemberTerms.h"

#include <popops/ElementWise.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>
#include <numeric>
#include <set>
#include <sstream>

using namespace poplar;
using namespace poplar::program;

namespace popops {
namespace {

/// Tiles of the IPUs that a tensor lies on.
std::vector<unsigned> tilesAround(const Graph &graph, const Tensor &t) {
  const unsigned perIpu = graph.getTarget().getTilesPerIPU();
  const unsigned tiles = graph.getTarget().getNumTiles();
  const auto mapping = graph.getTileMapping(t);
  std::set<unsigned> ipus;
  for (unsigned tile = 0; tile != mapping.size(); ++tile)
    if (!mapping[tile].empty())
      ipus.insert(tile / perIpu);
  std::vector<unsigned> list;
  for (unsigned ipu : ipus)
    for (unsigned tile = ipu * perIpu;
         tile != std::min((ipu + 1) * perIpu, tiles); ++tile)
      list.push_back(tile);
  return list;
}

/// Members in an order in which those that are combined first are half of the
/// length apart: by their numbers, read from the lowest bit on.
std::vector<unsigned> placesOf(unsigned members) {
  const auto reversed = [&](unsigned member) {
    unsigned result = 0;
    for (unsigned bit = 1; bit < members; bit *= 2, member /= 2)
      result = 2 * result + member % 2;
    return result;
  };
  std::vector<unsigned> order(members), places(members);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](unsigned a, unsigned b) { return reversed(a) < reversed(b); });
  for (unsigned i = 0; i != members; ++i)
    places[order[i]] = i;
  return places;
}

} // namespace

expr::BinaryOpType combinationOf(Operation op) {
  switch (op) {
  case Operation::ADD:
  case Operation::SQUARE_ADD:
    return expr::BinaryOpType::ADD;
  case Operation::MUL:
    return expr::BinaryOpType::MULTIPLY;
  case Operation::MIN:
    return expr::BinaryOpType::MINIMUM;
  case Operation::MAX:
    return expr::BinaryOpType::MAXIMUM;
  case Operation::LOGICAL_AND:
    return expr::BinaryOpType::LOGICAL_AND;
  case Operation::LOGICAL_OR:
    return expr::BinaryOpType::LOGICAL_OR;
  default:
    break;
  }
  std::ostringstream text;
  text << "popops: " << op << " across replicas is not supported";
  throw poputil::poplibs_error(text.str());
}

std::vector<Tensor> spreadRows(Graph &graph, const Tensor &like,
                               std::size_t count, std::size_t elements,
                               const DebugContext &dc) {
  // Tiles get whole double words, so that operations there are fast.
  constexpr std::size_t GrainBytes = 8;
  const Type type = like.elementType();
  const std::size_t grain = std::max<std::size_t>(
      1, GrainBytes / graph.getTarget().getTypeSize(type));
  const std::vector<unsigned> tiles = tilesAround(graph, like);
  const std::size_t even = (elements + tiles.size() - 1) / tiles.size();
  const std::size_t chunk = std::max(grain, (even + grain - 1) / grain * grain);

  // [chunk][row][elements of the chunk], and the same of a shorter last chunk.
  const std::size_t whole = elements / chunk, rest = elements % chunk;
  const Tensor chunks =
      graph.addVariable(type, {whole, count, chunk}, {dc, "terms"});
  const Tensor last = graph.addVariable(type, {count, rest}, {dc, "terms"});
  for (std::size_t i = 0; i != whole; ++i)
    graph.setTileMapping(chunks[i], tiles[i]);
  if (rest != 0)
    graph.setTileMapping(last, tiles[whole]);
  std::vector<Tensor> rows;
  for (std::size_t row = 0; row != count; ++row)
    rows.push_back(concat(chunks.slice(row, row + 1, 1).flatten(), last[row]));
  return rows;
}

MemberTerms MemberTerms::spread(Graph &graph, const Tensor &like,
                                unsigned members, std::size_t elements,
                                const DebugContext &dc) {
  return {spreadRows(graph, like, members, elements, dc), placesOf(members)};
}

MemberTerms MemberTerms::like(Graph &graph, const Tensor &data,
                              unsigned members, const DebugContext &dc) {
  std::vector<Tensor> rows;
  for (unsigned i = 0; i != members; ++i)
    rows.push_back(graph.clone(data, {dc, "term"}).flatten());
  return {std::move(rows), placesOf(members)};
}

void MemberTerms::combine(Graph &graph, Operation op, const Tensor &result,
                          Sequence &prog, const DebugContext &dc) const {
  const expr::BinaryOpType how = combinationOf(op);
  const unsigned members = placeOf.size();
  unsigned distance = 1;
  for (; 2 * distance < members; distance *= 2) {
    std::vector<Tensor> left, right;
    for (unsigned i = 0; i + distance < members; i += 2 * distance) {
      left.push_back(of(i));
      right.push_back(of(i + distance));
    }
    mapInPlace(graph, how, concat(left), concat(right), prog, dc);
  }
  mapWithOutput(graph, how, of(0), of(distance), result.flatten(), prog, dc);
}

} // namespace popops
