// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Casts to generic formats, one vertex for each piece of work.

#include <popfloat/experimental/CastToGfloat.hpp>
#include <popfloat/experimental/codelets.hpp>

#include "lib/PopLibs/popops/vertices/VertexWork.h"
#include "lib/PopLibs/poputil/CodeletArchive.h"

#include <popops/Cast.hpp>
#include <popops/ElementWiseUtil.hpp>
#include <popops/codelets.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>

#include <cmath>

using namespace poplar;
using namespace poplar::program;
using poputil::poplibs_error;

namespace popfloat {
namespace experimental {
namespace {

/// Bundles of one element.
constexpr std::size_t ElementBundles = 100;

/// Returns true if half represents all numbers of a format.
bool fitsHalf(const GfloatCast::FormatConfig &format) {
  return format.manBits <= 10 && format.maxExponent() <= 15 &&
         format.minExponent() - int(format.manBits) >= -24 &&
         format.maxValue() <= 65504;
}

} // namespace

void addCodelets(Graph &graph) {
  poplibs::addCodeletArchive(graph, "popfloat");
}

int GfloatCast::FormatConfig::maxExponent() const {
  return (1 << expBits) - 1 - expBias - (enInf ? 1 : 0);
}

double GfloatCast::FormatConfig::maxValue() const {
  // Without infinities the last of all patterns is NaN.
  const double steps =
      std::ldexp(2.0, int(manBits)) - (enInf || manBits == 0 ? 1 : 2);
  return std::ldexp(steps, maxExponent() - int(manBits));
}

GfloatCast::GfloatCast(const FormatConfig &formatCfg,
                       const RoundConfig &roundCfg, bool enNanoo,
                       SpecType gfloatType)
    : formatCfg(formatCfg), roundCfg(roundCfg), enNanoo(enNanoo),
      gfloatType(gfloatType) {
  const FormatConfig &f = formatCfg;
  if (f.manBits > 23 || f.expBits < 1 || f.expBits > 8 ||
      f.minExponent() < -126 || f.maxExponent() > 127 ||
      f.maxExponent() < f.minExponent() ||
      (gfloatType == SpecType::FP16 && !fitsHalf(f)))
    throw poplibs_error(
        "popfloat: a format of " + std::to_string(f.manBits) +
        " bits of mantissa and " + std::to_string(f.expBits) +
        " of exponent with bias " + std::to_string(f.expBias) +
        ", whose numbers are not all " +
        (gfloatType == SpecType::FP16 ? "halves" : "normal floats"));
}

Type GfloatCast::getGFStorageType() const {
  if (gfloatType == SpecType::AUTO)
    return fitsHalf(formatCfg) ? HALF : FLOAT;
  return gfloatType == SpecType::FP16 ? HALF : FLOAT;
}

void GfloatCast::addCast(Graph &graph, const Tensor &in, const Tensor &out,
                         Sequence &prog, const DebugContext &dc) const {
  const std::string name =
      poputil::templateVertex("popfloat::experimental::CastToGfloat",
                              in.elementType(), out.elementType());
  if (!graph.hasCodelet(name))
    throw poplibs_error("popfloat: there is no " + name +
                        ": the values must be float or half, and "
                        "popfloat::experimental::addCodelets(graph) called");
  enum { ToLargest, ToInfinity, ToNaN };
  const unsigned overflow = enNanoo           ? ToNaN
                            : formatCfg.enInf ? ToInfinity
                                              : ToLargest;
  const ComputeSet cs = graph.addComputeSet(dc);
  const auto work = popops::divideWork(graph, out);
  const auto ins = popops::selectWork(in, work);
  const auto outs = popops::selectWork(out, work);
  for (std::size_t i = 0; i != work.size(); ++i) {
    const VertexRef v =
        graph.addVertex(cs, name, {{"in", ins[i]}, {"out", outs[i]}});
    graph.setInitialValue(v["mantissaBits"], formatCfg.manBits);
    graph.setInitialValue(v["minExponent"], formatCfg.minExponent());
    graph.setInitialValue(v["largest"],
                          static_cast<float>(formatCfg.maxValue()));
    graph.setInitialValue(v["rounding"],
                          static_cast<unsigned>(roundCfg.roundMode));
    graph.setInitialValue(v["overflow"], overflow);
    graph.setInitialValue(v["denormals"], formatCfg.enDenorm);
    graph.setPerfEstimate(v, 20 + ElementBundles * outs[i].numElements());
    graph.setTileMapping(v, work[i].tile);
  }
  prog.add(Execute(cs, dc));
}

Tensor GfloatCast::castNativeToGfloat(Graph &graph, const Tensor &input,
                                      Sequence &prog,
                                      const DebugContext &debugContext) const {
  const DebugContext dc(debugContext, "CastToGfloat");
  const Tensor out = popops::createOutputForElementWiseOp(
      graph, {input}, getGFStorageType(), dc);
  addCast(graph, input, out, prog, dc);
  return out;
}

void GfloatCast::castNativeToGfloatInPlace(
    Graph &graph, const Tensor &input, Sequence &prog,
    const DebugContext &debugContext) const {
  const DebugContext dc(debugContext, "CastToGfloat");
  const Tensor out = popops::createOutputForElementWiseOp(
      graph, {input}, input.elementType(), dc);
  addCast(graph, input, out, prog, dc);
  prog.add(Copy(out, input, false, dc));
}

Tensor GfloatCast::castGfloatToNative(Graph &graph, const Tensor &input,
                                      const Type &nativeType, Sequence &prog,
                                      const DebugContext &debugContext) const {
  return popops::cast(graph, input, nativeType, prog,
                      {debugContext, "CastFromGfloat"});
}

} // namespace experimental
} // namespace popfloat
