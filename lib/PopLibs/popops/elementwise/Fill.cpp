// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sets tensors to one value, one vertex for each piece of work.

#include "lib/PopLibs/popops/vertices/VertexCycles.h"
#include "lib/PopLibs/popops/vertices/VertexWork.h"

#include <popops/Cast.hpp>
#include <popops/Fill.hpp>
#include <popops/Zero.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>

#include <cmath>
#include <string>
#include <type_traits>

using namespace poplar;
using namespace poplar::program;

namespace popops {
namespace {

using Mapping = Graph::TileToTensorMapping;

template <class T>
void addVertices(Graph &graph, const Tensor &t, const Mapping &mapping,
                 ComputeSet cs, T value) {
  const std::string name =
      poputil::templateVertex("popops::Fill", t.elementType());
  if (!graph.hasCodelet(name))
    throw poputil::poplibs_error(
        "popops: cannot fill a tensor of type " + t.elementType().toString() +
        ", or popops::addCodelets(graph) has not been called");
  const auto work = divideWork(graph, t, mapping);
  const auto outs = selectWork(t, work);
  for (std::size_t i = 0; i != work.size(); ++i) {
    const VertexRef v = graph.addVertex(cs, name);
    graph.connect(v["out"], outs[i]);
    graph.setInitialValue(v["value"], value);
    graph.setPerfEstimate(v,
                          fillCycles(t.elementType(), outs[i].numElements()));
    graph.setTileMapping(v, work[i].tile);
  }
}

/// Returns true if the type has the value. Floating-point values are rounded
/// for floating-point types; any other must be exact.
template <class T> bool holds(const Target &target, const Type &type, T value) {
  if (std::is_floating_point_v<T> && type.isFloatingPoint())
    return true;
  const double number = static_cast<double>(value);
  if (type.isFloatingPoint())
    return std::abs(number) <= (type == FLOAT ? 1 << 24 : 1 << 11);
  return number == std::trunc(number) &&
         number >= target.getTypeLimitsLowestAs<double>(type) &&
         number <= target.getTypeLimitsMaxAs<double>(type);
}

template <class T>
void checkFillValue(const Target &target, const Type &type, T value) {
  if (!holds(target, type, value))
    throw poputil::poplibs_error("popops::fill: " + std::to_string(value) +
                                 " is no element of a tensor of type " +
                                 type.toString());
}

Mapping onTile(const Graph &graph, unsigned tile,
               std::vector<Interval> regions) {
  Mapping mapping(graph.getTarget().getNumTiles());
  if (tile >= mapping.size())
    throw poputil::poplibs_error("popops: tile " + std::to_string(tile) +
                                 " of a target with " +
                                 std::to_string(mapping.size()) + " tiles");
  mapping[tile] = std::move(regions);
  return mapping;
}

Mapping wholeOnTile(const Graph &graph, unsigned tile, const Tensor &t) {
  return onTile(graph, tile, {Interval(0, t.numElements())});
}

} // namespace

template <class T>
void fill(Graph &graph, const Tensor &t, const Mapping &mapping, ComputeSet cs,
          T value) {
  checkFillValue(graph.getTarget(), t.elementType(), value);
  addVertices(graph, t, mapping, cs, value);
}

template <class T>
void fill(Graph &graph, Tensor t, const std::vector<Interval> &tileRegions,
          unsigned tile, ComputeSet cs, T value) {
  fill(graph, t, onTile(graph, tile, tileRegions), cs, value);
}

template <class T>
void fill(Graph &graph, const Tensor &t, unsigned tile, ComputeSet cs,
          T value) {
  fill(graph, t, wholeOnTile(graph, tile, t), cs, value);
}

template <class T>
void fill(Graph &graph, const Tensor &t, Sequence &prog, T value,
          const DebugContext &debugContext) {
  // The bits depend on metadata, which only vertices know.
  if (std::is_floating_point_v<T> && t.elementType() == QUARTER) {
    const Tensor constant = graph.addConstant(
        FLOAT, t.shape(), static_cast<float>(value), {debugContext, "Fill"});
    poputil::mapTensorLinearly(graph, constant);
    castWithOutput(graph, constant, t, prog, debugContext);
    return;
  }
  const ComputeSet cs = graph.addComputeSet({debugContext, "Fill"});
  fill(graph, t, graph.getTileMapping(t), cs, value);
  prog.add(Execute(cs, debugContext));
}

#define INSTANTIATE(T)                                                         \
  template void fill<T>(Graph &, const Tensor &, Sequence &, T,                \
                        const DebugContext &);                                 \
  template void fill<T>(Graph &, Tensor, const std::vector<Interval> &,        \
                        unsigned, ComputeSet, T);                              \
  template void fill<T>(Graph &, const Tensor &, unsigned, ComputeSet, T);     \
  template void fill<T>(Graph &, const Tensor &, const Mapping &, ComputeSet,  \
                        T);
INSTANTIATE(float)
INSTANTIATE(double)
INSTANTIATE(int)
INSTANTIATE(unsigned)
INSTANTIATE(bool)
INSTANTIATE(char)
INSTANTIATE(signed char)
INSTANTIATE(unsigned char)
INSTANTIATE(short)
INSTANTIATE(unsigned short)

void zero(Graph &graph, const Tensor &t, const Mapping &mapping,
          ComputeSet cs) {
  // The bits of a zero are the same in all formats.
  const bool isQuarter = t.elementType() == QUARTER;
  addVertices(graph, isQuarter ? t.reinterpret(UNSIGNED_CHAR) : t, mapping, cs,
              0);
}

void zero(Graph &graph, Tensor t, const std::vector<Interval> &tileRegions,
          unsigned tile, ComputeSet cs) {
  zero(graph, t, onTile(graph, tile, tileRegions), cs);
}

void zero(Graph &graph, const Tensor &t, unsigned tile, ComputeSet cs) {
  zero(graph, t, wholeOnTile(graph, tile, t), cs);
}

void zero(Graph &graph, const Tensor &t, Sequence &prog,
          const DebugContext &debugContext) {
  const ComputeSet cs = graph.addComputeSet({debugContext, "Zero"});
  zero(graph, t, graph.getTileMapping(t), cs);
  prog.add(Execute(cs, debugContext));
}

} // namespace popops
