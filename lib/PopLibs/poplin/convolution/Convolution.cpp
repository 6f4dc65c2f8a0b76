// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions. A plan divides channels and rows of the output, and where it
// pays the input channels, over tiles; each tile gets the rows of the input and
// the weights that it needs, its workers divide rows and channels, and partial
// sums are added up across tiles.

#include "lib/PopLibs/poplin/convolution/ChannelwiseConv.h"
#include "lib/PopLibs/poplin/convolution/ConvFold.h"
#include "lib/PopLibs/poplin/convolution/ConvOperands.h"
#include "lib/PopLibs/poplin/convolution/ConvPhases.h"
#include "lib/PopLibs/poplin/convolution/MatrixConv.h"
#include "lib/PopLibs/poplin/matmul/BlockedResult.h"
#include "lib/PopLibs/poplin/matmul/LocalOperands.h"
#include "lib/PopLibs/poplin/matmul/QuarterOperands.h"
#include "lib/PopLibs/poplin/planning/PlanningCacheImpl.h"

#include <poplin/Convolution.hpp>
#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Zero.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>

#include <sstream>

using namespace poplar;
using namespace poplar::program;
using poputil::poplibs_error;

namespace poplin {
namespace {

/// Output channels that a vertex keeps in registers at a time.
constexpr std::size_t ChannelGrain = 2;

Interval intervalOf(const Partition &partition, std::size_t part) {
  return {partition.begin(part), partition.end(part)};
}

class ConvBuilder {
public:
  /// \p in and \p weights as arrangeInput and arrangeWeights give them.
  ConvBuilder(Graph &graph, const ConvShape &shape, const ConvPlan &plan,
              const Tensor &in, const Tensor &weights, const Type &outType,
              const DebugContext &dc)
      : graph(graph), shape(shape), plan(plan), in(in), weights(weights),
        debugContext(dc, "Conv"),
        result(graph, outType, FLOAT, {1, 1}, debugContext),
        operands(graph, debugContext) {}

  /// The result as [batch, channels, rows, columns].
  Tensor build(Sequence &prog) {
    plan.forEachBlock([&](const ConvBlock &block) { addBlock(block); });
    result.allocate();
    const ComputeSet cs = graph.addComputeSet({debugContext, "Convolve"});
    plan.forEachBlock([&](const ConvBlock &block) {
      for (std::size_t i = 0; i != plan.inChannels.parts; ++i)
        addTile(cs, block, i);
    });
    operands.addCopies(prog);
    prog.add(Execute(cs, debugContext));
    result.addReduction(prog);
    return assemble();
  }

private:
  Graph &graph;
  const ConvShape &shape;
  const ConvPlan &plan;
  const Tensor in, weights;
  const DebugContext debugContext;
  BlockedResult result;
  LocalOperands operands;

  void addBlock(const ConvBlock &block) {
    result.addBlock(plan.outChannels.size(block.out) *
                        plan.rows.size(block.row) * shape.x.output,
                    plan.tilesOf(block));
  }

  /// Rows by channels.
  WorkerGrid workerGrid(std::size_t out, std::size_t row) const {
    return divideBetweenWorkers(
        plan.rows.size(row), plan.outChannels.size(out),
        plan.workersPerBlock(graph.getTarget().getNumWorkerContexts()),
        ChannelGrain);
  }

  /// Adds a tile's vertices; each writes its rows and channels of the block as
  /// a block of its own, one after the other.
  void addTile(ComputeSet cs, const ConvBlock &block, std::size_t inPart) {
    const unsigned tile = plan.tile(block, inPart);
    const WorkerGrid grid = workerGrid(block.out, block.row);
    const std::size_t users = grid.outer * grid.inner;
    const Interval rows = intervalOf(plan.rows, block.row);
    const PartRange patchRows = inputRows(shape.y, rows.begin(), rows.end());
    const Tensor patch = inputPatch(block, inPart, patchRows, tile, users);
    const Tensor kernels = weightsBlock(block, inPart, tile, users);
    const Tensor out = result.partial(block.index, inPart);

    const Partition workerRows{rows.size(), grid.outer};
    const Partition workerChannels{plan.outChannels.size(block.out),
                                   grid.inner};
    const std::size_t perChannel =
        kernels.numElements() / plan.outChannels.size(block.out);
    std::size_t at = 0;
    for (std::size_t i = 0; i != grid.outer; ++i)
      for (std::size_t j = 0; j != grid.inner; ++j) {
        const Interval channels = intervalOf(workerChannels, j);
        const std::size_t size =
            workerRows.size(i) * channels.size() * shape.x.output;
        const VertexRef v = addVertex(cs, tile);
        graph.connect(v["in"], patch);
        graph.connect(v["weights"], kernels.slice(channels.begin() * perChannel,
                                                  channels.end() * perChannel));
        graph.connect(v["out"], out.slice(at, at + size));
        setGeometry(v, plan.inChannels.size(inPart), patchRows.size(),
                    channels.size(), workerRows.size(i),
                    shape.y.firstInput(rows.begin() + workerRows.begin(i)) -
                        static_cast<std::ptrdiff_t>(patchRows.begin));
        at += size;
      }
  }

  Tensor inputPatch(const ConvBlock &block, std::size_t inPart,
                    const PartRange &rows, unsigned tile, std::size_t users) {
    const std::size_t key =
        (((block.images * plan.groups + block.group) * plan.inChannels.parts +
          inPart) *
             plan.rows.parts +
         block.row) *
        2;
    return operands.get(in[block.images][block.group]
                            .slice(intervalOf(plan.inChannels, inPart), 0)

                            .slice(rows.begin, rows.end, 1),
                        key, tile, users);
  }

  Tensor weightsBlock(const ConvBlock &block, std::size_t inPart, unsigned tile,
                      std::size_t users) {
    const std::size_t key =
        ((block.group * plan.outChannels.parts + block.out) *
             plan.inChannels.parts +
         inPart) *
            2 +
        1;
    return operands.get(weights[block.group]
                            .slice(intervalOf(plan.outChannels, block.out), 0)
                            .slice(intervalOf(plan.inChannels, inPart), 1),
                        key, tile, users);
  }

  VertexRef addVertex(ComputeSet cs, unsigned tile) {
    const VertexRef v = graph.addVertex(
        cs, poputil::templateVertex("poplin::ConvPartial", in.elementType()));
    graph.setTileMapping(v, tile);
    return v;
  }

  void setGeometry(VertexRef v, std::size_t inChannels, std::size_t patchRows,
                   std::size_t outChannels, std::size_t outRows,
                   std::ptrdiff_t originY) {
    graph.setInitialValue(v["inChannels"], inChannels);
    graph.setInitialValue(v["inRows"], patchRows);
    graph.setInitialValue(v["inColumns"], shape.x.input);
    graph.setInitialValue(v["outChannels"], outChannels);
    graph.setInitialValue(v["outRows"], outRows);
    graph.setInitialValue(v["outColumns"], shape.x.output);
    graph.setInitialValue(v["kernelRows"], shape.y.kernel);
    graph.setInitialValue(v["kernelColumns"], shape.x.kernel);
    graph.setInitialValue(v["dilationY"], shape.y.dilation);
    graph.setInitialValue(v["dilationX"], shape.x.dilation);
    graph.setInitialValue(v["strideY"], shape.y.stride);
    graph.setInitialValue(v["strideX"], shape.x.stride);
    graph.setInitialValue(v["originY"], static_cast<int>(originY));
    graph.setInitialValue(v["originX"], static_cast<int>(shape.x.origin));
    const std::size_t results = outChannels * outRows * shape.x.output;
    const std::size_t kernel = shape.y.kernel * shape.x.kernel;
    graph.setPerfEstimate(
        v,
        static_cast<std::uint64_t>(directBundles(
            shape, in.elementType() == HALF, inChannels, outChannels, outRows)),
        2 * results * inChannels * kernel);
  }

  /// A block of the result as [channels, rows, columns].
  Tensor assembleBlock(const ConvBlock &block) const {
    const Tensor flat = result.result(block.index);
    const WorkerGrid grid = workerGrid(block.out, block.row);
    const Partition rows{plan.rows.size(block.row), grid.outer};
    const Partition channels{plan.outChannels.size(block.out), grid.inner};
    std::size_t at = 0;
    std::vector<Tensor> rowParts;
    for (std::size_t i = 0; i != grid.outer; ++i) {
      std::vector<Tensor> channelParts;
      for (std::size_t j = 0; j != grid.inner; ++j) {
        const std::size_t size =
            rows.size(i) * channels.size(j) * shape.x.output;
        channelParts.push_back(
            flat.slice(at, at + size)
                .reshape({channels.size(j), rows.size(i), shape.x.output}));
        at += size;
      }
      rowParts.push_back(concat(channelParts, 0));
    }
    return concat(rowParts, 1);
  }

  Tensor assemble() const {
    std::vector<Tensor> images, channels, rows;
    plan.forEachBlock([&](const ConvBlock &block) {
      rows.push_back(assembleBlock(block));
      if (block.row + 1 != plan.rows.parts)
        return;
      channels.push_back(concat(rows, 1));
      rows.clear();
      if (block.out + 1 != plan.outChannels.parts ||
          block.group + 1 != plan.groups)
        return;
      images.push_back(concat(channels, 0).expand({0}));
      channels.clear();
    });
    return concat(images, 0);
  }
};

std::string text(const ConvParams &params) {
  std::ostringstream stream;
  stream << params;
  return stream.str();
}

void checkOperands(const Tensor &in, const Tensor &weights,
                   const ConvParams &p) {
  std::vector<std::size_t> inShape{p.batchSize, p.getNumInputChans()};
  inShape.insert(inShape.end(), p.inputFieldShape.begin(),
                 p.inputFieldShape.end());
  std::vector<std::size_t> weightsShape{p.numConvGroups,
                                        p.outputChannelsPerConvGroup,
                                        p.inputChannelsPerConvGroup};
  weightsShape.insert(weightsShape.end(), p.kernelShape.begin(),
                      p.kernelShape.end());
  if (in.shape() != inShape || weights.shape() != weightsShape)
    throw poplibs_error("poplin::convolution: input of shape " +
                        in.shapeToString() + " and weights of shape " +
                        weights.shapeToString() + " do not fit the " + text(p));
  const auto real = [](const Type &t) { return t == FLOAT || t == HALF; };
  const bool quarters = p.inputType == QUARTER && p.outputType == HALF;
  if (in.elementType() != p.inputType || weights.elementType() != p.inputType ||
      !(quarters || (real(p.inputType) && real(p.outputType))))
    throw poplibs_error("poplin::convolution: input of type " +
                        in.elementType().toString() + ", weights of type " +
                        weights.elementType().toString() +
                        " in a convolution of " + p.inputType.toString() +
                        " to " + p.outputType.toString() +
                        "; they must be half or float as in the parameters, or "
                        "quarter for a result of half");
}

bool isEmpty(const ConvShape &s) {
  return s.batch * s.groups * s.inChannels * s.outChannels * s.y.input *
             s.x.input * s.y.kernel * s.x.kernel * s.y.output * s.x.output ==
         0;
}

Tensor transposedAndFlipped(const Tensor &weights) {
  Tensor t = weights.dimShufflePartial({1}, {2});
  for (unsigned dim = 3; dim < t.rank(); ++dim)
    t = t.reverse(dim);
  return t;
}

bool hasOutputPadding(const ConvParams &params) {
  const auto any = [](const std::vector<unsigned> &amounts) {
    return std::any_of(amounts.begin(), amounts.end(),
                       [](unsigned amount) { return amount != 0; });
  };
  return any(params.outputTransform.paddingLower) ||
         any(params.outputTransform.paddingUpper);
}

/// The biases in the shape that adds one to each channel.
Tensor alongChannels(const Tensor &biases, const Tensor &activations) {
  std::vector<std::size_t> shape(activations.rank() - 1, 1);
  shape[0] = biases.dim(0);
  return biases.reshape(shape);
}

/// \p bias may be not valid, \p out have padding, which is constant.
Tensor withBias(Graph &graph, const Tensor &out, const Tensor &bias,
                Sequence &prog, const DebugContext &dc) {
  if (!bias.valid())
    return out;
  if (!out.isParallelWriteable())
    return popops::add(graph, out, alongChannels(bias, out), prog,
                       {dc, "bias"});
  addBias(graph, out, bias, prog, {dc, "bias"});
  return out;
}

/// Sums of nothing are zero.
Tensor emptyConvolution(Graph &graph, const ConvShape &s, const Type &type,
                        Sequence &prog, const DebugContext &dc) {
  const Tensor out = graph.addVariable(
      type, {s.batch, s.groups * s.outChannels, s.y.output, s.x.output},
      VariableMappingMethod::LINEAR, dc);
  if (out.numElements() != 0)
    popops::zero(graph, out, prog, dc);
  return out;
}

} // namespace

namespace {

Tensor convolve(Graph &graph, const Tensor &in, const Tensor &weights,
                const Tensor &bias, const ConvParams &params, Sequence &prog,
                const DebugContext &dc, const OptionFlags &options,
                PlanningCache *cache);

/// For operands and results of different types where a method has one for both.
Tensor convolveInFloat(Graph &graph, const Tensor &in, const Tensor &weights,
                       const Tensor &bias, ConvParams params, Sequence &prog,
                       const DebugContext &dc, const OptionFlags &options,
                       PlanningCache *cache) {
  const auto converted = [&](const Tensor &t, const Type &type) {
    return !t.valid() || t.elementType() == type
               ? t
               : popops::cast(graph, t, type, prog, {dc, "Cast"});
  };
  const Type type = params.outputType;
  params.inputType = params.outputType = FLOAT;
  return converted(convolve(graph, converted(in, FLOAT),
                            converted(weights, FLOAT), converted(bias, FLOAT),
                            params, prog, dc, options, cache),
                   type);
}

Tensor convolveQuarters(Graph &graph, const Tensor &in, const Tensor &weights,
                        const Tensor &bias, ConvParams params, Sequence &prog,
                        const DebugContext &dc, const OptionFlags &options,
                        PlanningCache *cache) {
  const QuarterOperands operands(graph, in, weights, params.outputType, prog,
                                 "poplin::convolution", dc);
  params.inputType = HALF;
  params.outputType = FLOAT;
  return withBias(
      graph,
      operands.scaled(convolve(graph, operands.a, operands.b, Tensor(), params,
                               prog, dc, options, cache)),
      bias, prog, dc);
}

/// A convolution of one part of a serial split.
ConvParams partOf(ConvParams params, const SerialSplit &split) {
  switch (split.dim) {
  case SerialSplit::Batch:
    params.batchSize /= split.parts;
    break;
  case SerialSplit::Groups:
    params.numConvGroups /= split.parts;
    break;
  case SerialSplit::OutChannels:
    params.outputChannelsPerConvGroup /= split.parts;
    break;
  }
  return params;
}

/// Part \p part of a dimension.
Tensor partOf(const Tensor &t, unsigned dim, std::size_t part,
              std::size_t parts) {
  const std::size_t each = t.dim(dim) / parts;
  return t.slice(part * each, (part + 1) * each, dim);
}

/// The operands of one part of a serial split; \p bias may be not valid.
struct SerialOperands {
  Tensor in, weights, bias;

  SerialOperands part(const SerialSplit &split, std::size_t i) const {
    SerialOperands result = *this;
    switch (split.dim) {
    case SerialSplit::Batch:
      result.in = partOf(in, 0, i, split.parts);
      break;
    case SerialSplit::Groups:
      result.in = partOf(in, 1, i, split.parts);
      result.weights = partOf(weights, 0, i, split.parts);
      if (bias.valid())
        result.bias = partOf(bias, 0, i, split.parts);
      break;
    case SerialSplit::OutChannels:
      result.weights = partOf(weights, 1, i, split.parts);
      if (bias.valid()) {
        const std::size_t groups = weights.dim(0);
        result.bias =
            partOf(bias.reshape({groups, bias.numElements() / groups}), 1, i,
                   split.parts)
                .flatten();
      }
      break;
    }
    return result;
  }
};

/// The results of the parts put together.
Tensor joinParts(const std::vector<Tensor> &results, const SerialSplit &split,
                 std::size_t groups) {
  switch (split.dim) {
  case SerialSplit::Batch:
    return concat(results, 0);
  case SerialSplit::Groups:
    return concat(results, 1);
  case SerialSplit::OutChannels:
    break;
  }
  std::vector<Tensor> byGroup;
  for (const Tensor &t : results)
    byGroup.push_back(t.reshapePartial(1, 2, {groups, t.dim(1) / groups}));
  return concat(byGroup, 2).flatten(1, 3);
}

/// \p bias may be not valid.
Tensor convolveAsPlanned(Graph &graph, const ConvPlan &plan, const Tensor &in,
                         const Tensor &weights, const Tensor &bias,
                         const ConvParams &params, Sequence &prog,
                         const DebugContext &dc) {
  if (plan.serial.parts != 1) {
    ConvPlan ofPart = plan;
    ofPart.serial = {};
    std::vector<Tensor> results;
    for (std::size_t i = 0; i != plan.serial.parts; ++i) {
      const SerialOperands part =
          SerialOperands{in, weights, bias}.part(plan.serial, i);
      results.push_back(
          convolveAsPlanned(graph, ofPart, part.in, part.weights, part.bias,
                            partOf(params, plan.serial), prog, dc));
    }
    return joinParts(results, plan.serial, params.numConvGroups);
  }
  const ConvShape shape = convShape(params);
  const Tensor input = arrangeInput(graph, in, params);
  const Tensor kernels = arrangeWeights(weights, params);
  if (plan.method == ConvMethod::Direct)
    return withBias(graph,
                    arrangeOutput(graph,
                                  ConvBuilder(graph, shape, plan, input,
                                              kernels, params.outputType, dc)
                                      .build(prog),
                                  params),
                    bias, prog, dc);
  // Padding of the output has a bias, too.
  const bool biasInside = !hasOutputPadding(params);
  const Tensor inside = biasInside ? bias : Tensor();
  const Tensor result =
      plan.method == ConvMethod::Channelwise
          ? channelwiseConvolution(graph, shape, plan, input, kernels, inside,
                                   prog, dc)
          : matrixConvolution(graph, shape, plan, input, kernels, inside,
                              params.outputType, prog, dc);
  const Tensor out = arrangeOutput(graph, result, params);
  return biasInside ? out : withBias(graph, out, bias, prog, dc);
}

Tensor convolvePhases(Graph &graph, const ConvPhases &phases, const Tensor &in,
                      const Tensor &weights, const Tensor &bias,
                      const ConvParams &params, Sequence &prog,
                      const DebugContext &dc, const OptionFlags &options,
                      PlanningCache *cache) {
  const Tensor inside = phases.bias(bias);
  const Tensor out = phases.output(
      graph,
      convolve(graph, phases.input(in), phases.weights(graph, weights), inside,
               phases.params(), prog, dc, options, cache),
      prog, dc);
  return withBias(graph, padOutput(graph, out, params),
                  inside.valid() ? Tensor() : bias, prog, dc);
}

/// \p bias may be not valid.
Tensor convolve(Graph &graph, const Tensor &in, const Tensor &weights,
                const Tensor &bias, const ConvParams &params, Sequence &prog,
                const DebugContext &dc, const OptionFlags &options,
                PlanningCache *cache) {
  const Options parsed = parseConvOptions(options, params.outputType);
  params.validate();
  checkOperands(in, weights, params);
  if (params.inputType == QUARTER)
    return convolveQuarters(graph, in, weights, bias, params, prog, dc, options,
                            cache);
  if (const std::optional<ConvPhases> phases = ConvPhases::of(params))
    return convolvePhases(graph, *phases, in, weights, bias, params, prog, dc,
                          options, cache);
  if (params.getNumFieldDims() > MaxFieldDims)
    return withBias(
        graph,
        unfoldOutput(graph,
                     convolve(graph, foldInput(graph, in, params, dc),
                              foldWeights(weights, params), Tensor(),
                              foldParams(params), prog, dc, options, cache),
                     params),
        bias, prog, dc);
  const ConvShape shape = convShape(params);
  if (isEmpty(shape))
    return withBias(graph,
                    arrangeOutput(graph,
                                  emptyConvolution(graph, shape,
                                                   params.outputType, prog, dc),
                                  params),
                    bias, prog, dc);
  if (!graph.hasCodelet("poplin::ReduceAdd<float,float>"))
    throw poplibs_error("poplin::convolution: the codelets are missing; call "
                        "poplin::addCodelets(graph) first");
  const ConvPlan plan =
      getConvPlan(graph, shape, params.inputType, parsed, cache);
  if (plan.method == ConvMethod::Channelwise &&
      params.inputType != params.outputType)
    return convolveInFloat(graph, in, weights, bias, params, prog, dc, options,
                           cache);
  return convolveAsPlanned(graph, plan, in, weights, bias, params, prog, dc);
}

} // namespace

Tensor convolution(Graph &graph, const Tensor &in, const Tensor &weights,
                   const ConvParams &params, bool transposeAndFlip,
                   Sequence &prog, const DebugContext &dc,
                   const OptionFlags &options, PlanningCache *cache) {
  return convolve(graph, in,
                  transposeAndFlip ? transposedAndFlipped(weights) : weights,
                  Tensor(), params, prog, dc, options, cache);
}

Tensor convolutionWithBias(Graph &graph, const Tensor &in,
                           const Tensor &weights, const Tensor &biases,
                           const ConvParams &params, Sequence &prog,
                           const DebugContext &dc, const OptionFlags &options,
                           PlanningCache *cache) {
  if (biases.rank() != 1 || biases.dim(0) != params.getNumOutputChans() ||
      biases.elementType() != params.outputType)
    throw poplibs_error("poplin::convolutionWithBias: biases of shape " +
                        biases.shapeToString() + " and type " +
                        biases.elementType().toString() + " for the " +
                        text(params));
  return convolve(graph, in, weights, biases, params, prog, dc, options, cache);
}

void convolutionWithOutput(Graph &graph, const Tensor &in,
                           const Tensor &weights, const Tensor &out,
                           const ConvParams &params, bool transposeAndFlip,
                           Sequence &prog, const DebugContext &dc,
                           const OptionFlags &options, PlanningCache *cache) {
  const Tensor result = convolution(graph, in, weights, params,
                                    transposeAndFlip, prog, dc, options, cache);
  if (result.shape() != out.shape())
    throw poplibs_error("poplin::convolution: the output has shape " +
                        out.shapeToString() + ", the result " +
                        result.shapeToString());
  prog.add(Copy(result, out, false, dc));
}

Tensor createInput(Graph &graph, const ConvParams &params,
                   const DebugContext &dc, const OptionFlags &options,
                   PlanningCache *) {
  parseConvOptions(options);
  params.validate();
  std::vector<std::size_t> shape{params.batchSize, params.getNumInputChans()};
  shape.insert(shape.end(), params.inputFieldShape.begin(),
               params.inputFieldShape.end());
  return graph.addVariable(params.inputType, shape,
                           VariableMappingMethod::LINEAR, dc);
}

namespace {

/// The channels in a part of their groups, of which the last may not be full.
std::size_t channelsOf(const Partition &groups, std::size_t part,
                       std::size_t width, std::size_t channels) {
  return std::min(groups.end(part) * width, channels) -
         groups.begin(part) * width;
}

} // namespace

namespace {

/// [groups, outChannels, inChannels] and the kernel's extents.
std::vector<std::size_t> weightsShape(const ConvParams &params) {
  std::vector<std::size_t> shape{params.numConvGroups,
                                 params.outputChannelsPerConvGroup,
                                 params.inputChannelsPerConvGroup};
  shape.insert(shape.end(), params.kernelShape.begin(),
               params.kernelShape.end());
  return shape;
}

/// Those of a serial split lie as each part of it uses them.
Tensor plannedWeights(Graph &graph, const ConvPlan &plan,
                      const ConvParams &params, const DebugContext &dc) {
  if (plan.serial.parts != 1) {
    ConvPlan ofPart = plan;
    ofPart.serial = {};
    const bool shared = plan.serial.dim == SerialSplit::Batch;
    std::vector<Tensor> parts;
    for (std::size_t i = 0; i != (shared ? 1 : plan.serial.parts); ++i)
      parts.push_back(
          plannedWeights(graph, ofPart, partOf(params, plan.serial), dc));
    return concat(parts, plan.serial.dim == SerialSplit::OutChannels ? 1 : 0);
  }
  const ConvShape shape = convShape(params);
  const std::vector<std::size_t> whole = weightsShape(params);
  const auto linear = [&] {
    return graph.addVariable(params.inputType, whole,
                             VariableMappingMethod::LINEAR, dc);
  };
  std::size_t kernel = 1;
  for (std::size_t extent : params.kernelShape)
    kernel *= extent;
  if (plan.groupsTogether != 1)
    return linear();
  if (plan.method != ConvMethod::Direct &&
      kernel == shape.y.kernel * shape.x.kernel) {
    const Tensor weights =
        plan.method == ConvMethod::Channelwise
            ? createChannelwiseWeights(graph, shape, plan, params.inputType, dc)
            : createMatrixWeights(graph, shape, plan, params.inputType, dc);
    if (weights.valid())
      return weights.reshape(whole);
  }
  if (plan.fold != KernelFold::None || plan.method == ConvMethod::Channelwise ||
      plan.inSteps != 1)
    return linear();
  const Tensor variable = graph.addVariable(
      params.inputType,
      {shape.groups * shape.outChannels * shape.inChannels * kernel}, dc);
  std::size_t at = 0;
  std::vector<Tensor> groups;
  for (std::size_t g = 0; g != plan.groups; ++g) {
    std::vector<Tensor> outParts;
    for (std::size_t o = 0; o != plan.outChannels.parts; ++o) {
      std::vector<Tensor> inParts;
      for (std::size_t i = 0; i != plan.inChannels.parts; ++i) {
        const std::size_t out =
            channelsOf(plan.outChannels, o, plan.width.out, shape.outChannels);
        const std::size_t in =
            channelsOf(plan.inChannels, i, plan.width.in, shape.inChannels);
        const Tensor block = variable.slice(at, at + out * in * kernel);
        graph.setTileMapping(block, plan.firstTile(g, o, i));
        inParts.push_back(block.reshape({out, in, kernel}));
        at += out * in * kernel;
      }
      outParts.push_back(concat(inParts, 1));
    }
    groups.push_back(concat(outParts, 0));
  }
  return concat(groups, 0).reshape(whole);
}

} // namespace

/// The weights of each block lie on a tile that uses them, contiguous in
/// memory.
Tensor createWeights(Graph &graph, const ConvParams &params,
                     const DebugContext &dc, const OptionFlags &options,
                     PlanningCache *cache) {
  const Options parsed = parseConvOptions(options, params.outputType);
  params.validate();
  if (const std::optional<ConvPhases> phases = ConvPhases::of(params)) {
    const Tensor weights = phases->wholeWeights(
        createWeights(graph, phases->params(), dc, options, cache));
    return weights.valid()
               ? weights
               : graph.addVariable(params.inputType, weightsShape(params),
                                   VariableMappingMethod::LINEAR, dc);
  }
  const bool wholeKernel =
      params.getNumFieldDims() == 0 ||
      params.getTruncatedKernelSize(0) == params.kernelShape[0];
  if (params.getNumFieldDims() > MaxFieldDims && wholeKernel)
    return unfoldWeights(
        createWeights(graph, foldParams(params), dc, options, cache), params);
  if (params.getNumFieldDims() > MaxFieldDims || isEmpty(convShape(params)))
    return graph.addVariable(params.inputType, weightsShape(params),
                             VariableMappingMethod::LINEAR, dc);
  return plannedWeights(
      graph,
      getConvPlan(graph, convShape(params), params.inputType, parsed, cache),
      params, dc);
}

Tensor createBiases(Graph &graph, const Tensor &activations,
                    const DebugContext &dc) {
  if (activations.rank() < 2)
    throw poplibs_error("poplin::createBiases: activations of shape " +
                        activations.shapeToString() + " have no channels");
  return graph.addVariable(activations.elementType(), {activations.dim(1)},
                           VariableMappingMethod::LINEAR, dc);
}

Tensor createBiases(Graph &graph, const Tensor &activations, const ConvParams &,
                    const DebugContext &dc, const OptionFlags &options,
                    PlanningCache *) {
  parseConvOptions(options);
  return createBiases(graph, activations, dc);
}

Tensor createConvOutput(Graph &graph, const ConvParams &params,
                        const DebugContext &dc, const OptionFlags &options,
                        PlanningCache *) {
  parseConvOptions(options);
  params.validate();
  std::vector<std::size_t> shape{params.batchSize, params.getNumOutputChans()};
  for (std::size_t extent : params.getOutputFieldShape())
    shape.push_back(extent);
  return graph.addVariable(params.outputType, shape,
                           VariableMappingMethod::LINEAR, dc);
}

void addBias(Graph &graph, const Tensor &activations, const Tensor &biases,
             Sequence &prog, const DebugContext &dc) {
  if (activations.rank() < 2 || biases.rank() != 1 ||
      biases.dim(0) != activations.dim(1))
    throw poplibs_error("poplin::addBias: biases of shape " +
                        biases.shapeToString() + " for activations of shape " +
                        activations.shapeToString());
  popops::addInPlace(graph, activations, alongChannels(biases, activations),
                     prog, {dc, "addBias"});
}

void weightsTransposeChansFlipXY(Graph &, const Tensor &weightsIn,
                                 const Tensor &weightsOut, Sequence &prog,
                                 const DebugContext &dc,
                                 const OptionFlags &options) {
  convolutionValidateOptions(options);
  const Tensor view = transposedAndFlipped(weightsIn);
  if (view.shape() != weightsOut.shape())
    throw poplibs_error("poplin::weightsTransposeChansFlipXY: shapes " +
                        weightsIn.shapeToString() + " and " +
                        weightsOut.shapeToString() + " do not go together");
  prog.add(Copy(view, weightsOut, false, dc));
}

} // namespace poplin
