// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions between element types, one vertex for each piece of work. Pairs
// of types that have no vertex go through one that has: two small integer types
// through INT, quarters and integers through FLOAT.

#include "lib/PopLibs/popops/elementwise/BroadcastViews.h"
#include "lib/PopLibs/popops/elementwise/QuarterCast.h"
#include "lib/PopLibs/popops/vertices/VertexCycles.h"
#include "lib/PopLibs/popops/vertices/VertexWork.h"

#include <popops/Cast.hpp>
#include <popops/ElementWiseUtil.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>

#include <optional>

using namespace poplar;
using namespace poplar::program;

namespace popops {
namespace {

std::string vertexName(const Type &from, const Type &to) {
  return poputil::templateVertex("popops::Cast1D", from, to);
}

/// The type between the two, where no vertex leads from one to the other.
std::optional<Type> detour(const Graph &graph, const Type &from,
                           const Type &to) {
  const Type middle = from == QUARTER || to == QUARTER ? FLOAT : INT;
  if (!graph.hasCodelet(vertexName(from, to)) &&
      graph.hasCodelet(vertexName(from, middle)) &&
      graph.hasCodelet(vertexName(middle, to)))
    return middle;
  return std::nullopt;
}

/// Quarters are read without their scale where \p unscaled.
void addVertices(Graph &graph, const Tensor &src, const Tensor &dst,
                 ComputeSet cs, bool unscaled = false) {
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
    if (src.elementType() == QUARTER)
      graph.setInitialValue(v["unscaled"], unscaled);
    graph.setPerfEstimate(v, castCycles(src.elementType(), dst.elementType(),
                                        outs[i].numElements()));
    graph.setTileMapping(v, work[i].tile);
  }
}

bool haveSameMetadata(const Tensor &a, const Tensor &b) {
  return a.elementType() != QUARTER || b.elementType() != QUARTER ||
         a.getMetadata() == b.getMetadata();
}

/// Quarters without metadata given keep those of a source of quarters.
Tensor makeResult(Graph &graph, const Tensor &src, const Type &type,
                  const Tensor &metadata, const DebugContext &debugContext) {
  const bool isGiven = metadata.valid() && metadata.numElements() != 0;
  if (type != QUARTER && !isGiven)
    return createOutputForElementWiseOp(graph, {src}, type, debugContext);
  if (type == QUARTER && !isGiven && src.elementType() != QUARTER)
    throw poputil::poplibs_error(
        "popops::cast: elements of type quarter need metadata; use the form of "
        "cast with a metadata tensor (createConstantMetadataTensor)");
  const Tensor like =
      createOutputForElementWiseOp(graph, {src}, type, debugContext);
  return graph.clone(type, isGiven ? metadata : src.getMetadata(), like,
                     debugContext);
}

} // namespace

Program cast(Graph &graph, Tensor src, Tensor dst,
             const DebugContext &debugContext) {
  if (src.elementType() == dst.elementType() && haveSameMetadata(src, dst))
    return Copy(src, dst, false, debugContext);
  if (const auto middle = detour(graph, src.elementType(), dst.elementType())) {
    Sequence both;
    const Tensor between = cast(graph, src, *middle, both, debugContext);
    both.add(cast(graph, between, dst, debugContext));
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
  return cast(graph, src, dstType, Tensor(), prog, debugContext);
}

Tensor cast(Graph &graph, const Tensor &src, const Type &dstType,
            const Tensor &metadata, Sequence &prog,
            const DebugContext &debugContext) {
  const Tensor dst = makeResult(graph, src, dstType, metadata, debugContext);
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
  return cast(graph, src, dstType, Tensor(), cs, debugContext);
}

Tensor cast(Graph &graph, Tensor src, const Type &dstType,
            const Tensor &metadata, ComputeSet cs,
            const DebugContext &debugContext) {
  const Tensor dst = makeResult(graph, src, dstType, metadata, debugContext);
  cast(graph, src, dst, cs);
  return dst;
}

Tensor castUnscaled(Graph &graph, const Tensor &src, Sequence &prog,
                    const DebugContext &debugContext) {
  const Tensor dst =
      createOutputForElementWiseOp(graph, {src}, HALF, debugContext);
  const ComputeSet cs = graph.addComputeSet({debugContext, "CastUnscaled"});
  addVertices(graph, src, dst, cs, true);
  prog.add(Execute(cs, debugContext));
  return dst;
}

Tensor productOfScales(Graph &graph, const Tensor &a, const Tensor &b,
                       Sequence &prog, const DebugContext &debugContext) {
  const Tensor product = graph.addVariable(FLOAT, {}, debugContext);
  graph.setTileMapping(product, 0);
  const ComputeSet cs = graph.addComputeSet({debugContext, "Scales"});
  const VertexRef v = graph.addVertex(cs, "popops::ProductOfScales",
                                      {{"a", a.getMetadata().flatten()[0]},
                                       {"b", b.getMetadata().flatten()[0]},
                                       {"product", product}});
  graph.setTileMapping(v, 0);
  prog.add(Execute(cs, debugContext));
  return product;
}

} // namespace popops
