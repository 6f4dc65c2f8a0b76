// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs that are contiguous in memory become vertices of their own, unless there
// are so many of them that it is cheaper to let one vertex have several (the
// graph compiler then gathers its elements).

#include "lib/PopLibs/popops/vertices/VertexWork.h"

#include <poputil/Util.hpp>

using namespace poplar;
using poputil::flattenIntervals;

namespace popops {
namespace {

/// Fewer elements are not worth another vertex: starting one takes about as
/// long as computing these.
constexpr unsigned MinElementsPerVertex = 8;
/// Runs per worker up to which each becomes a vertex.
constexpr unsigned MaxRunsPerWorker = 3;

using Runs = std::vector<std::vector<Interval>>;

void divideTile(const Target &target, const Type &type, const Runs &runs,
                unsigned tile, std::vector<VertexWork> &work) {
  const unsigned grain = std::max(1u, target.getVectorWidth(type));
  for (const Runs &part : poputil::splitRegionsBetweenWorkers(
           target, runs, grain, MinElementsPerVertex))
    if (part.size() <= MaxRunsPerWorker)
      for (const std::vector<Interval> &run : part)
        work.push_back({tile, run});
    else
      work.push_back({tile, flattenIntervals(part)});
}

} // namespace

std::vector<VertexWork>
divideWork(const Graph &graph, const Tensor &t,
           const std::vector<std::vector<Interval>> &mapping) {
  std::vector<VertexWork> work;
  const Tensor flat = t.flatten();
  for (unsigned tile = 0; tile != mapping.size(); ++tile)
    if (!mapping[tile].empty())
      divideTile(graph.getTarget(), t.elementType(),
                 graph.getSortedContiguousRegions(flat, mapping[tile]), tile,
                 work);
  return work;
}

std::vector<VertexWork> divideWork(const Graph &graph, const Tensor &t) {
  return divideWork(graph, t, graph.getTileMapping(t));
}

std::vector<Tensor> selectWork(const Tensor &t,
                               const std::vector<VertexWork> &work) {
  Runs elements;
  elements.reserve(work.size());
  for (const VertexWork &piece : work)
    elements.push_back(piece.elements);
  return t.flatten().slices(elements);
}

} // namespace popops
