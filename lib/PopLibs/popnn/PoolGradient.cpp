// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The gradient of pooling. A tile has some rows of some groups of channels that
// lie side by side, as it has in a pool, and adds to each element the gradients
// of the windows that it is in: windows that slide the other way. A window that
// covers the field needs no sums. Others, of more dimensions or of fields that
// are cut off, are worked through place by place of the window: the elements at
// one place of all windows are all different, so that the gradients of their
// windows are added to them at once. Sums are kept in float.

#include "lib/PopLibs/poplin/convolution/ChannelwiseWindows.h"
#include "lib/PopLibs/poplin/operands/GroupedOperands.h"
#include "lib/PopLibs/popnn/PoolWindows.h"

#include <popnn/Pooling.hpp>
#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Zero.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>
#include <optional>

using namespace poplar;
using namespace poplar::program;
using namespace poplibs; // WindowDim.h, TapLists.h
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

/// Costs of popnn::MaxPoolGradient.
TapCosts maximumCosts(bool isHalf) {
  return isHalf ? TapCosts{34, 60, 20, 2, 4} : TapCosts{34, 60, 30, 8, 2};
}

/// The windows as those that an element is in.
poplin::ConvShape windowsBackwards(const PoolParams &p) {
  poplin::ConvShape shape = windowShape(p);
  for (WindowDim *dim : {&shape.y, &shape.x}) {
    std::swap(dim->input, dim->output);
    dim->transposed = true;
  }
  return shape;
}

/// Gradients of windows on their way back to the elements, channels side by
/// side.
class WindowsBackwards {
public:
  WindowsBackwards(Graph &graph, const PoolParams &p, const DebugContext &dc)
      : graph(graph), p(p), debugContext(dc),
        costs(p.poolingType == PoolingType::MAX
                  ? maximumCosts(p.dType == HALF)
                  : channelwiseCosts(PoolingType::SUM, p.dType == HALF)),
        shape(poplin::channelwiseShape(windowsBackwards(p))),
        plan(poplin::planChannelwise(
            windowsBackwards(p),
            poplin::CostModel(graph.getTarget(), p.dType, 0.6), costs)) {}

  bool hasPlan() const { return plan.cost >= 0; }

  /// Gradient of the elements for sum pooling.
  Tensor ofSums(const Tensor &gradient, Sequence &prog) const {
    return add(
        gradient,
        vertexName("popnn::PoolChannelwise", PoolingType::SUM, p.dType),
        [](const auto &, const auto &, const auto &) {}, prog);
  }

  /// Gradient for max pooling, where \p pooled are the maxima of \p in.
  Tensor ofMaxima(const Tensor &in, const Tensor &pooled,
                  const Tensor &gradient, Sequence &prog) const {
    poplin::ConvShape elements = shape;
    elements.y.input = shape.y.output;
    elements.x.input = shape.x.output;
    const Tensor x = grouped(in, elements, prog);
    const Tensor y = grouped(pooled, shape, prog);
    return add(
        gradient, poputil::templateVertex("popnn::MaxPoolGradient", p.dType),
        [&](const poplin::ChannelwiseWindows &windows,
            const poplin::ConvBlock &block, const VertexRef &v) {
          graph.connect(v["pooled"], windows.readBy(block, y));
          graph.connect(v["elements"], windows.atResultsOf(block, x));
        },
        prog);
  }

private:
  Graph &graph;
  const PoolParams &p;
  const DebugContext &debugContext;
  const TapCosts costs;
  const poplin::ConvShape shape;
  const poplin::ConvPlan plan;

  Tensor grouped(const Tensor &t, const poplin::ConvShape &of,
                 Sequence &prog) const {
    return poplin::groupedInput(graph, withRows(t).expand({1}), of, of, plan,
                                prog, debugContext);
  }

  template <class Connect>
  Tensor add(const Tensor &gradient, const std::string &vertex, Connect connect,
             Sequence &prog) const {
    poplin::ChannelwiseWindows windows(graph, shape, plan, costs,
                                       grouped(gradient, shape, prog),
                                       debugContext);
    const ComputeSet cs = graph.addComputeSet({debugContext, "Windows"});
    plan.forEachBlock([&](const poplin::ConvBlock &block) {
      connect(windows, block, windows.addVertex(cs, block, vertex));
    });
    prog.add(Execute(cs, debugContext));
    return windows.result().reshape(shapeOf(p, p.inputFieldShape));
  }
};

/// Gradient of each element of a window, rounded once.
Tensor ofElements(Graph &graph, const PoolParams &p, const Tensor &gradient,
                  const Type &type, Sequence &prog, const DebugContext &dc) {
  if (p.poolingType != PoolingType::AVG)
    return inType(graph, gradient, type, prog, dc);
  return popops::map(graph,
                     pe::Cast(pe::Mul(pe::Cast(pe::_1, FLOAT), pe::_2), type),
                     {gradient, addWindowWeights(graph, p, dc)}, prog, dc);
}

/// Returns true if elements are truncated. They have no gradient.
bool cutsOff(const PoolParams &p) {
  const auto isNegative = [](int padding) { return padding < 0; };
  return std::ranges::any_of(p.inputTruncationOrPaddingLower, isNegative) ||
         std::ranges::any_of(p.inputTruncationOrPaddingUpper, isNegative);
}

bool slides(const PoolParams &p) {
  return p.getNumFieldDims() >= 1 && p.getNumFieldDims() <= 2 && !cutsOff(p) &&
         !coversField(p);
}

/// One element for each channel, at all places of the field.
Tensor overField(Tensor t, const PoolParams &p) {
  for (unsigned dim = 0; dim != p.getNumFieldDims(); ++dim)
    t = t.broadcast(static_cast<unsigned>(p.inputFieldShape[dim]), dim + 2);
  return t;
}

/// A copy with channels side by side.
Tensor inVariable(Graph &graph, const Tensor &t, Sequence &prog,
                  const DebugContext &dc) {
  const unsigned last = t.rank() - 1;
  const Tensor variable = graph.addVariable(
      t.elementType(), t.dimRoll(1, last).shape(), {dc, "gradient"});
  poputil::mapTensorLinearly(graph, variable, 1, t.dim(1));
  const Tensor result = variable.dimRoll(last, 1);
  prog.add(Copy(t, result, false, dc));
  return result;
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
  if (pooledGradient.numElements() != 0 && !useScaledGradient) {
    if (coversField(params))
      return popops::map(
          graph,
          pe::Select(pe::_1, pe::Const(0, params.dType),
                     pe::Equal(pe::_2, pe::_3)),
          {overField(pooledGradient, params), in, overField(pooled, params)},
          prog, dc);
    if (slides(params))
      if (const WindowsBackwards windows(graph, params, dc); windows.hasPlan())
        return windows.ofMaxima(in, pooled, pooledGradient, prog);
  }
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
  const bool covers = coversField(params);
  std::optional<WindowsBackwards> windows;
  if (slides(params) && pooledGradient.numElements() != 0)
    windows.emplace(graph, params, dc);
  const bool hasPlan = windows && windows->hasPlan();
  const Tensor gradient =
      ofElements(graph, params, pooledGradient,
                 covers || hasPlan ? params.dType : FLOAT, prog, dc);
  if (covers)
    return inVariable(graph, overField(gradient, params), prog, dc);
  if (hasPlan)
    return windows->ofSums(gradient, prog);
  const Tensor result =
      zeros(graph, shapeOf(params, params.inputFieldShape), prog, dc);
  for (const WindowPlace &place : windowPlaces(params))
    popops::addInPlace(graph, place.ofElements(result, params),
                       place.ofResults(gradient), prog, dc);
  return inType(graph, result, params.dType, prog, dc);
}

} // namespace pooling
} // namespace popnn
