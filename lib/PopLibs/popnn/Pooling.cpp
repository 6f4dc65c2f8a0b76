// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pooling. Channels lie side by side as for convolutions, also few of them in
// groups that are filled up, unless that takes longer or too much memory; a
// tile pools some rows of some groups of channels. Otherwise rows are divided
// over tiles and workers; each vertex reads those that it needs. A field of
// more than two dimensions is pooled two dimensions at a time.

#include "lib/PopLibs/poplin/convolution/ChannelwiseWindows.h"
#include "lib/PopLibs/poplin/operands/GroupedOperands.h"
#include "lib/PopLibs/popnn/PoolWindows.h"
#include "lib/PopLibs/poputil/Log.h"

#include <popnn/Pooling.hpp>
#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>
#include <poputil/OptionParsing.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>
#include <optional>
#include <ostream>

using namespace poplar;
using namespace poplar::program;
using poputil::poplibs_error;

namespace popnn {

using namespace poplibs; // Partition.h, WindowDim.h

const char *asString(const PoolingType &type) {
  switch (type) {
  case PoolingType::MAX:
    return "max";
  case PoolingType::AVG:
    return "avg";
  case PoolingType::SUM:
    return "sum";
  }
  throw poplibs_error("popnn: unknown kind of pooling");
}

std::ostream &operator<<(std::ostream &os, const PoolingType &type) {
  return os << asString(type);
}

namespace pooling {
namespace {

/// Fewer results are not worth another vertex.
constexpr std::size_t MinResultsPerVertex = 16;

[[noreturn]] void invalid(const std::string &what) {
  throw poplibs_error("invalid parameters of pooling: " + what);
}

void checkParams(const PoolParams &p) {
  const std::size_t rank = p.inputFieldShape.size();
  for (std::size_t size : {p.kernelShape.size(), p.stride.size(),
                           p.inputTruncationOrPaddingLower.size(),
                           p.inputTruncationOrPaddingUpper.size()})
    if (size != rank)
      invalid("a list has " + std::to_string(size) +
              " entries, the field has " + std::to_string(rank) +
              " dimensions");
  for (std::size_t i = 0; i != rank; ++i) {
    const std::string where = " in dimension " + std::to_string(i);
    if (p.stride[i] == 0 || p.kernelShape[i] == 0)
      invalid("the stride or the kernel is 0" + where);
    const std::ptrdiff_t size =
        static_cast<std::ptrdiff_t>(p.inputFieldShape[i]) +
        p.inputTruncationOrPaddingLower[i] + p.inputTruncationOrPaddingUpper[i];
    if (size < static_cast<std::ptrdiff_t>(p.kernelShape[i]))
      invalid("the kernel (" + std::to_string(p.kernelShape[i]) +
              ") is larger than the input (" + std::to_string(size) + ")" +
              where);
  }
}

void checkInput(const PoolParams &p, const Tensor &in) {
  std::vector<std::size_t> shape{p.batchSize, p.numChannels};
  shape.insert(shape.end(), p.inputFieldShape.begin(), p.inputFieldShape.end());
  if (in.shape() != shape || in.elementType() != p.dType)
    throw poplibs_error("popnn::pool: input of shape " + in.shapeToString() +
                        " and type " + in.elementType().toString() +
                        " does not fit the parameters");
}

/// in[batch, channels, field...] as [batch, channels, rows, columns],
/// truncated.
Tensor arrangeInput(const PoolParams &p, const Tensor &in) {
  Tensor t = in;
  for (unsigned i = 0; i != p.getNumFieldDims(); ++i) {
    const std::size_t lower = std::max(0, -p.inputTruncationOrPaddingLower[i]);
    const std::size_t upper = std::max(0, -p.inputTruncationOrPaddingUpper[i]);
    t = t.slice(lower, t.dim(2 + i) - upper, 2 + i);
  }
  return withRows(t);
}

/// Division of the results of popnn::Pool. A vertex has whole channels if there
/// are enough channels, otherwise some rows of one.
struct ScalarDivision {
  std::size_t channels, rows; // of a vertex
  std::size_t pieces;

  /// \p planes are the channels of all batch elements.
  ScalarDivision(const Target &target, std::size_t planes, const WindowDim &y,
                 const WindowDim &x) {
    const std::size_t vertices =
        std::size_t(target.getNumTiles()) * target.getNumWorkerContexts();
    const std::size_t field = y.output * x.output;
    const std::size_t each =
        std::max(MinResultsPerVertex, ceilDiv(planes * field, vertices));
    channels = std::clamp<std::size_t>(each / field, 1, planes);
    rows = channels > 1
               ? y.output
               : std::clamp<std::size_t>(ceilDiv(each, x.output), 1, y.output);
    pieces = ceilDiv(planes, channels) * ceilDiv(y.output, rows);
  }
};

/// Bundles of popnn::Pool, as measured.
std::uint64_t scalarBundles(bool isHalf, std::size_t results,
                            std::size_t window) {
  return 40 + results * ((isHalf ? 60 : 44) + 6 * window);
}

/// Cycles of popnn::Pool.
double scalarCost(const Target &target, const PoolParams &p,
                  const poplin::ConvShape &shape,
                  const poplin::CostModel &cost) {
  const ScalarDivision division(target, p.batchSize * p.numChannels, shape.y,
                                shape.x);
  const double bundles = static_cast<double>(scalarBundles(
      cost.isHalf(), division.channels * division.rows * shape.x.output,
      shape.y.kernel * shape.x.kernel));
  return cost.step() + static_cast<double>(ceilDiv(
                           division.pieces, cost.numTiles * cost.workers)) *
                           cost.compute(bundles);
}

/// A plan for channels side by side, if there is one that is worth the channels
/// that are added to fill their groups.
std::optional<poplin::ConvPlan> channelwisePlan(const Graph &graph,
                                                const PoolParams &p) {
  const std::size_t width =
      ChannelGroupBytes / graph.getTarget().getTypeSize(p.dType);
  const poplin::CostModel cost(graph.getTarget(), p.dType, 0.6);
  const poplin::ConvShape shape = windowShape(p);
  const poplin::ConvPlan plan = poplin::planChannelwise(
      shape, cost, channelwiseCosts(p.poolingType, cost.isHalf()));
  if (plan.cost < 0)
    return std::nullopt;
  // Few channels are rearranged first.
  double rearranged = 0;
  if (p.numChannels % width != 0)
    rearranged =
        poplin::regroupCost(p.batchSize * ceilDiv(p.numChannels, width) *
                                width * shape.y.input * shape.x.input,
                            cost);
  return rearranged + plan.cost < scalarCost(graph.getTarget(), p, shape, cost)
             ? std::optional(plan)
             : std::nullopt;
}

/// in[batch, channels, rows, columns], truncated.
Tensor poolChannelwise(Graph &graph, const PoolParams &p,
                       const poplin::ConvPlan &plan, const Tensor &in,
                       Sequence &prog, const DebugContext &dc) {
  const poplin::ConvShape shape = poplin::channelwiseShape(windowShape(p));
  const Tensor input =
      poplin::groupedInput(graph, in.expand({1}), shape, shape, plan, prog, dc);
  poplin::ChannelwiseWindows windows(
      graph, shape, plan, channelwiseCosts(p.poolingType, p.dType == HALF),
      input, dc);
  const std::string name =
      vertexName("popnn::PoolChannelwise", p.poolingType, p.dType);
  const ComputeSet cs = graph.addComputeSet({dc, "Pool"});
  plan.forEachBlock([&](const poplin::ConvBlock &block) {
    windows.addVertex(cs, block, name);
  });
  prog.add(Execute(cs, dc));
  return windows.result();
}

class PoolBuilder {
public:
  PoolBuilder(Graph &graph, const PoolParams &p, const Tensor &in,
              const DebugContext &debugContext)
      : graph(graph), type(p.poolingType), in(in), y(windowShape(p).y),
        x(windowShape(p).x), firstTile(poputil::chooseMappingOffset(
                                 graph.getTarget().getNumTiles(), in.shape())),
        debugContext(debugContext) {}

  /// The result as [batch * channels, rows, columns].
  Tensor build(Sequence &prog) {
    const std::size_t channels = in.dim(0);
    const ScalarDivision each(graph.getTarget(), channels, y, x);
    const Tensor out =
        graph.addVariable(in.elementType(), {channels, y.output, x.output},
                          {debugContext, "out"});
    const ComputeSet cs = graph.addComputeSet({debugContext, "Pool"});
    std::size_t piece = 0;
    for (std::size_t c = 0; c < channels; c += each.channels)
      for (std::size_t r = 0; r < y.output; r += each.rows)
        addVertex(cs, out, {c, std::min(c + each.channels, channels)},
                  {r, std::min(r + each.rows, y.output)},
                  tileOf(piece++, each.pieces));
    prog.add(Execute(cs, debugContext));
    return out;
  }

private:
  Graph &graph;
  const PoolingType type;
  const Tensor in;
  const WindowDim y, x;
  const std::size_t firstTile;
  const DebugContext &debugContext;

  /// Neighbouring pieces share a tile once every tile has one.
  unsigned tileOf(std::size_t piece, std::size_t pieces) const {
    const std::size_t tiles = graph.getTarget().getNumTiles();
    const std::size_t place = pieces <= tiles ? piece : piece * tiles / pieces;
    return (place + firstTile) % tiles;
  }

  /// The input rows that output rows read; at least one.
  Interval inputRows(const Interval &rows) const {
    const std::ptrdiff_t limit = y.input;
    const std::ptrdiff_t first =
        static_cast<std::ptrdiff_t>(rows.begin() * y.stride) + y.origin;
    const std::ptrdiff_t last =
        static_cast<std::ptrdiff_t>((rows.end() - 1) * y.stride + y.kernel) +
        y.origin;
    const std::ptrdiff_t begin =
        std::clamp<std::ptrdiff_t>(first, 0, limit - 1);
    return Interval(begin, std::clamp<std::ptrdiff_t>(last, begin + 1, limit));
  }

  void addVertex(ComputeSet cs, const Tensor &out, const Interval &channels,
                 const Interval &rows, unsigned tile) {
    const Interval patch = inputRows(rows);
    const Tensor result = out.slice(channels, 0).slice(rows, 1).flatten();
    const VertexRef v =
        graph.addVertex(cs, vertexName("popnn::Pool", type, in.elementType()));
    graph.connect(v["in"], in.slice(channels, 0).slice(patch, 1).flatten());
    graph.connect(v["out"], result);
    graph.setInitialValue(v["channels"], channels.size());
    graph.setInitialValue(v["inRows"], patch.size());
    graph.setInitialValue(v["inColumns"], x.input);
    graph.setInitialValue(v["outRows"], rows.size());
    graph.setInitialValue(v["outColumns"], x.output);
    graph.setInitialValue(v["kernelRows"], y.kernel);
    graph.setInitialValue(v["kernelColumns"], x.kernel);
    graph.setInitialValue(v["strideY"], y.stride);
    graph.setInitialValue(v["strideX"], x.stride);
    graph.setInitialValue(
        v["originY"],
        static_cast<int>(static_cast<std::ptrdiff_t>(rows.begin() * y.stride) +
                         y.origin -
                         static_cast<std::ptrdiff_t>(patch.begin())));
    graph.setInitialValue(v["originX"], static_cast<int>(x.origin));
    const std::size_t window = y.kernel * x.kernel;
    graph.setPerfEstimate(
        v,
        scalarBundles(in.elementType() == HALF, result.numElements(), window),
        result.numElements() * window);
    graph.setTileMapping(v, tile);
    graph.setTileMapping(result, tile);
  }
};

/// Pools the two innermost dimensions of more, and then the others, for which
/// the inner ones together are one dimension that is left alone.
Tensor poolFolded(Graph &graph, const PoolParams &p, const Tensor &in,
                  Sequence &prog, const DebugContext &dc) {
  const std::size_t outer = p.getNumFieldDims() - 2;
  const auto first = [&](const auto &list, auto last) {
    auto result = list;
    result.resize(outer);
    result.push_back(last);
    return result;
  };
  const auto last = [&](const auto &list) {
    auto result = list;
    result.erase(result.begin(), result.begin() + outer);
    return result;
  };
  std::size_t planes = p.numChannels;
  for (std::size_t i = 0; i != outer; ++i)
    planes *= p.inputFieldShape[i];
  const PoolParams inner(
      p.poolingType, last(p.inputFieldShape), last(p.kernelShape),
      last(p.stride), last(p.inputTruncationOrPaddingLower),
      last(p.inputTruncationOrPaddingUpper), planes, p.batchSize, p.dType);
  const Tensor pooled = pool(graph, inner, in.flatten(1, 2 + outer), prog, dc);
  const std::size_t plane = pooled.dim(2) * pooled.dim(3);
  const PoolParams rest(p.poolingType, first(p.inputFieldShape, plane),
                        first(p.kernelShape, std::size_t(1)),
                        first(p.stride, 1u),
                        first(p.inputTruncationOrPaddingLower, 0),
                        first(p.inputTruncationOrPaddingUpper, 0),
                        p.numChannels, p.batchSize, p.dType);
  std::vector<std::size_t> shape{p.batchSize, p.numChannels};
  shape.insert(shape.end(), p.inputFieldShape.begin(),
               p.inputFieldShape.begin() + outer);
  shape.push_back(plane);
  std::vector<std::size_t> result{p.batchSize, p.numChannels};
  for (std::size_t extent : p.getOutputFieldShape())
    result.push_back(extent);
  return pool(graph, rest, pooled.reshape(shape), prog, dc).reshape(result);
}

/// The mean over many dimensions: a sum in float that is divided at the end.
Tensor averageFolded(Graph &graph, PoolParams p, const Tensor &in,
                     Sequence &prog, const DebugContext &dc) {
  const Type type = p.dType;
  const Tensor operand =
      type == FLOAT ? in : popops::cast(graph, in, FLOAT, prog, dc);
  p.poolingType = PoolingType::SUM;
  p.dType = FLOAT;
  const Tensor sum = poolFolded(graph, p, operand, prog, dc);
  const Tensor mean =
      popops::mul(graph, sum, addWindowWeights(graph, p, dc), prog, dc);
  return type == FLOAT ? mean : popops::cast(graph, mean, type, prog, dc);
}

/// Such a window is a reduction; sums are kept in float.
Tensor reduceField(Graph &graph, const PoolParams &p, const Tensor &in,
                   Sequence &prog, const DebugContext &dc) {
  const bool max = p.poolingType == PoolingType::MAX;
  std::vector<std::size_t> dims;
  std::size_t count = 1;
  for (std::size_t dim = 2; dim != in.rank(); ++dim) {
    dims.push_back(dim);
    count *= in.dim(dim);
  }
  const Tensor result = popops::reduce(
      graph, in, max ? p.dType : FLOAT, dims,
      {max ? popops::Operation::MAX : popops::Operation::ADD}, prog, dc);
  if (p.poolingType == PoolingType::AVG)
    popops::mulInPlace(graph, result, 1.0f / static_cast<float>(count), prog,
                       dc);
  return result.elementType() == p.dType
             ? result
             : popops::cast(graph, result, p.dType, prog, dc);
}

} // namespace

PoolParams::PoolParams(PoolingType poolingType,
                       std::vector<std::size_t> inputFieldShape,
                       std::vector<std::size_t> kernelShape,
                       std::vector<unsigned> stride,
                       std::vector<int> inputTruncationOrPaddingLower,
                       std::vector<int> inputTruncationOrPaddingUpper,
                       std::size_t numChannels, std::size_t batchSize,
                       Type dType)
    : poolingType(poolingType), inputFieldShape(std::move(inputFieldShape)),
      kernelShape(std::move(kernelShape)), stride(std::move(stride)),
      inputTruncationOrPaddingLower(std::move(inputTruncationOrPaddingLower)),
      inputTruncationOrPaddingUpper(std::move(inputTruncationOrPaddingUpper)),
      numChannels(numChannels), batchSize(batchSize), dType(dType) {
  checkParams(*this);
}

std::vector<std::size_t> PoolParams::getOutputFieldShape() const {
  std::vector<std::size_t> shape;
  for (std::size_t i = 0; i != inputFieldShape.size(); ++i) {
    const std::size_t size = inputFieldShape[i] +
                             inputTruncationOrPaddingLower[i] +
                             inputTruncationOrPaddingUpper[i];
    shape.push_back((size - kernelShape[i]) / stride[i] + 1);
  }
  return shape;
}

Tensor pool(Graph &graph, const PoolParams &params, const Tensor &in,
            Sequence &prog, const DebugContext &debugContext,
            const OptionFlags &options) {
  poputil::logCall("popnn::pool", {&in}, debugContext);
  checkPoolOptions(options);
  checkParams(params);
  const std::size_t dims = params.getNumFieldDims();
  if (dims == 0)
    throw poplibs_error("popnn::pool: a field without dimensions");
  if (params.dType != FLOAT && params.dType != HALF)
    throw poplibs_error("popnn::pool: not for elements of type " +
                        params.dType.toString() + ", only float and half");
  if (!graph.hasCodelet("popnn::Pool<popnn::PoolingType::MAX,float>"))
    throw poplibs_error("popnn::pool: the codelets are missing; call "
                        "popnn::addCodelets(graph) first");
  checkInput(params, in);
  std::vector<std::size_t> shape{params.batchSize, params.numChannels};
  for (std::size_t extent : params.getOutputFieldShape())
    shape.push_back(extent);
  if (in.numElements() == 0)
    return graph.addVariable(params.dType, shape, VariableMappingMethod::LINEAR,
                             debugContext);
  const DebugContext dc(debugContext, "Pool");
  if (coversField(params))
    return reduceField(graph, params, in, prog, dc).reshape(shape);
  if (dims > 2)
    return (params.poolingType == PoolingType::AVG
                ? averageFolded(graph, params, in, prog, dc)
                : poolFolded(graph, params, in, prog, dc));
  const Tensor arranged = arrangeInput(params, in);
  if (const auto plan = channelwisePlan(graph, params))
    return poolChannelwise(graph, params, *plan, arranged, prog, dc)
        .reshape(shape);
  return PoolBuilder(graph, params, arranged.flatten(0, 2), dc)
      .build(prog)
      .reshape(shape);
}

} // namespace pooling
} // namespace popnn
