// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One-hot rows as comparisons with a counting tensor.

#include <popops/ElementWise.hpp>
#include <popops/Encoding.hpp>
#include <poputil/exceptions.hpp>

using namespace poplar;
using namespace poplar::program;
using poputil::poplibs_error;

namespace popops {
namespace {

/// Compares the column numbers of each row with its index: a BOOL operand.
Tensor matches(Graph &graph, const Tensor &indices, const Tensor &encoded,
               Sequence &prog, const DebugContext &debugContext) {
  const Type type = indices.elementType();
  if (encoded.rank() != 2 || indices.rank() != 1 ||
      indices.dim(0) != encoded.dim(0))
    throw poplibs_error("popops::encodeOneHot: indices of shape " +
                        indices.shapeToString() + ", output of shape " +
                        encoded.shapeToString() +
                        "; they must be [n] and [n, classes]");
  if (type != INT && type != UNSIGNED_INT)
    throw poplibs_error("popops::encodeOneHot: indices of type " +
                        type.toString() + "; they must be integers");
  const Tensor places = graph.addVariable(
      type, {encoded.dim(1)}, VariableMappingMethod::LINEAR, debugContext);
  iota(graph, places, 0u, prog, debugContext);
  const Tensor result = graph.clone(BOOL, encoded, debugContext);
  eqWithOutput(graph, indices.expand({1}), places, result, prog, debugContext);
  return result;
}

} // namespace

void encodeOneHot(Graph &graph, const Tensor &indices, const Tensor &encoded,
                  Sequence &prog, const DebugContext &debugContext) {
  const DebugContext dc(debugContext, "OneHot");
  const Tensor hot = matches(graph, indices, encoded, prog, dc);
  mapWithOutput(graph, expr::Cast(expr::_1, encoded.elementType()), {hot},
                encoded, prog, dc);
}

void encodeOneHot(Graph &graph, const Tensor &indices, const Tensor &encoded,
                  Sequence &prog, const Tensor &on, const Tensor &off,
                  const DebugContext &debugContext) {
  const DebugContext dc(debugContext, "OneHot");
  const Tensor hot = matches(graph, indices, encoded, prog, dc);
  mapWithOutput(graph, expr::Select(expr::_1, expr::_2, expr::_3),
                {on.reshape({}), off.reshape({}), hot}, encoded, prog, dc);
}

void iota(Graph &graph, const Tensor &t, unsigned startInteger, Sequence &prog,
          const DebugContext &debugContext) {
  if (t.elementType() != INT && t.elementType() != UNSIGNED_INT)
    throw poplibs_error("popops::iota: a tensor of type " +
                        t.elementType().toString() +
                        "; it must have type int or unsigned int");
  if (!graph.hasCodelet("popops::Iota"))
    throw poplibs_error("popops: the codelets are missing; call "
                        "popops::addCodelets(graph) first");
  const Tensor flat = t.reinterpret(UNSIGNED_INT).flatten();
  const ComputeSet cs = graph.addComputeSet({debugContext, "Iota"});
  const auto mapping = graph.getTileMapping(flat);
  for (unsigned tile = 0; tile != mapping.size(); ++tile)
    for (const Interval &interval : mapping[tile]) {
      const VertexRef v = graph.addVertex(cs, "popops::Iota");
      graph.connect(v["out"], flat.slice(interval));
      graph.setInitialValue(
          v["start"], static_cast<unsigned>(startInteger + interval.begin()));
      graph.setPerfEstimate(v, 10 + 3 * interval.size());
      graph.setTileMapping(v, tile);
    }
  prog.add(Execute(cs, debugContext));
}

void iota(Graph &graph, const Tensor &t, int startInteger, Sequence &prog,
          const DebugContext &debugContext) {
  iota(graph, t, static_cast<unsigned>(startInteger), prog, debugContext);
}

} // namespace popops
