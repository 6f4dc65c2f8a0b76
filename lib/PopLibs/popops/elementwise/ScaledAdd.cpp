// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A += scale * B in one compute set, by vertices of the library where both have
// the same real type; the other forms are expressions. All of them are computed
// in float, or in the integers' type, and rounded once.

#include "lib/PopLibs/popops/elementwise/BroadcastViews.h"
#include "lib/PopLibs/popops/elementwise/ElementWiseVertices.h"
#include "lib/PopLibs/popops/vertices/VertexCycles.h"
#include "lib/PopLibs/popops/vertices/VertexWork.h"

#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <popops/ScaledAdd.hpp>
#include <poputil/OptionParsing.hpp>
#include <poputil/Util.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>

#include <cmath>

using namespace poplar;
using namespace poplar::program;
using poputil::poplibs_error;

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

namespace pe = popops::expr;

bool isReal(const Type &type) { return type == FLOAT || type == HALF; }

void checkOperands(const Tensor &A, const Tensor &B,
                   const OptionFlags &options) {
  checkOptions(options);
  if (A.shape() != B.shape())
    throw poplibs_error("popops::scaledAddTo: shapes " + A.shapeToString() +
                        " and " + B.shapeToString() + " differ");
  const bool isInteger =
      A.elementType() == INT || A.elementType() == UNSIGNED_INT;
  if (isReal(A.elementType())
          ? !isReal(B.elementType())
          : !isInteger || B.elementType() != A.elementType())
    throw poplibs_error("popops::scaledAddTo: elements of type " +
                        B.elementType().toString() + " added to " +
                        A.elementType().toString() +
                        "; both must be real (float or half), or both int, or "
                        "both unsigned int");
}

/// A factor: a number, or a tensor of one element.
class Scale {
public:
  Scale(float number) : number(number) {}
  Scale(const Tensor &tensor) : number(0), tensor(tensor) {
    if (tensor.numElements() != 1)
      throw poplibs_error(
          "popops::scaledAddTo: a scale has one element, not shape " +
          tensor.shapeToString());
  }

  bool isNumber() const { return !tensor.valid(); }
  /// For vertices of any tile, as a float.
  Tensor asFloat(Graph &graph, Sequence &prog, const DebugContext &dc) const {
    return isNumber() ? addConstantOnTiles(graph, FLOAT, number, dc)
                      : cast(graph, tensor.reshape({}), FLOAT, prog, dc);
  }
  /// Returns the scale as part of an expression on elements of \p type; a
  /// tensor is added to the operands. A fraction cannot scale integers.
  pe::Any in(const Type &type, std::vector<Tensor> &operands) const {
    if (isNumber()) {
      if (!isReal(type) && std::trunc(number) != number)
        throw poplibs_error("popops::scaledAddTo: the scale " +
                            std::to_string(number) + " for elements of type " +
                            type.toString() + "; it must be a whole number");
      return pe::Const(double(number), type);
    }
    if (!isReal(type) && tensor.elementType() != type)
      throw poplibs_error("popops::scaledAddTo: a scale of type " +
                          tensor.elementType().toString() +
                          " for elements of type " + type.toString() +
                          "; it must have their type");
    operands.push_back(tensor.reshape({}));
    const pe::PlaceHolder place(static_cast<unsigned>(operands.size()));
    if (tensor.elementType() == type)
      return place;
    return pe::Cast(place, type);
  }
  Scale negated(Graph &graph, Sequence &prog, const DebugContext &dc) const {
    if (isNumber())
      return -number;
    if (tensor.elementType() != UNSIGNED_INT)
      return neg(graph, tensor, prog, dc);
    // The same bits: products with it wrap round to the negative ones.
    return map(graph, pe::Const(0u) - pe::_1, {tensor}, prog, dc);
  }

private:
  float number;
  Tensor tensor;
};

/// A += scale * B by the library's own vertex, where both have the same type.
/// Halves are computed in float.
void addByVertices(Graph &graph, const Tensor &A, const Tensor &B,
                   const Scale &scale, Sequence &prog,
                   const DebugContext &debugContext) {
  const std::string name =
      poputil::templateVertex("popops::ScaledAdd1D", A.elementType());
  if (!graph.hasCodelet(name))
    throw poplibs_error("popops::scaledAddTo: popops::addCodelets(graph) has "
                        "not been called");
  Tensor added = B;
  if (B.intersectsWith(A))
    added = poputil::duplicate(graph, B, prog, debugContext);
  const Tensor factor = scale.asFloat(graph, prog, debugContext);
  const ByMemory byMemory(A);
  const auto work = divideWork(graph, byMemory(A));
  const auto as = selectWork(byMemory(A), work);
  const auto bs = selectWork(byMemory(added), work);
  const ComputeSet cs = graph.addComputeSet({debugContext, "ScaledAdd"});
  for (std::size_t i = 0; i != work.size(); ++i) {
    const VertexRef v = graph.addVertex(cs, name);
    graph.connect(v["A"], as[i]);
    graph.connect(v["B"], bs[i]);
    graph.connect(v["scale"], scale.isNumber() ? factor[work[i].tile] : factor);
    graph.setPerfEstimate(
        v, scaledAddCycles(as[i].elementType(), as[i].numElements()),
        2 * as[i].numElements());
    graph.setTileMapping(v, work[i].tile);
  }
  prog.add(Execute(cs, debugContext));
}

pe::Any inType(const pe::Expr &expr, const Type &from, const Type &to) {
  if (from == to)
    return expr;
  return pe::Cast(expr, to);
}

/// A = \p combine(A, B, the scales), all in float unless they are integers.
template <class Combine>
void combineInto(Graph &graph, const Tensor &A, const Tensor &B,
                 std::vector<Scale> scales, Sequence &prog,
                 const DebugContext &dc, Combine combine) {
  const Type type = isReal(A.elementType()) ? Type(FLOAT) : A.elementType();
  std::vector<Tensor> operands = {A, B};
  std::vector<pe::Any> factors;
  for (const Scale &scale : scales)
    factors.push_back(scale.in(type, operands));
  const pe::Any a = inType(pe::_1, A.elementType(), type);
  const pe::Any b = inType(pe::_2, B.elementType(), type);
  mapInPlace(graph, inType(combine(a, b, factors), type, A.elementType()),
             operands, prog, dc);
}

void addScaled(Graph &graph, const Tensor &A, const Tensor &B,
               const Scale &scale, Sequence &prog, const DebugContext &dc,
               const OptionFlags &options) {
  checkOperands(A, B, options);
  if (A.elementType() == B.elementType() && isReal(A.elementType()))
    addByVertices(graph, A, B, scale, prog, dc);
  else if (A.elementType() == FLOAT)
    addByVertices(graph, A, cast(graph, B, FLOAT, prog, dc), scale, prog, dc);
  else
    combineInto(graph, A, B, {scale}, prog, dc,
                [](const pe::Expr &a, const pe::Expr &b, const auto &factors) {
                  return pe::Any(a + b * factors[0]);
                });
}

/// A = scaleA * A + scaleB * B, rounded once.
void addBothScaled(Graph &graph, const Tensor &A, const Scale &scaleA,
                   const Tensor &B, const Scale &scaleB, Sequence &prog,
                   const DebugContext &dc, const OptionFlags &options) {
  checkOperands(A, B, options);
  combineInto(graph, A, B, {scaleA, scaleB}, prog, dc,
              [](const pe::Expr &a, const pe::Expr &b, const auto &factors) {
                return pe::Any(a * factors[0] + b * factors[1]);
              });
}

/// A += -scaleA * A + scaleB * B, rounded once.
void addDifference(Graph &graph, const Tensor &A, const Scale &scaleA,
                   const Tensor &B, const Scale &scaleB, Sequence &prog,
                   const DebugContext &dc, const OptionFlags &options) {
  checkOperands(A, B, options);
  combineInto(graph, A, B, {scaleA, scaleB}, prog, dc,
              [](const pe::Expr &a, const pe::Expr &b, const auto &factors) {
                return pe::Any(a + (b * factors[1] - a * factors[0]));
              });
}

} // namespace

void scaledAddTo(Graph &graph, Tensor A, Tensor B, float scaleB, Sequence &prog,
                 const DebugContext &dc, const OptionFlags &options) {
  addScaled(graph, A, B, scaleB, prog, dc, options);
}

void scaledAddTo(Graph &graph, Tensor A, Tensor B, Tensor scaleB,
                 Sequence &prog, const DebugContext &dc,
                 const OptionFlags &options) {
  addScaled(graph, A, B, scaleB, prog, dc, options);
}

void scaledAddTo(Graph &graph, Tensor A, float scaleA, Tensor B, float scaleB,
                 Sequence &prog, const DebugContext &dc,
                 const OptionFlags &options) {
  addBothScaled(graph, A, scaleA, B, scaleB, prog, dc, options);
}

void scaledAddTo(Graph &graph, Tensor A, Tensor scaleA, Tensor B, Tensor scaleB,
                 Sequence &prog, const DebugContext &dc,
                 const OptionFlags &options) {
  addBothScaled(graph, A, scaleA, B, scaleB, prog, dc, options);
}

void scaledSubtractFrom(Graph &graph, Tensor A, Tensor B, float scaleB,
                        Sequence &prog, const DebugContext &dc,
                        const OptionFlags &options) {
  addScaled(graph, A, B, -scaleB, prog, dc, options);
}

void scaledSubtractFrom(Graph &graph, Tensor A, Tensor B, Tensor scaleB,
                        Sequence &prog, const DebugContext &dc,
                        const OptionFlags &options) {
  addScaled(graph, A, B, Scale(scaleB).negated(graph, prog, dc), prog, dc,
            options);
}

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
  addBothScaled(graph, A, scaleA, B, Scale(scaleB).negated(graph, prog, dc),
                prog, dc, options);
}

} // namespace popops
