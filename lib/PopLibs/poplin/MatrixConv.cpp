// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands are brought into the order of memory as a whole, once, and blocks
// are cut from that: views of blocks cost in proportion to their rows then, not
// to their elements.

#include "lib/PopLibs/poplin/MatrixConv.h"

#include "lib/PopLibs/poplin/BlockedResult.h"
#include "lib/PopLibs/poplin/ConvSegments.h"
#include "lib/PopLibs/poplin/LocalOperands.h"

#include <popops/Zero.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/VertexTemplates.hpp>

using namespace poplar;
using namespace poplar::program;

namespace poplin {
namespace {

/// Part of a dimension of a tensor that holds another one; the rest is padding.
struct Inside {
  unsigned dim;
  std::size_t begin, size;
};

/// The part of \p padded that holds the tensor.
Tensor inside(Tensor padded, const std::vector<Inside> &parts) {
  for (const Inside &part : parts)
    padded = padded.slice(part.begin, part.begin + part.size, part.dim);
  return padded;
}

/// Copies \p t to its part of \p padded and clears the rest. Zeros are made
/// where they are needed, as copies of constants would all come from one tile.
void copyAndPad(Graph &graph, const Tensor &t, Tensor padded,
                const std::vector<Inside> &parts, Sequence &prog,
                const DebugContext &dc) {
  prog.add(Copy(t, inside(padded, parts), false, {dc, "Regroup"}));
  std::vector<Tensor> padding;
  for (const Inside &part : parts) {
    const std::size_t end = part.begin + part.size;
    padding.push_back(padded.slice(0, part.begin, part.dim).flatten());
    padding.push_back(
        padded.slice(end, padded.dim(part.dim), part.dim).flatten());
    padded = padded.slice(part.begin, end, part.dim);
  }
  const Tensor all = concat(padding);
  if (all.numElements() != 0)
    popops::zero(graph, all, prog, {dc, "Padding"});
}

/// Where the elements of a dimension lie when it is padded.
Inside insideOf(unsigned dim, const ConvDim &before, const ConvDim &after) {
  return {dim, static_cast<std::size_t>(after.origin - before.origin),
          before.input};
}

/// A tensor whose view is in the order of its elements, so that slices of it
/// are simple.
Tensor inOrder(const Tensor &t) { return t.flatten().reshape(t.shape()); }

/// Whether groups of \p width elements are contiguous in memory.
bool isGrouped(const Tensor &t, std::size_t width) {
  return t.flatten().getContiguousRegions().size() * width <= t.numElements();
}

/// The number of blocks of 8 output channels in groups of \p width.
std::size_t passesOf(std::size_t width) { return width / ChannelsPerPass; }

/// A variable for weights with full groups of channels, [groups, outChannels,
/// inChannels, rows, columns], whose blocks lie where the plan uses them first,
/// in the order of passes.
Tensor matrixWeights(Graph &graph, const ConvShape &shape, const ConvPlan &plan,
                     const Type &type, const DebugContext &dc) {
  const std::size_t width = plan.width.in;
  const std::size_t outChannels = plan.outChannels.extent * plan.width.out;
  const std::size_t inChannels = plan.inChannels.extent * width;
  const Taps taps = tapOrder(shape.y, shape.x);
  const Tensor variable = graph.addVariable(
      type, {shape.groups * outChannels * inChannels * taps.size()}, dc);
  std::size_t at = 0;
  std::vector<Tensor> groups;
  for (std::size_t g = 0; g != plan.groups; ++g) {
    std::vector<Tensor> outParts;
    for (std::size_t o = 0; o != plan.outChannels.parts; ++o) {
      std::vector<Tensor> inParts;
      for (std::size_t i = 0; i != plan.inChannels.parts; ++i) {
        const std::size_t out = plan.outChannels.size(o) * plan.width.out;
        const std::size_t in = plan.inChannels.size(i);
        const std::size_t end = at + out * in * width * taps.size();
        const Tensor block = variable.slice(at, end);
        graph.setTileMapping(block, plan.tile(0, g, o, 0, i));
        inParts.push_back(block
                              .reshape({taps.size(), out / ChannelsPerPass, in,
                                        ChannelsPerPass, width})
                              .dimShuffle({1, 3, 2, 4, 0})
                              .reshape({out, in * width, taps.size()}));
        at = end;
      }
      outParts.push_back(concat(inParts, 1));
    }
    groups.push_back(concat(outParts, 0).expand({0}));
  }
  // From the order of passes to that of the kernel.
  const Tensor inPassOrder = concat(groups, 0);
  std::vector<Tensor> kernel(taps.size());
  for (std::size_t pass = 0; pass != taps.size(); ++pass)
    kernel[taps[pass].first * shape.x.kernel + taps[pass].second] =
        inPassOrder.slice(pass, pass + 1, 3);
  return concat(kernel, 3).reshape(
      {shape.groups, outChannels, inChannels, shape.y.kernel, shape.x.kernel});
}

class MatrixConvBuilder {
public:
  MatrixConvBuilder(Graph &graph, const ConvShape &unpadded,
                    const ConvPlan &plan, const Type &outType,
                    const DebugContext &dc)
      : graph(graph), unpadded(unpadded), shape(shapeForMatrix(unpadded)),
        plan(plan), taps(tapOrder(shape.y, shape.x)), debugContext(dc, "Conv"),
        result(graph, outType, plan.width.out, debugContext),
        operands(graph, debugContext) {}

  Tensor build(const Tensor &in, const Tensor &weightsIn, Sequence &prog) {
    input = groupedInput(in, prog);
    weights = groupedWeights(weightsIn, prog);
    initial = initialValues();
    forEachBlock([&](const Block &block) { addBlock(block); });
    result.allocate();
    const ComputeSet cs = graph.addComputeSet({debugContext, "Convolve"});
    forEachBlock([&](const Block &block) {
      for (std::size_t i = 0; i != plan.inChannels.parts; ++i)
        addVertex(cs, block, i);
    });
    operands.addCopies(prog);
    prog.add(Execute(cs, debugContext));
    result.addReduction(prog);
    return assemble();
  }

private:
  struct Block {
    std::size_t index, batch, group, out, row;
  };

  Graph &graph;
  const ConvShape &unpadded;
  const ConvShape shape;
  const ConvPlan &plan;
  const Taps taps;
  const DebugContext debugContext;
  BlockedResult result;
  LocalOperands operands;
  Tensor input;   // [batch][groups][in groups][rows][columns][channels]
  Tensor weights; // [groups][taps][out blocks][in groups][8][channels]
  Tensor initial; // zeros on every tile
  std::map<std::size_t, ConvSegments> segments; // by part of the rows

  std::size_t inGroups() const { return plan.inChannels.extent; }
  std::size_t outChannels() const {
    return plan.outChannels.extent * plan.width.out;
  }

  template <class F> void forEachBlock(F visit) const {
    std::size_t index = 0;
    for (std::size_t b = 0; b != plan.batch; ++b)
      for (std::size_t g = 0; g != plan.groups; ++g)
        for (std::size_t o = 0; o != plan.outChannels.parts; ++o)
          for (std::size_t r = 0; r != plan.rows.parts; ++r)
            visit({index++, b, g, o, r});
  }

  /// The input in groups. One that does not lie so in memory, or needs zeros,
  /// is rearranged once, spread over all tiles, rather than on every tile that
  /// uses it.
  Tensor groupedInput(const Tensor &in, Sequence &prog) {
    const std::size_t width = plan.width.in;
    const bool padded = inGroups() * width != shape.inChannels ||
                        shape.y.input != unpadded.y.input ||
                        shape.x.input != unpadded.x.input;
    if (!padded) {
      const Tensor t = inOrder(in.reshapePartial(2, 3, {inGroups(), width})
                                   .dimShuffle({0, 1, 2, 4, 5, 3}));
      if (isGrouped(t, width))
        return t;
    }
    const Tensor grouped =
        graph.addVariable(in.elementType(),
                          {plan.batch, plan.groups, inGroups(), shape.y.input,
                           shape.x.input, width},
                          {debugContext, "Input"});
    poputil::mapTensorLinearly(graph, grouped, width, width);
    copyAndPad(graph, in, grouped.dimShuffle({0, 1, 2, 5, 3, 4}).flatten(2, 4),
               {{2, 0, shape.inChannels},
                insideOf(3, unpadded.y, shape.y),
                insideOf(4, unpadded.x, shape.x)},
               prog, debugContext);
    return grouped;
  }

  /// The weights in the order of passes, with zeros for channels that do not
  /// exist.
  Tensor groupedWeights(Tensor t, Sequence &prog) {
    const std::size_t width = plan.width.in;
    const std::size_t inChannels = inGroups() * width;
    if (outChannels() != shape.outChannels || inChannels != shape.inChannels) {
      const Tensor padded = matrixWeights(graph, shape, plan, t.elementType(),
                                          {debugContext, "Weights"});
      // Filled in by all tiles.
      poputil::mapTensorLinearly(graph, inOrder(padded), width, width);
      copyAndPad(graph, t, padded,
                 {{1, 0, shape.outChannels}, {2, 0, shape.inChannels}}, prog,
                 debugContext);
      t = padded;
    }
    t = t.reshapePartial(1, 3,
                         {outChannels() / ChannelsPerPass, ChannelsPerPass,
                          inGroups(), width})
            .dimShuffle({0, 5, 6, 1, 3, 2, 4});
    std::vector<Tensor> inOrderOfPasses;
    for (const auto &[y, x] : taps)
      inOrderOfPasses.push_back(
          t.slice(y, y + 1, 1).slice(x, x + 1, 2).squeeze({1}));
    return inOrder(concat(inOrderOfPasses, 1));
  }

  Tensor initialValues() {
    const unsigned tiles = graph.getTarget().getNumTiles();
    const Tensor zeros = graph.addConstant<float>(
        FLOAT, {tiles, plan.outChannels.largest() * plan.width.out}, 0.0f,
        {debugContext, "Zeros"});
    poputil::mapTensorLinearly(graph, zeros, 1, zeros.dim(1));
    return zeros;
  }

  void addBlock(const Block &block) {
    std::vector<unsigned> tiles;
    for (std::size_t i = 0; i != plan.inChannels.parts; ++i)
      tiles.push_back(tileOf(block, i));
    result.addBlock(plan.outChannels.size(block.out) * plan.width.out *
                        plan.rows.size(block.row) * shape.x.output,
                    std::move(tiles));
  }

  unsigned tileOf(const Block &block, std::size_t inPart) const {
    return plan.tile(block.batch, block.group, block.out, block.row, inPart);
  }

  RowRange rowsRead(const Block &block) const {
    return inputRows(shape.y, plan.rows.begin(block.row),
                     plan.rows.end(block.row));
  }

  const ConvSegments &segmentsOf(const Block &block) {
    const auto found = segments.find(block.row);
    if (found != segments.end())
      return found->second;
    const ConvDim rows = blockDim(shape.y, plan.rows.begin(block.row),
                                  plan.rows.end(block.row), rowsRead(block));
    return segments
        .emplace(block.row,
                 ConvSegments(rows, shape.x, taps, passesOf(plan.width.out),
                              bundlesPerPosition(input.elementType())))
        .first->second;
  }

  Tensor inputOf(const Block &block, std::size_t inPart) {
    const RowRange rows = rowsRead(block);
    return input[block.batch][block.group]
        .slice(plan.inChannels.begin(inPart), plan.inChannels.end(inPart), 0)
        .slice(rows.begin, rows.end, 1)
        .flatten();
  }

  Tensor weightsOf(const Block &block, std::size_t inPart, unsigned tile) {
    const std::size_t passes = passesOf(plan.width.out);
    const std::size_t key = (block.group * plan.outChannels.parts + block.out) *
                                plan.inChannels.parts +
                            inPart;
    return operands.get(weights[block.group]
                            .slice(plan.outChannels.begin(block.out) * passes,
                                   plan.outChannels.end(block.out) * passes, 1)
                            .slice(plan.inChannels.begin(inPart),
                                   plan.inChannels.end(inPart), 2),
                        key, tile, 1);
  }

  void addVertex(ComputeSet cs, const Block &block, std::size_t inPart) {
    const unsigned tile = tileOf(block, inPart);
    const ConvSegments &work = segmentsOf(block);
    const Type &type = input.elementType();
    const std::size_t bytes = graph.getTarget().getTypeSize(type);
    const std::size_t rows = plan.rows.size(block.row);
    const std::size_t groups = plan.inChannels.size(inPart);
    const std::size_t passes = passesOf(plan.width.out);
    const std::size_t blocks = plan.outChannels.size(block.out) * passes;
    const VertexRef v = graph.addVertex(
        cs, poputil::templateVertex("poplin::ConvMatrix", type));
    graph.setTileMapping(v, tile);
    graph.connect(v["in"], inputOf(block, inPart));
    graph.connect(v["weights"], weightsOf(block, inPart, tile));
    graph.connect(v["out"], result.partial(block.index, inPart));
    graph.connect(v["init"], initial[tile].slice(0, blocks * ChannelsPerPass));
    graph.setInitialValue(v["starts"], work.starts);
    graph.setInitialValue(v["segments"], work.segments);
    graph.setInitialValue(v["inGroups"], groups);
    graph.setInitialValue(v["blocks"], blocks);
    graph.setInitialValue(v["taps"], taps.size());
    graph.setInitialValue(v["inGroupBytes"], rowsRead(block).size() *
                                                 shape.x.input * plan.width.in *
                                                 bytes);
    // Blocks of a group lie side by side.
    const std::size_t group =
        rows * shape.x.output * plan.width.out * sizeof(float);
    const std::size_t block8 = ChannelsPerPass * sizeof(float);
    graph.setInitialValue(v["blockStepEven"], passes == 1 ? group : block8);
    graph.setInitialValue(v["blockStepOdd"],
                          passes == 1 ? group : group - block8);
    graph.setInitialValue(v["stepsOfFirst"], steps(true));
    graph.setInitialValue(v["stepsOfOthers"], steps(false));
    for (const char *field : {"passIn", "passOut", "passPartials", "passSteps",
                              "passStarts", "passMask"})
      graph.setInitialValue(v[field], 0u);
    graph.setPerfEstimate(
        v, static_cast<std::uint64_t>(work.cycles(blocks, groups)),
        2 * rows * shape.x.output * blocks * ChannelsPerPass * groups *
            plan.width.in * taps.size());
  }

  /// From the last 8 bytes of a position, which has 32 of the input and of
  /// partial sums, to the first of the next one, in 8 bytes.
  unsigned steps(bool first) const {
    const auto field = [](std::ptrdiff_t step) {
      return static_cast<unsigned>(step) & 0x3ff;
    };
    const std::ptrdiff_t out = 4 * passesOf(plan.width.out) - 3;
    return field(4 * shape.x.stride - 3) | field(first ? -3 : out) << 10 |
           field(out) << 20;
  }

  static double bundlesPerPosition(const Type &type) {
    return type == HALF ? 4 : 8;
  }

  /// The blocks' memory put together as [batch, groups, out groups, rows,
  /// columns, channels], and seen with channels outside.
  Tensor assemble() const {
    std::vector<Tensor> images, parts, rows;
    forEachBlock([&](const Block &block) {
      rows.push_back(result.result(block.index)
                         .reshape({plan.outChannels.size(block.out),
                                   plan.rows.size(block.row), shape.x.output,
                                   plan.width.out}));
      if (block.row + 1 != plan.rows.parts)
        return;
      parts.push_back(concat(rows, 1));
      rows.clear();
      if (block.out + 1 != plan.outChannels.parts)
        return;
      images.push_back(concat(parts, 0).expand({0}));
      parts.clear();
    });
    const Tensor grouped = concat(images, 0)
                               .dimShuffle({0, 1, 4, 2, 3})
                               .reshape({plan.batch, plan.groups, outChannels(),
                                         shape.y.output, shape.x.output});
    return grouped.slice(0, unpadded.outChannels, 2)
        .reshape({plan.batch, plan.groups * unpadded.outChannels,
                  shape.y.output, shape.x.output});
  }
};

} // namespace

Tensor matrixConvolution(Graph &graph, const ConvShape &shape,
                         const ConvPlan &plan, const Tensor &in,
                         const Tensor &weights, const Type &outType,
                         Sequence &prog, const DebugContext &dc) {
  return MatrixConvBuilder(graph, shape, plan, outType, dc)
      .build(in, weights, prog);
}

Tensor createMatrixWeights(Graph &graph, const ConvShape &shape,
                           const ConvPlan &plan, const Type &type,
                           const DebugContext &dc) {
  if (plan.outChannels.extent * plan.width.out != shape.outChannels ||
      plan.inChannels.extent * plan.width.in != shape.inChannels)
    return Tensor();
  return matrixWeights(graph, shapeForMatrix(shape), plan, type, dc);
}

} // namespace poplin
