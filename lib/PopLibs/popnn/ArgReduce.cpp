// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Places of extreme elements: rows are cut into chunks, each the work of a
// vertex, and the results of a row's chunks are rows for the next step.

#include "lib/PopLibs/poputil/Partition.h"

#include <popnn/Loss.hpp>
#include <popops/TopK.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>

using namespace poplar;
using namespace poplar::program;
using poplibs::Chunks;
using poputil::poplibs_error;

namespace popnn {
namespace {

/// Fewer elements are not worth a vertex.
constexpr std::size_t MinChunk = 24;

/// Elements [rows][count] and, but for the first step, their places.
struct Candidates {
  Tensor values, places;
};

/// Cycles of an ArgReduce vertex. Comparisons of floats are masks, which choose
/// with fewer instructions than those of other types.
std::uint64_t cyclesOf(const Type &type, std::uint64_t rows,
                       std::uint64_t count) {
  return 20 + rows * (type == FLOAT ? 20 + 4 * count : 14 + 5 * count);
}

/// The result has a column for each chunk.
Candidates reduceChunks(Graph &graph, const Candidates &in, bool max,
                        const Chunks &chunks, Sequence &prog,
                        const DebugContext &debugContext) {
  const Type type = in.values.elementType();
  const bool placed = in.places.valid();
  const std::string name =
      poputil::templateVertex("popnn::ArgReduce", type, max, placed);
  if (!graph.hasCodelet(name))
    throw poplibs_error(
        "popnn: the places of elements of type " + type.toString() +
        " cannot be found, or popnn::addCodelets(graph) has not been called");
  const Target &target = graph.getTarget();
  const std::size_t vertices =
      std::size_t(target.getNumTiles()) * target.getNumWorkerContexts();
  const std::size_t numRows = in.values.dim(0);
  const Chunks rows = Chunks::ofParts(
      numRows, std::max<std::size_t>(1, vertices / chunks.parts()));
  const poplibs::TileGrid tiles{
      rows.parts() * chunks.parts(), target.getNumTiles(),
      poputil::chooseMappingOffset(target.getNumTiles(), in.values.shape())};
  const std::size_t results = chunks.parts();
  const Candidates out{
      graph.addVariable(type, {results, numRows}, {debugContext, "values"}),
      graph.addVariable(UNSIGNED_INT, {results, numRows},
                        {debugContext, "places"})};
  const Tensor noPlaces = graph.addConstant<unsigned>(UNSIGNED_INT, {1}, 0u);
  graph.setTileMapping(noPlaces, 0);
  const ComputeSet cs = graph.addComputeSet({debugContext, "ArgReduce"});
  for (std::size_t c = 0; c != chunks.parts(); ++c)
    for (std::size_t r = 0; r != rows.parts(); ++r) {
      const auto part = [&](const Tensor &t) {
        return t.slice(rows.begin(r), rows.end(r), 0)
            .slice(chunks.begin(c), chunks.end(c), 1)
            .flatten();
      };
      const auto result = [&](const Tensor &t) {
        return t[c].slice(rows.begin(r), rows.end(r));
      };
      const unsigned tile = tiles.tile(c * rows.parts() + r);
      const VertexRef v = graph.addVertex(cs, name);
      graph.connect(v["in"], part(in.values));
      graph.connect(v["inPlaces"], placed ? part(in.places) : noPlaces);
      graph.connect(v["out"], result(out.values));
      graph.connect(v["outPlaces"], result(out.places));
      graph.setInitialValue(v["rows"], rows.size(r));
      graph.setInitialValue(v["count"], chunks.size(c));
      graph.setInitialValue(v["firstPlace"], chunks.begin(c));
      graph.setPerfEstimate(v, cyclesOf(type, rows.size(r), chunks.size(c)));
      graph.setTileMapping(v, tile);
      graph.setTileMapping(result(out.values), tile);
      graph.setTileMapping(result(out.places), tile);
    }
  prog.add(Execute(cs, debugContext));
  return {out.values.transpose(), out.places.transpose()};
}

std::pair<Tensor, Tensor> argReduce(Graph &graph, const Tensor &input, bool max,
                                    Sequence &prog,
                                    const DebugContext &debugContext) {
  if (input.rank() != 2)
    throw poplibs_error("popnn: the places of extreme elements of the rows of "
                        "a tensor of shape " +
                        input.shapeToString() + "; it must be [rows, n]");
  if (input.numElements() == 0) {
    if (input.dim(0) != 0)
      throw poplibs_error("popnn: empty rows have no largest or smallest "
                          "element");
    return {graph.addVariable(input.elementType(), {0}),
            graph.addVariable(UNSIGNED_INT, {0})};
  }
  const Target &target = graph.getTarget();
  const std::size_t vertices =
      std::size_t(target.getNumTiles()) * target.getNumWorkerContexts();
  Candidates left{input, {}};
  do {
    const std::size_t count = left.values.dim(1);
    const std::size_t parts = std::clamp<std::size_t>(
        vertices / input.dim(0), 1, std::max<std::size_t>(1, count / MinChunk));
    left = reduceChunks(graph, left, max, Chunks::ofParts(count, parts), prog,
                        debugContext);
  } while (left.values.dim(1) != 1);
  return {left.values.flatten(), left.places.flatten()};
}

} // namespace

Tensor argMax(Graph &graph, const Tensor &input, Sequence &prog,
              const DebugContext &debugContext) {
  return argReduce(graph, input, true, prog, {debugContext, "ArgMax"}).second;
}

Tensor argMin(Graph &graph, const Tensor &input, Sequence &prog,
              const DebugContext &debugContext) {
  return argReduce(graph, input, false, prog, {debugContext, "ArgMin"}).second;
}

std::pair<Tensor, Tensor> maxAndArgMax(Graph &graph, const Tensor &input,
                                       Sequence &prog,
                                       const DebugContext &debugContext) {
  return argReduce(graph, input, true, prog, {debugContext, "ArgMax"});
}

std::pair<Tensor, Tensor> minAndArgMin(Graph &graph, const Tensor &input,
                                       Sequence &prog,
                                       const DebugContext &debugContext) {
  return argReduce(graph, input, false, prog, {debugContext, "ArgMin"});
}

Tensor topK(Graph &graph, const Tensor &input, Tensor &indices, unsigned K,
            bool sort, Sequence &prog, const DebugContext &debugContext) {
  const popops::TopKParams params(
      K, true, sort ? popops::SortOrder::DESCENDING : popops::SortOrder::NONE);
  const auto result =
      popops::topKWithPermutation(graph, prog, input, params, debugContext);
  indices = result.second;
  return result.first;
}

} // namespace popnn
