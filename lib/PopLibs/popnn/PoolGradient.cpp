// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The gradient of pooling, place by place of the window: the elements at one
// place of all windows are all different, so that the gradients of their
// windows are added to them at once. Sums are kept in float.

#include "lib/PopLibs/popnn/PoolWindows.h"

#include <popnn/Pooling.hpp>
#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Zero.hpp>
#include <poputil/exceptions.hpp>

using namespace poplar;
using namespace poplar::program;
using poputil::poplibs_error;

namespace popnn {
namespace pooling {
namespace {

namespace pe = popops::expr;

std::vector<std::size_t> shapeOf(const PoolParams &p,
                                 const std::vector<std::size_t> &field) {
  std::vector<std::size_t> shape{p.batchSize, p.numChannels};
  shape.insert(shape.end(), field.begin(), field.end());
  return shape;
}

void checkShape(const Tensor &t, const std::vector<std::size_t> &shape,
                const PoolParams &p, const char *what) {
  if (t.shape() != shape || t.elementType() != p.dType)
    throw poplibs_error(std::string("popnn::poolInputGradient: the ") + what +
                        " of shape " + t.shapeToString() + " and type " +
                        t.elementType().toString() +
                        " does not fit the parameters");
}

Tensor zeros(Graph &graph, const std::vector<std::size_t> &shape,
             Sequence &prog, const DebugContext &dc) {
  const Tensor t =
      graph.addVariable(FLOAT, shape, VariableMappingMethod::LINEAR, dc);
  popops::zero(graph, t, prog, dc);
  return t;
}

Tensor inType(Graph &graph, const Tensor &t, const Type &type, Sequence &prog,
              const DebugContext &dc) {
  return t.elementType() == type ? t : popops::cast(graph, t, type, prog, dc);
}

/// Divides the gradient of each window by the number of its elements that have
/// the value of the result.
Tensor shareGradient(Graph &graph, const PoolParams &params, const Tensor &in,
                     const Tensor &pooled, const Tensor &gradient,
                     Sequence &prog, const DebugContext &dc) {
  const Tensor count = zeros(graph, pooled.shape(), prog, dc);
  for (const WindowPlace &place : windowPlaces(params)) {
    const Tensor equal = popops::map(
        graph, pe::Cast(pe::Equal(pe::_1, pe::_2), FLOAT),
        {place.ofElements(in, params), place.ofResults(pooled)}, prog, dc);
    popops::addInPlace(graph, place.ofResults(count), equal, prog, dc);
  }
  return popops::div(graph, gradient, count, prog, dc);
}

} // namespace

Tensor poolInputGradient(Graph &graph, const PoolParams &params,
                         const Tensor &in, const Tensor &pooled,
                         const Tensor &pooledGradient, bool useScaledGradient,
                         Sequence &prog, const DebugContext &debugContext,
                         const OptionFlags &options) {
  if (params.poolingType != PoolingType::MAX)
    return poolInputGradient(graph, params, 1, pooledGradient, prog,
                             debugContext, options);
  checkPoolOptions(options);
  const auto inShape = shapeOf(params, params.inputFieldShape);
  const auto outShape = shapeOf(params, params.getOutputFieldShape());
  checkShape(in, inShape, params, "input");
  checkShape(pooled, outShape, params, "result");
  checkShape(pooledGradient, outShape, params, "result's gradient");
  const DebugContext dc(debugContext, "MaxPoolGradient");
  Tensor gradient = inType(graph, pooledGradient, FLOAT, prog, dc);
  if (useScaledGradient)
    gradient = shareGradient(graph, params, in, pooled, gradient, prog, dc);
  const Tensor result = zeros(graph, inShape, prog, dc);
  for (const WindowPlace &place : windowPlaces(params)) {
    const Tensor part = popops::map(
        graph, pe::Select(pe::_1, pe::Const(0.0f), pe::Equal(pe::_2, pe::_3)),
        {place.ofResults(gradient), place.ofElements(in, params),
         place.ofResults(pooled)},
        prog, dc);
    popops::addInPlace(graph, place.ofElements(result, params), part, prog, dc);
  }
  return inType(graph, result, params.dType, prog, dc);
}

Tensor poolInputGradient(Graph &graph, const PoolParams &params, const unsigned,
                         const Tensor &pooledGradient, Sequence &prog,
                         const DebugContext &debugContext,
                         const OptionFlags &options) {
  checkPoolOptions(options);
  if (params.poolingType == PoolingType::MAX)
    throw poplibs_error("popnn::poolInputGradient: the gradient of MAX needs "
                        "the form with the input and the result");
  checkShape(pooledGradient, shapeOf(params, params.getOutputFieldShape()),
             params, "result's gradient");
  const DebugContext dc(debugContext, "PoolGradient");
  Tensor gradient = inType(graph, pooledGradient, FLOAT, prog, dc);
  if (params.poolingType == PoolingType::AVG)
    gradient = popops::mul(graph, gradient, addWindowWeights(graph, params, dc),
                           prog, dc);
  const Tensor result =
      zeros(graph, shapeOf(params, params.inputFieldShape), prog, dc);
  for (const WindowPlace &place : windowPlaces(params))
    popops::addInPlace(graph, place.ofElements(result, params),
                       place.ofResults(gradient), prog, dc);
  return inType(graph, result, params.dType, prog, dc);
}

} // namespace pooling
} // namespace popnn
