// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions between element types, one vertex for each piece of work. Pairs
// of types that have no vertex (two small integer types) go through INT.

#include "lib/PopLibs/popops/BroadcastViews.h"
#include "lib/PopLibs/popops/VertexCycles.h"
#include "lib/PopLibs/popops/VertexWork.h"

#include <popops/Cast.hpp>
#include <popops/ElementWiseUtil.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>

using namespace poplar;
using namespace poplar::program;

namespace popops {
namespace {

std::string vertexName(const Type &from, const Type &to) {
  return poputil::templateVertex("popops::Cast1D", from, to);
}

/// Whether only a way through INT leads from one type to the other.
bool needsDetour(const Graph &graph, const Type &from, const Type &to) {
  return !graph.hasCodelet(vertexName(from, to)) &&
         graph.hasCodelet(vertexName(from, INT)) &&
         graph.hasCodelet(vertexName(INT, to));
}

void addVertices(Graph &graph, const Tensor &src, const Tensor &dst,
                 ComputeSet cs) {
  const std::string name = vertexName(src.elementType(), dst.elementType());
  if (!graph.hasCodelet(name))
    throw poputil::poplibs_error(
        "popops::cast: there is no conversion from " +
        src.elementType().toString() + " to " + dst.elementType().toString() +
        ", or popops::addCodelets(graph) has not been called");
  if (src.shape() != dst.shape())
    throw poputil::poplibs_error(
        "popops::cast: source of shape " + src.shapeToString() +
        ", destination of shape " + dst.shapeToString());
  const ByMemory byMemory(dst);
  const auto work = divideWork(graph, byMemory(dst));
  const auto ins = selectWork(byMemory(src), work);
  const auto outs = selectWork(byMemory(dst), work);
  for (std::size_t i = 0; i != work.size(); ++i) {
    const VertexRef v = graph.addVertex(cs, name);
    graph.connect(v["in"], ins[i]);
    graph.connect(v["out"], outs[i]);
    graph.setPerfEstimate(v, castCycles(src.elementType(), dst.elementType(),
                                        outs[i].numElements()));
    graph.setTileMapping(v, work[i].tile);
  }
}

} // namespace

Program cast(Graph &graph, Tensor src, Tensor dst,
             const DebugContext &debugContext) {
  if (src.elementType() == dst.elementType())
    return Copy(src, dst, false, debugContext);
  if (needsDetour(graph, src.elementType(), dst.elementType())) {
    Sequence both;
    const Tensor integers = cast(graph, src, INT, both, debugContext);
    both.add(cast(graph, integers, dst, debugContext));
    return both;
  }
  const ComputeSet cs = graph.addComputeSet({debugContext, "Cast"});
  addVertices(graph, src, dst, cs);
  return Execute(cs, debugContext);
}

void castWithOutput(Graph &graph, const Tensor &src, const Tensor &dst,
                    Sequence &prog, const DebugContext &debugContext) {
  prog.add(cast(graph, src, dst, debugContext));
}

Tensor cast(Graph &graph, const Tensor &src, const Type &dstType,
            Sequence &prog, const DebugContext &debugContext) {
  const Tensor dst =
      createOutputForElementWiseOp(graph, {src}, dstType, debugContext);
  prog.add(cast(graph, src, dst, debugContext));
  return dst;
}

void cast(Graph &graph, Tensor src, Tensor dst, ComputeSet cs) {
  if (src.elementType() == dst.elementType())
    throw poputil::poplibs_error(
        "popops::cast: a compute set cannot copy, and both tensors have type " +
        src.elementType().toString());
  addVertices(graph, src, dst, cs);
}

Tensor cast(Graph &graph, Tensor src, const Type &dstType, ComputeSet cs,
            const DebugContext &debugContext) {
  const Tensor dst =
      createOutputForElementWiseOp(graph, {src}, dstType, debugContext);
  cast(graph, src, dst, cs);
  return dst;
}

} // namespace popops
