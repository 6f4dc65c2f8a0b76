// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands are rearranged as a whole, once, and blocks are views of the result.
// The cost of a view is then proportional to its rows, not to its elements.

#include "lib/PopLibs/poplin/convolution/MatrixConv.h"

#include "lib/PopLibs/poplin/convolution/DiagonalGroups.h"
#include "lib/PopLibs/poplin/operands/BlockedResult.h"
#include "lib/PopLibs/poplin/operands/GroupedOperands.h"
#include "lib/PopLibs/poplin/operands/LocalOperands.h"
#include "lib/PopLibs/poplin/planning/CombinedGroups.h"
#include "lib/PopLibs/poplin/planning/ConvSegments.h"
#include "lib/PopLibs/poplin/planning/MatrixForm.h"

#include <popops/Pad.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/VertexTemplates.hpp>

using namespace poplar;
using namespace poplar::program;

namespace poplin {
namespace {

/// Maps a block of weights, which are in the order of passes, to the first tile
/// that uses it. If tiles process weights in steps, the block is spread over
/// all tiles that use it: otherwise each step's part would fill a tile, and
/// that tile alone would send it.
void mapBlock(Graph &graph, const ConvPlan &plan, const Tensor &block,
              std::size_t group, std::size_t outPart, std::size_t inPart) {
  if (plan.inSteps == 1) {
    graph.setTileMapping(block, plan.firstTile(group, outPart, inPart));
    return;
  }
  std::vector<unsigned> tiles;
  plan.forEachBlock([&](const ConvBlock &user) {
    if (user.group == group && user.out == outPart)
      tiles.push_back(plan.tile(user, inPart));
  });
  const std::size_t pass = plan.pass.in * plan.pass.out;
  const Tensor flat = block.flatten();
  const Partition parts{flat.numElements() / pass, tiles.size()};
  for (std::size_t i = 0; i != parts.parts; ++i)
    if (parts.size(i) != 0)
      graph.setTileMapping(
          flat.slice(parts.begin(i) * pass, parts.end(i) * pass), tiles[i]);
}

/// Creates a variable for weights with full groups of channels, [groups,
/// outChannels, inChannels, rows, columns]. Its blocks are mapped by mapBlock,
/// in the order of passes.
Tensor matrixWeights(Graph &graph, const ConvShape &shape, const ConvPlan &plan,
                     const Type &type, const DebugContext &dc) {
  const std::size_t outChannels = plan.outChannels.extent * plan.width.out;
  const std::size_t inChannels = plan.inChannels.extent * plan.width.in;
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
        const std::size_t out = plan.outBlocks(plan.outChannels.size(o));
        const std::size_t outs = out * plan.pass.out;
        for (std::size_t step = 0; step != plan.inSteps; ++step) {
          const std::size_t in = plan.inBlocks(plan.inStep(i, step).size());
          const std::size_t ins = in * plan.pass.in;
          const std::size_t end = at + outs * ins * taps.size();
          const Tensor block = variable.slice(at, end);
          mapBlock(graph, plan, block, g, o, i);
          inParts.push_back(
              block.reshape({taps.size(), out, in, plan.pass.out, plan.pass.in})
                  .dimShuffle({1, 3, 2, 4, 0})
                  .reshape({outs, ins, taps.size()}));
          at = end;
        }
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

/// Returns true if only the last part of the weights has padding channels. The
/// others are then used where createMatrixWeights places them.
bool fillsAllButLastPart(const ConvShape &padded, const ConvPlan &plan) {
  return plan.inChannels.extent * plan.width.in == padded.inChannels &&
         (plan.outChannels.extent * plan.width.out == padded.outChannels ||
          plan.outChannels.parts > 1);
}

class MatrixConvBuilder {
public:
  MatrixConvBuilder(Graph &graph, const MatrixForm &form, const ConvPlan &plan,
                    const Type &outType, const DebugContext &dc)
      : graph(graph), unpadded(form.unpadded), shape(form.padded), plan(plan),
        taps(tapOrder(shape.y, shape.x)), debugContext(dc, "Conv"),
        sums(plan.halfSums ? HALF : FLOAT),
        result(graph, outType, sums,
               plan.halfSums ? GroupedHalfGrains : GroupedGrains, debugContext),
        operands(graph, debugContext) {}

  Tensor build(const Tensor &in, const Tensor &weightsIn, const Tensor &biasIn,
               Sequence &prog) {
    input = groupedInput(graph, in, unpadded, shape, plan, prog, debugContext);
    weights = groupedWeights(weightsIn, prog);
    zeros = zerosOnTiles(
        graph, sums, plan.outChannels.largest() * plan.width.out, debugContext);
    if (biasIn.valid())
      bias = initialValues(graph, biasIn, sums, plan.groups, outChannels(),
                           prog, debugContext);
    for (std::size_t i = 0; i != plan.positions.parts; ++i)
      runs.emplace_back(shape, plan.positions.begin(i), plan.positions.end(i));
    plan.forEachBlock([&](const ConvBlock &block) { addBlock(block); });
    result.allocate();
    for (std::size_t step = 0; step != plan.inSteps; ++step) {
      const ComputeSet cs = graph.addComputeSet({debugContext, "Convolve"});
      plan.forEachBlock([&](const ConvBlock &block) {
        for (std::size_t i = 0; i != plan.inChannels.parts; ++i)
          addVertex(cs, block, i, step);
      });
      operands.addCopies(prog);
      prog.add(Execute(cs, debugContext));
    }
    result.addReduction(prog);
    return assemble();
  }

private:
  Graph &graph;
  const ConvShape &unpadded, &shape;
  const ConvPlan &plan;
  const Taps taps;
  const DebugContext debugContext;
  const Type sums;
  BlockedResult result;
  LocalOperands operands;
  Tensor input;   // [batch][groups][in groups][rows][columns][channels]
  Tensor weights; // [groups][taps][out blocks][in blocks][outs][ins of one]
  Tensor zeros;   // on every tile
  Tensor bias;    // [groups][out channels], or not valid
  std::vector<ConvRun> runs; // by the part of the positions
  std::map<RunShape, ConvSegments> segments;

  std::size_t inChannels() const {
    return plan.inChannels.extent * plan.width.in;
  }
  std::size_t outChannels() const {
    return plan.outChannels.extent * plan.width.out;
  }

  /// [groups, outChannels, inChannels, taps] with the taps in the order of
  /// passes.
  Tensor tapsInOrder(const Tensor &t) const {
    const Tensor flat = t.flatten(3, 5);
    std::vector<Tensor> inOrderOfPasses;
    for (const auto &[y, x] : taps) {
      const std::size_t tap = y * shape.x.kernel + x;
      inOrderOfPasses.push_back(flat.slice(tap, tap + 1, 3));
    }
    return concat(inOrderOfPasses, 3);
  }

  /// Returns the weights in the order of passes, with zeros for missing
  /// channels. Weights in another order are rearranged. Blocks without missing
  /// channels are used in place.
  Tensor groupedWeights(const Tensor &in, Sequence &prog) {
    const std::size_t ins = plan.pass.in, outs = plan.pass.out;
    const std::size_t inBlocks = inChannels() / ins;
    const std::size_t outBlocks = outChannels() / outs;
    const Tensor t = tapsInOrder(in);
    if (fillsAllButLastPart(shape, plan) && isGrouped(wholeBlocks(t), ins))
      return wholeBlocks(withMissingChannels(t));
    const Tensor grouped = graph.addVariable(
        t.elementType(),
        {plan.groups, taps.size(), outBlocks, inBlocks, outs, ins},
        {debugContext, "Weights"});
    mapWeights(grouped);
    if (plan.constantWeights) {
      // Constant operands only, so that the copy is made once.
      prog.add(Copy(inBlocksOfPasses(withMissingChannels(t)), grouped, false,
                    {debugContext, "Regroup"}));
      return grouped;
    }
    copyAndPad(
        graph, t,
        grouped.dimShuffle({0, 2, 4, 3, 5, 1}).flatten(3, 5).flatten(1, 3),
        grouped, {{1, 0, 0, shape.outChannels}, {2, 0, 0, shape.inChannels}},
        {0, 3, 1, 2}, plan.spareMemory, prog, debugContext);
    return grouped;
  }

  /// [groups, outChannels, inChannels, taps] as [groups][taps][out blocks][in
  /// blocks][outs][ins].
  Tensor inBlocksOfPasses(const Tensor &t) const {
    const std::size_t outs = plan.pass.out, ins = plan.pass.in;
    return t.reshapePartial(1, 3, {t.dim(1) / outs, outs, t.dim(2) / ins, ins})
        .dimShuffle({0, 5, 1, 3, 2, 4});
  }

  /// The same of the blocks whose output channels all exist.
  Tensor wholeBlocks(const Tensor &t) const {
    const std::size_t outs = plan.pass.out;
    return inOrder(inBlocksOfPasses(t.slice(0, t.dim(1) / outs * outs, 1)));
  }

  /// With constant zeros beside the last channels.
  Tensor withMissingChannels(const Tensor &t) const {
    return popops::pad(graph, t, {0, 0, 0, 0},
                       {0, missing(outChannels(), shape.outChannels),
                        missing(inChannels(), shape.inChannels), 0},
                       0.0f, popops::padding::MappingMethod::EDGE);
  }

  static std::ptrdiff_t missing(std::size_t channels, std::size_t present) {
    return static_cast<std::ptrdiff_t>(channels - present);
  }

  /// Each block to the tile that uses it first.
  void mapWeights(const Tensor &grouped) {
    const Partition &out = plan.outChannels, &in = plan.inChannels;
    for (std::size_t g = 0; g != plan.groups; ++g)
      for (std::size_t o = 0; o != out.parts; ++o)
        for (std::size_t i = 0; i != in.parts; ++i)
          for (std::size_t step = 0; step != plan.inSteps; ++step)
            mapBlock(graph, plan, blockOfWeights(grouped[g], o, i, step), g, o,
                     i);
  }

  /// Block of a group's weights.
  Tensor blockOfWeights(const Tensor &group, std::size_t outPart,
                        std::size_t inPart, std::size_t step) const {
    const Partition &out = plan.outChannels;
    const PartRange in = plan.inStep(inPart, step);
    return group
        .slice(plan.outBlocks(out.begin(outPart)),
               plan.outBlocks(out.end(outPart)), 1)
        .slice(plan.inBlocks(in.begin), plan.inBlocks(in.end), 2);
  }

  void addBlock(const ConvBlock &block) {
    result.addBlock(plan.outChannels.size(block.out) * plan.width.out *
                        plan.positions.size(block.positions),
                    plan.tilesOf(block));
  }

  const ConvSegments &segmentsOf(const RunShape &run) {
    const auto found = segments.find(run);
    return found != segments.end()
               ? found->second
               : segments
                     .emplace(run, ConvSegments(run, taps, placesOf(plan),
                                                passCosts(plan.pass)))
                     .first->second;
  }

  Tensor inputOf(const ConvBlock &block, const PartRange &inGroups) const {
    const ConvRun &run = runs[block.positions];
    std::vector<Tensor> images;
    for (const ImageRows &part : run.images)
      images.push_back(input[part.image][block.group]
                           .slice(inGroups.begin, inGroups.end, 0)
                           .slice(part.rows.begin, part.rows.end, 1)
                           .slice(run.columns.begin, run.columns.end, 2));
    return concat(images, 1).flatten();
  }

  Tensor weightsOf(const ConvBlock &block, std::size_t inPart, std::size_t step,
                   unsigned tile) {
    const std::size_t part =
        (block.group * plan.outChannels.parts + block.out) *
            plan.inChannels.parts +
        inPart;
    return operands.get(
        blockOfWeights(weights[block.group], block.out, inPart, step),
        part * plan.inSteps + step, tile, 1);
  }

  /// Bias for one part of the sums, zeros for the others.
  Tensor initialOf(const ConvBlock &block, std::size_t inPart,
                   unsigned tile) const {
    const std::size_t width = plan.width.out;
    return bias.valid() && inPart == 0
               ? bias[block.group].slice(
                     plan.outChannels.begin(block.out) * width,
                     plan.outChannels.end(block.out) * width)
               : zeros[tile].slice(0, plan.outChannels.size(block.out) * width);
  }

  void addVertex(ComputeSet cs, const ConvBlock &block, std::size_t inPart,
                 std::size_t step) {
    const unsigned tile = plan.tile(block, inPart);
    const RunShape &run = runs[block.positions].shape;
    const ConvSegments &work = segmentsOf(run);
    const Type &type = input.elementType();
    const std::size_t results = run.count; // of an output channel
    const PartRange inGroups = plan.inStep(inPart, step);
    const std::size_t ins = plan.inBlocks(inGroups.size());
    const std::size_t outs = plan.outBlocks(plan.outChannels.size(block.out));
    const bool first = step == 0;
    const VertexRef v = graph.addVertex(
        cs, poputil::templateVertex(first ? "poplin::ConvMatrix"
                                          : "poplin::ConvMatrixAdd",
                                    type, sums, plan.pass.out));
    graph.setTileMapping(v, tile);
    graph.connect(v["in"], inputOf(block, inGroups));
    graph.connect(v["weights"], weightsOf(block, inPart, step, tile));
    graph.connect(v["out"], result.partial(block.index, inPart));
    if (first)
      graph.connect(v["init"], initialOf(block, inPart, tile));
    graph.setInitialValue(v["segments"], work.segments);
    graph.setInitialValue(v["inBlocks"], ins);
    graph.setInitialValue(v["blocks"], outs);
    graph.setInitialValue(v["taps"], taps.size());
    setSteps(v, "inStep", plan.inBlocks(1),
             plan.pass.in * graph.getTarget().getTypeSize(type), run.inputs());
    setSteps(v, "blockStep", plan.outBlocks(1), plan.pass.out * sumBytes(),
             results);
    graph.setInitialValue(v["stepsOfFirst"], steps(true));
    graph.setInitialValue(v["stepsOfOthers"], steps(false));
    for (const char *field : {"passIn", "passOut", "passPartials", "passSteps",
                              "passStepsOfPartials", "passSegments"})
      graph.setInitialValue(v[field], 0u);
    graph.setPerfEstimate(v, static_cast<std::uint64_t>(work.cycles(outs, ins)),
                          2 * results * outs * plan.pass.out * ins *
                              plan.pass.in * taps.size());
  }

  /// Sets the fields NAME + "Even" and "Odd", steps in bytes between blocks of
  /// channels, of which one or two are in a group that has so many positions.
  void setSteps(const VertexRef &v, const std::string &name,
                std::size_t blocksOfGroup, std::size_t blockBytes,
                std::size_t positions) const {
    const std::size_t group = positions * blocksOfGroup * blockBytes;
    const bool one = blocksOfGroup == 1;
    graph.setInitialValue(v[name + "Even"], one ? group : blockBytes);
    graph.setInitialValue(v[name + "Odd"], one ? group : group - blockBytes);
  }

  std::size_t sumBytes() const { return graph.getTarget().getTypeSize(sums); }

  /// From the last 8 bytes of a position's block, of the input or of sums, to
  /// the first of the next one, in 8 bytes.
  unsigned steps(bool first) const {
    const auto field = [](std::ptrdiff_t step) {
      return static_cast<unsigned>(step) & 0x3ff;
    };
    const std::ptrdiff_t in = 4 * plan.inBlocks(shape.x.stride) - 3;
    const std::size_t perStep = 8 / sumBytes();
    const std::ptrdiff_t last = plan.pass.out / perStep - 1;
    const std::ptrdiff_t out = plan.width.out / perStep - last;
    return field(in) | field(first ? -last : out) << 10 | field(out) << 20;
  }

  /// The blocks' memory, of each [channel groups][positions][width], put
  /// together and seen with channels outside.
  Tensor assemble() const {
    std::vector<Tensor> groups, parts, positions;
    plan.forEachBlock([&](const ConvBlock &block) {
      positions.push_back(
          result.result(block.index)
              .reshape({plan.outChannels.size(block.out),
                        plan.positions.size(block.positions), plan.width.out}));
      if (block.positions + 1 != plan.positions.parts)
        return;
      parts.push_back(concat(positions, 1));
      positions.clear();
      if (block.out + 1 != plan.outChannels.parts)
        return;
      groups.push_back(concat(parts, 0).expand({0}));
      parts.clear();
    });
    return concat(groups, 0)
        .reshapePartial(2, 3, {shape.batch, shape.y.output, shape.x.output})
        .dimShuffle({2, 0, 1, 5, 3, 4})
        .flatten(2, 4)
        .slice(0, unpadded.outChannels, 2)
        .reshape({shape.batch, plan.groups * unpadded.outChannels,
                  shape.y.output, shape.x.output});
  }
};

} // namespace

Tensor matrixConvolution(Graph &graph, const ConvShape &shape,
                         const ConvPlan &plan, const Tensor &in,
                         const Tensor &weights, const Tensor &bias,
                         const Type &outType, Sequence &prog,
                         const DebugContext &dc) {
  if (plan.groupsTogether != 1) {
    const ConvShape combined = combinedShape(shape, plan.groupsTogether);
    ConvPlan ofCombined = plan;
    ofCombined.groupsTogether = 1;
    return matrixConvolution(
        graph, combined, ofCombined, combinedInput(in, plan.groupsTogether),
        diagonalWeights(graph, combined, plan, weights, prog, dc), bias,
        outType, prog, dc);
  }
  const MatrixForm form(shape, plan.fold);
  return form.originalResult(MatrixConvBuilder(graph, form, plan, outType, dc)
                                 .build(form.input(graph, in, prog, dc),
                                        form.weights(weights), bias, prog));
}

Tensor createMatrixWeights(Graph &graph, const ConvShape &shape,
                           const ConvPlan &plan, const Type &type,
                           const DebugContext &dc) {
  const MatrixForm form(shape, plan.fold);
  if (!fillsAllButLastPart(form.padded, plan))
    return Tensor();
  return form.originalWeights(matrixWeights(graph, form.padded, plan, type, dc)
                                  .slice(0, form.padded.outChannels, 1));
}

} // namespace poplin
