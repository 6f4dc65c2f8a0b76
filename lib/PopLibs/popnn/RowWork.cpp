// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of a tile are divided between its workers. A row costs a vertex some
// five bundles an element, and what the steps of the other way cost before they
// reach the first element is that of MostElements elements. Halves are stored
// by reading and writing a word, so no two workers have halves of one word.

#include "lib/PopLibs/popnn/RowWork.h"

#include <poputil/TileMapping.hpp>

#include <algorithm>

using namespace poplar;

namespace popnn {
namespace {

/// Limit of a vertex.
constexpr std::size_t MostElements = 48;

std::size_t partsOf(std::size_t n, std::size_t parts) {
  return (n + parts - 1) / parts;
}

bool areSupported(const Target &target, const Type &type,
                  std::size_t numElements) {
  return (type == FLOAT || type == HALF) && numElements != 0 &&
         target.getTargetType() != TargetType::CPU;
}

/// Number of a tile's rows for each worker.
std::size_t rowsOfWorker(const Target &target, const Type &type,
                         std::size_t rows, std::size_t columns) {
  const std::size_t each = partsOf(rows, target.getNumWorkerContexts());
  return type == HALF && each * columns % 2 != 0 ? each + 1 : each;
}

} // namespace

std::vector<RowWork> rowWork(const Graph &graph, const Tensor &rows) {
  const Target &target = graph.getTarget();
  const Type type = rows.elementType();
  if (!areSupported(target, type, rows.numElements()))
    return {};
  const Tensor first = rows.slice(0, 1, 1).flatten();
  const auto mapping = graph.getTileMapping(first);
  std::vector<RowWork> work;
  for (unsigned tile = 0; tile != mapping.size(); ++tile) {
    std::size_t count = 0;
    for (const Interval &interval : mapping[tile])
      count += interval.size();
    const std::size_t each = rowsOfWorker(target, type, count, rows.dim(1));
    if (type == HALF && mapping[tile].size() > 1 && rows.dim(1) % 2 != 0)
      return {};
    if (each * rows.dim(1) > MostElements)
      return {};
    for (const Interval &interval : mapping[tile])
      for (std::size_t i = interval.begin(); i < interval.end(); i += each)
        work.push_back({tile, {i, std::min(i + each, interval.end())}});
  }
  return work;
}

Tensor makeRows(Graph &graph, const Type &type,
                const std::vector<std::size_t> &shape, const DebugContext &dc) {
  const Target &target = graph.getTarget();
  std::size_t rows = 1;
  for (std::size_t i = 0; i + 1 < shape.size(); ++i)
    rows *= shape[i];
  const std::size_t ofTile = partsOf(rows, target.getNumTiles());
  if (!areSupported(target, type, rows * shape.back()) ||
      rowsOfWorker(target, type, ofTile, shape.back()) * shape.back() >
          MostElements)
    return {};
  const Tensor t = graph.addVariable(type, shape, dc);
  poputil::mapTensorLinearly(graph, t, static_cast<unsigned>(shape.back()),
                             static_cast<unsigned>(shape.back()));
  return t;
}

} // namespace popnn
