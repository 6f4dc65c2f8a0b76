// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A += scale * B in one compute set. B is cast to A's type where they differ,
// and copied first where it shares elements with A.

#include "lib/PopLibs/popops/ElementWiseVertices.h"
#include "lib/PopLibs/popops/VertexCycles.h"
#include "lib/PopLibs/popops/VertexWork.h"

#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <popops/ScaledAdd.hpp>
#include <poputil/OptionParsing.hpp>
#include <poputil/Util.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>

using namespace poplar;
using namespace poplar::program;

namespace popops {
namespace {

void checkOptions(const OptionFlags &options) {
  bool optimizeForSpeed;
  double tolerance;
  poplibs::OptionSpec(
      {{"optimizeForSpeed",
        poplibs::OptionHandler::createWithBool(optimizeForSpeed)},
       {"scaleFloatToHalfTolerance",
        poplibs::OptionHandler::createWithDouble(tolerance, 0, 1)}})
      .parse(options);
}

/// The scale for vertices of any tile.
class Scale {
public:
  Scale(Graph &graph, float value, const DebugContext &debugContext)
      : onTiles(addConstantOnTiles(graph, FLOAT, value, debugContext)) {}
  Scale(Graph &graph, const Tensor &value, Sequence &prog,
        const DebugContext &debugContext) {
    if (value.numElements() != 1)
      throw poputil::poplibs_error(
          "popops::scaledAddTo: a scale has one element, not shape " +
          value.shapeToString());
    one = cast(graph, value.reshape({}), FLOAT, prog, debugContext);
  }

  Tensor forTile(unsigned tile) const {
    return one.valid() ? one : onTiles[tile];
  }

private:
  Tensor one, onTiles;
};

void addScaled(Graph &graph, const Tensor &A, const Tensor &B,
               const Scale &scale, Sequence &prog,
               const DebugContext &debugContext, const OptionFlags &options) {
  checkOptions(options);
  if (A.shape() != B.shape())
    throw poputil::poplibs_error("popops::scaledAddTo: shapes " +
                                 A.shapeToString() + " and " +
                                 B.shapeToString() + " differ");
  const std::string name =
      poputil::templateVertex("popops::ScaledAdd1D", A.elementType());
  if (!graph.hasCodelet(name))
    throw poputil::poplibs_error(
        "popops::scaledAddTo: not for elements of type " +
        A.elementType().toString() +
        ", or popops::addCodelets(graph) has not been called");
  Tensor added = B;
  if (B.elementType() != A.elementType())
    added = cast(graph, B, A.elementType(), prog, debugContext);
  else if (B.intersectsWith(A))
    added = poputil::duplicate(graph, B, prog, debugContext);
  const auto work = divideWork(graph, A);
  const auto as = selectWork(A, work);
  const auto bs = selectWork(added, work);
  const ComputeSet cs = graph.addComputeSet({debugContext, "ScaledAdd"});
  for (std::size_t i = 0; i != work.size(); ++i) {
    const VertexRef v = graph.addVertex(cs, name);
    graph.connect(v["A"], as[i]);
    graph.connect(v["B"], bs[i]);
    graph.connect(v["scale"], scale.forTile(work[i].tile));
    graph.setPerfEstimate(
        v, scaledAddCycles(as[i].elementType(), as[i].numElements()),
        2 * as[i].numElements());
    graph.setTileMapping(v, work[i].tile);
  }
  prog.add(Execute(cs, debugContext));
}

} // namespace

void scaledAddTo(Graph &graph, Tensor A, Tensor B, float scaleB, Sequence &prog,
                 const DebugContext &dc, const OptionFlags &options) {
  addScaled(graph, A, B, Scale(graph, scaleB, dc), prog, dc, options);
}

void scaledAddTo(Graph &graph, Tensor A, Tensor B, Tensor scaleB,
                 Sequence &prog, const DebugContext &dc,
                 const OptionFlags &options) {
  addScaled(graph, A, B, Scale(graph, scaleB, prog, dc), prog, dc, options);
}

void scaledAddTo(Graph &graph, Tensor A, float scaleA, Tensor B, float scaleB,
                 Sequence &prog, const DebugContext &dc,
                 const OptionFlags &options) {
  if (B.intersectsWith(A)) // scaling A must not change B
    B = poputil::duplicate(graph, B, prog, dc);
  mulInPlace(graph, A, scaleA, prog, dc);
  scaledAddTo(graph, A, B, scaleB, prog, dc, options);
}

void scaledAddTo(Graph &graph, Tensor A, Tensor scaleA, Tensor B, Tensor scaleB,
                 Sequence &prog, const DebugContext &dc,
                 const OptionFlags &options) {
  if (B.intersectsWith(A))
    B = poputil::duplicate(graph, B, prog, dc);
  const Tensor scale = cast(graph, scaleA, A.elementType(), prog, dc);
  mulInPlace(graph, A, scale.reshape({}), prog, dc);
  scaledAddTo(graph, A, B, scaleB, prog, dc, options);
}

void scaledSubtractFrom(Graph &graph, Tensor A, Tensor B, float scaleB,
                        Sequence &prog, const DebugContext &dc,
                        const OptionFlags &options) {
  scaledAddTo(graph, A, B, -scaleB, prog, dc, options);
}

void scaledSubtractFrom(Graph &graph, Tensor A, Tensor B, Tensor scaleB,
                        Sequence &prog, const DebugContext &dc,
                        const OptionFlags &options) {
  const Tensor negated = neg(graph, scaleB, prog, dc);
  scaledAddTo(graph, A, B, negated, prog, dc, options);
}

namespace {

/// A += -scaleA * A + scaleB * B.
template <class Value>
void addDifference(Graph &graph, const Tensor &A, const Value &scaleA,
                   const Tensor &B, const Value &scaleB, Sequence &prog,
                   const DebugContext &dc, const OptionFlags &options) {
  const Tensor old = poputil::duplicate(graph, A, prog, dc);
  const Tensor added =
      B.intersectsWith(A) ? poputil::duplicate(graph, B, prog, dc) : B;
  scaledSubtractFrom(graph, A, old, scaleA, prog, dc, options);
  scaledAddTo(graph, A, added, scaleB, prog, dc, options);
}

} // namespace

void scaledAddTo(Graph &graph, Tensor A, float scaleA, Tensor B, float scaleB,
                 Sequence &prog, ScaledAddSpecialisation speciality,
                 const DebugContext &dc, const OptionFlags &options) {
  if (speciality == ScaledAddSpecialisation::DEFAULT)
    scaledAddTo(graph, A, scaleA, B, scaleB, prog, dc, options);
  else
    addDifference(graph, A, scaleA, B, scaleB, prog, dc, options);
}

void scaledAddTo(Graph &graph, Tensor A, Tensor scaleA, Tensor B, Tensor scaleB,
                 Sequence &prog, ScaledAddSpecialisation speciality,
                 const DebugContext &dc, const OptionFlags &options) {
  if (speciality == ScaledAddSpecialisation::DEFAULT)
    scaledAddTo(graph, A, scaleA, B, scaleB, prog, dc, options);
  else
    addDifference(graph, A, scaleA, B, scaleB, prog, dc, options);
}

void scaledSubtractFrom(Graph &graph, Tensor A, float scaleA, Tensor B,
                        float scaleB, Sequence &prog, const DebugContext &dc,
                        const OptionFlags &options) {
  scaledAddTo(graph, A, scaleA, B, -scaleB, prog, dc, options);
}

void scaledSubtractFrom(Graph &graph, Tensor A, Tensor scaleA, Tensor B,
                        Tensor scaleB, Sequence &prog, const DebugContext &dc,
                        const OptionFlags &options) {
  const Tensor negated = neg(graph, scaleB, prog, dc);
  scaledAddTo(graph, A, scaleA, B, negated, prog, dc, options);
}

} // namespace popops
