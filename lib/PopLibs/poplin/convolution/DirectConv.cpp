// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plan divides output channels and rows over tiles, and also input channels
// if that pays. Each tile gets its rows of the input and its weights, its
// workers divide rows and channels, and partial sums are reduced across tiles.

#include "lib/PopLibs/poplin/convolution/DirectConv.h"

#include "lib/PopLibs/poplin/operands/BlockedResult.h"
#include "lib/PopLibs/poplin/operands/LocalOperands.h"

#include <poputil/VertexTemplates.hpp>

using namespace poplar;
using namespace poplar::program;

namespace poplin {
namespace {

/// Output channels that a vertex keeps in registers at a time.
constexpr std::size_t ChannelGrain = 2;

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
    const Interval rows = plan.rows.interval(block.row);
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
        const Interval channels = workerChannels.interval(j);
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
                            .slice(plan.inChannels.interval(inPart), 0)

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
                            .slice(plan.outChannels.interval(block.out), 0)
                            .slice(plan.inChannels.interval(inPart), 1),
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

} // namespace

Tensor directConvolution(Graph &graph, const ConvShape &shape,
                         const ConvPlan &plan, const Tensor &in,
                         const Tensor &weights, const Type &outType,
                         Sequence &prog, const DebugContext &dc) {
  return ConvBuilder(graph, shape, plan, in, weights, outType, dc).build(prog);
}

} // namespace poplin
