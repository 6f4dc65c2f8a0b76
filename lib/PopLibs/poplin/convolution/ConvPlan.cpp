// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tries all sensible divisions with each method and takes the cheapest.

#include "lib/PopLibs/poplin/convolution/ConvPlan.h"

#include "lib/PopLibs/poplin/convolution/ConvSegments.h"
#include "lib/PopLibs/poplin/convolution/DiagonalGroups.h"
#include "lib/PopLibs/poplin/convolution/MatrixForm.h"

#include <poputil/TileMapping.hpp>

#include <cmath>
#include <map>
#include <optional>
#include <ranges>
#include <set>

namespace poplin {
namespace {

/// Of the state of a vertex.
constexpr double StateBytes = 80;

/// Results that a vertex of the direct method keeps in registers at a time:
/// channels by columns, of which those at the edges are taken one by one.
constexpr std::size_t ChannelGrain = 2, ColumnGrain = 2;
/// Bundles, as measured: of columns, in which it is found out which taps are
/// inside; of a block; of a row of the kernel in it; of an inner loop, the
/// longer one of those over input channels and over a row of the kernel; of a
/// step of it, all products of a block. Halves are converted one by one.
constexpr double BundlesPerColumns = 48, BundlesPerBlock = 180;
constexpr double BundlesPerKernelRow = 36, BundlesPerInnerLoop = 15;
constexpr double BundlesPerProducts = 5.25, BundlesPerHalfProducts = 7.5;

std::size_t columnBlocks(const ConvDim &x) {
  const std::ptrdiff_t window = (x.kernel - 1) * x.dilation;
  const auto isInside = [&](std::size_t column) {
    return x.firstInput(column) >= 0 &&
           x.firstInput(column) + window < std::ptrdiff_t(x.input);
  };
  std::size_t blocks = 0;
  for (std::size_t column = 0; column < x.output; ++blocks) {
    const bool both = column + ColumnGrain <= x.output && isInside(column) &&
                      isInside(column + 1);
    column += both ? ColumnGrain : 1;
  }
  return blocks;
}

/// \p columnBlocksOfRow as \ref columnBlocks gives it.
double directBundles(const ConvShape &shape, bool isHalf, double inChannels,
                     std::size_t outChannels, std::size_t rows,
                     std::size_t columnBlocksOfRow) {
  const double columns = static_cast<double>(rows * columnBlocksOfRow);
  const double blocks = columns * ceilDiv(outChannels, ChannelGrain);
  const double innerLoops = std::min<double>(inChannels, shape.x.kernel);
  const double steps = inChannels * shape.x.kernel;
  return 90 + columns * BundlesPerColumns +
         blocks * (BundlesPerBlock +
                   shape.y.kernel *
                       (BundlesPerKernelRow + innerLoops * BundlesPerInnerLoop +
                        steps * (isHalf ? BundlesPerHalfProducts
                                        : BundlesPerProducts)));
}

/// Sets the plan's memory, too.
double directCost(ConvPlan &plan, const ConvShape &shape,
                  std::size_t columnBlocksOfRow, const CostModel &cost) {
  const double in = plan.inChannels.largest();
  const double out = plan.outChannels.largest(), rows = plan.rows.largest();
  const double kernel = shape.y.kernel * shape.x.kernel;
  const double columns = shape.x.output;
  const std::size_t perTile = plan.tiles.piecesPerTile();
  const auto workers = plan.workersPerBlock(cost.workers);
  const WorkerGrid grid = divideBetweenWorkers(
      plan.rows.largest(), plan.outChannels.largest(), workers, ChannelGrain);
  const double bundles = directBundles(
      shape, cost.isHalf(), plan.inChannels.largest(),
      ceilDiv(plan.outChannels.largest(), grid.inner),
      ceilDiv(plan.rows.largest(), grid.outer), columnBlocksOfRow);
  const PartRange patch = inputRows(shape.y, 0, plan.rows.largest());
  const double input = in * patch.size() * shape.x.input * cost.elementBytes;
  const double weights = out * in * kernel * cost.elementBytes;
  plan.dataMemory = perTile * (input + weights + out * rows * columns * 4);
  plan.vertexMemory = perTile * workers * StateBytes;
  return cost.step() +
         perTile * (cost.exchange(input) + cost.weights(weights)) +
         ceilDiv(perTile * workers, cost.workers) * cost.compute(bundles) +
         perTile * cost.reduction(out * rows * columns, plan.inChannels.parts) +
         perTile *
             cost.afterwards(out * rows * columns / plan.inChannels.parts) +
         cost.memory(plan.memory());
}

/// Estimates of the matrix unit's method. What depends on the division of
/// positions alone is computed once.
class MatrixCost {
public:
  /// \p rearranges: the input is copied to another order of its elements.
  MatrixCost(const ConvShape &shape, const CostModel &cost, bool rearranges)
      : shape(shape), cost(cost), rearranges(rearranges),
        taps(tapOrder(shape.y, shape.x)), tapPositions(positionsOfTaps(shape)) {
  }

  /// Whether all places and segments can be numbered.
  bool fits(const ConvPlan &plan) {
    const std::optional<Work> &work = workOf(plan);
    return work && work->segments.fit();
  }

  /// Less than the estimate, without knowing the work of workers: parts take as
  /// long as the longest, so no less than the mean.
  double least(const ConvPlan &plan) const {
    return plan.tiles.piecesPerTile() *
           leastCycles(tapPositions / plan.positions.parts, taps.size(),
                       plan.outBlocks(plan.outChannels.largest()) *
                           plan.inBlocks(plan.inChannels.largest()),
                       passCosts(plan.pass));
  }

  /// The same with it: the products alone.
  double products(const ConvPlan &plan) {
    return static_cast<double>(plan.tiles.piecesPerTile()) *
           workOf(plan)->segments.cycles(
               plan.outBlocks(plan.outChannels.largest()),
               plan.inBlocks(plan.inChannels.largest()));
  }

  /// Sets the plan's memory, and its steps: as few as keep to the memory that
  /// there is.
  double operator()(ConvPlan &plan) {
    const Work &work = *workOf(plan);
    const Sizes sizes = sizesOf(plan, work);
    const std::size_t fewest = plan.inChannels.extent / plan.inChannels.parts;
    for (std::size_t steps : candidateParts(fewest, fewest)) {
      plan.inSteps = steps;
      setMemory(plan, sizes, work);
      if (plan.memory() <= cost.bytesAvailable)
        break;
    }
    return cyclesOf(plan, sizes, work) + cost.memory(plan.memory());
  }

private:
  /// Of a tile, and the elements of its part of an input channel, in so many
  /// stretches of memory if all of them lay in order.
  struct Work {
    ConvSegments segments;
    std::size_t inputs, stretches;
  };
  /// Elements of a piece.
  struct Sizes {
    double patch, weights, results;
    /// Whether other tiles use the weights, too.
    bool shared;
    /// Whether sums are added up or converted afterwards.
    bool combines;
  };

  Sizes sizesOf(const ConvPlan &plan, const Work &work) const {
    const double in = plan.inChannels.largest() * plan.width.in;
    const double out = plan.outChannels.largest() * plan.width.out;
    const bool converts = cost.isHalf() && !cost.halfSums;
    return {in * work.inputs, out * in * taps.size(),
            out * plan.positions.largest(), plan.positions.parts > 1,
            converts || plan.inChannels.parts > 1};
  }

  /// Channel groups of a step over those of all steps.
  static double shareOfStep(const ConvPlan &plan) {
    const std::size_t in = plan.inChannels.largest();
    return static_cast<double>(ceilDiv(in, plan.inSteps)) / in;
  }

  /// Buffers for the operands of a step, or later for other tiles' sums; the
  /// sums; operands that are rearranged. Weights that are not shared lie on
  /// their tile, and count for they must lie there in one piece, but for those
  /// of the last channels if some are missing; those that are rearranged do not
  /// lie in the order of the steps.
  void setMemory(ConvPlan &plan, const Sizes &sizes, const Work &work) const {
    const double missing =
        plan.outChannels.extent * plan.width.out - shape.outChannels;
    const bool gathersWeights =
        sizes.shared || missing != 0 || (plan.inSteps != 1 && !fills(plan));
    // Zeros in place of channels that do not exist, beside the last ones.
    const double zeros = fills(plan) ? missing * plan.inChannels.largest() *
                                           plan.width.in * taps.size() *
                                           cost.elementBytes
                                     : 0;
    const double weights = sizes.weights * cost.elementBytes;
    const double share = shareOfStep(plan);
    const double buffers =
        (sizes.patch * cost.elementBytes + (gathersWeights ? weights : 0)) *
        share;
    const double sums = sizes.results * cost.sumBytes();
    const double gathered = plan.inChannels.parts > 1 ? sums : 0;
    const std::size_t perTile = plan.tiles.piecesPerTile();
    plan.dataMemory = rearrangedBytes(plan, sizes) + zeros +
                      perTile * (std::max(buffers, gathered) +
                                 (gathersWeights ? 0 : weights) +
                                 (sizes.combines ? sums : 0));
    plan.vertexMemory =
        static_cast<double>(perTile * plan.inSteps) *
        (work.segments.segments.size() * sizeof(unsigned short) + StateBytes);
  }

  /// As fillsAllButLastPart of MatrixConv.cpp.
  bool fills(const ConvPlan &plan) const {
    return plan.inChannels.extent * plan.width.in == shape.inChannels &&
           (plan.outChannels.extent * plan.width.out == shape.outChannels ||
            plan.outChannels.parts > 1);
  }

  /// The input is spread over all tiles, weights as mapBlock of MatrixConv.cpp
  /// does.
  double rearrangedBytes(const ConvPlan &plan, const Sizes &sizes) const {
    const double inputs = static_cast<double>(shape.batch) * shape.groups *
                          plan.inChannels.extent * plan.width.in *
                          shape.y.input * shape.x.input;
    const double blocks = static_cast<double>(plan.groups) *
                          plan.outChannels.parts * plan.inChannels.parts;
    const double weights =
        fills(plan)         ? 0
        : plan.inSteps == 1 ? sizes.weights * std::ceil(blocks / cost.numTiles)
                            : sizes.weights * blocks / cost.numTiles;
    return (weights + (rearranges ? inputs / cost.numTiles : 0)) *
           cost.elementBytes;
  }

  /// Positions of a channel group of the input that a tile has, evenly divided.
  double inputsOnTile(const ConvPlan &plan) const {
    const double inputs = static_cast<double>(shape.batch) * shape.groups *
                          plan.inChannels.extent * shape.y.input *
                          shape.x.input;
    return std::max(1.0, inputs / cost.numTiles);
  }

  double cyclesOf(const ConvPlan &plan, const Sizes &sizes,
                  const Work &work) const {
    const std::size_t perTile = plan.tiles.piecesPerTile();
    // What lies together in a group moves as one, unless the input has wider
    // groups.
    const bool wholeGroups =
        plan.width.in == channelGroupWidth(shape.inChannels, cost);
    const double pieces =
        plan.inChannels.largest() *
        (wholeGroups ? work.stretches + work.inputs / inputsOnTile(plan)
                     : static_cast<double>(work.inputs));
    const double combine =
        sizes.combines
            ? cost.groupedReduction(sizes.results, plan.inChannels.parts)
            : 0;
    const std::size_t inOfStep =
        ceilDiv(plan.inChannels.largest(), plan.inSteps);
    return plan.inSteps * cost.step() +
           perTile *
               (cost.exchange(sizes.patch * cost.elementBytes) +
                // Weights lie where they are used first.
                (sizes.shared ? cost.weights(sizes.weights * cost.elementBytes)
                              : 0) +
                2 * pieces +
                plan.inSteps * work.segments.cycles(
                                   plan.outBlocks(plan.outChannels.largest()),
                                   plan.inBlocks(inOfStep)) +
                combine +
                cost.afterwards(sizes.results / plan.inChannels.parts));
  }

  const ConvShape &shape;
  const CostModel &cost;
  const bool rearranges;
  const Taps taps;
  const double tapPositions; // those that use a tap, of all taps
  /// By the number of parts of the positions and their grain; none if places
  /// cannot be numbered.
  std::map<std::pair<std::size_t, std::size_t>, std::optional<Work>> known;

  /// Parts that a plan is judged by: some from the middle, where no row is cut
  /// off, and one that has the end of an image.
  std::set<RunShape> runsOf(const PositionParts &positions) const {
    constexpr std::size_t Tried = 4;
    std::set<RunShape> runs;
    const auto add = [&](std::size_t part) {
      const std::size_t begin = positions.begin(part);
      const std::size_t end =
          std::min(begin + positions.largest(), positions.extent);
      runs.insert(ConvRun(shape, begin, end).shape);
    };
    const std::size_t first = (positions.parts - 1) / 2;
    for (std::size_t i = first; i != std::min(positions.parts, first + Tried);
         ++i)
      add(i);
    if (shape.batch != 1)
      add(shape.batch / 2 * positions.parts / shape.batch);
    return runs;
  }

  /// The work of the parts that take longest, and read most.
  const std::optional<Work> &workOf(const ConvPlan &plan) {
    const auto [found, isNew] =
        known.try_emplace({plan.positions.parts, plan.positions.grain});
    std::optional<Work> &work = found->second;
    if (!isNew)
      return work;
    const PlacesPerPosition places = placesOf(plan);
    for (const RunShape &run : runsOf(plan.positions)) {
      if (!segmentsFit(run, places)) {
        work.reset();
        break;
      }
      ConvSegments segments(run, taps, places, passCosts(plan.pass));
      if (!work)
        work = Work{std::move(segments), 0, 0};
      else if (segments.bundles > work->segments.bundles)
        work->segments = std::move(segments);
      work->inputs = std::max(work->inputs, run.inputs());
      work->stretches =
          std::max(work->stretches, run.columns.input == shape.x.input
                                        ? run.rows.size()
                                        : run.inputRows());
    }
    return work;
  }
};

/// Calls visit for all sensible divisions of \p out, \p rows and \p in.
template <class Visit>
void forEachDivision(ConvPlan plan, std::size_t out, std::size_t rows,
                     std::size_t in, Visit visit) {
  const std::size_t limit = std::max<std::size_t>(
      1, plan.tiles.tiles / (plan.images.parts * plan.groups));
  for (std::size_t outParts : candidateParts(out, limit))
    for (std::size_t rowParts :
         candidateParts(rows, std::max<std::size_t>(1, limit / outParts)))
      for (std::size_t inParts : candidateParts(
               in, std::max<std::size_t>(1, limit / (outParts * rowParts)))) {
        plan.outChannels = {out, outParts};
        plan.rows = {rows, rowParts};
        plan.inChannels = {in, inParts};
        plan.tiles.pieces = plan.blocks() * inParts;
        visit(plan);
      }
}

/// Where parts of a few rows may begin: at parts of a row that are not too
/// short, for one or two positions of a row take a worker as long as many.
std::vector<std::size_t> grainsOfRow(std::size_t row) {
  constexpr std::size_t Least = 4;
  std::vector<std::size_t> grains;
  for (std::size_t parts = 2; parts <= row / Least; ++parts)
    if (row % parts == 0)
      grains.push_back(row / parts);
  return grains;
}

/// Divisions of the positions into at most \p limit parts: at rows, or at
/// images, which read least beside what they compute; or at parts of rows, for
/// that divides a few rows more evenly. There may be as many parts as images on
/// however few tiles, so that places in a part can be numbered.
std::vector<PositionParts> positionDivisions(const ConvShape &shape,
                                             std::size_t limit) {
  constexpr std::size_t FewRows = 8;
  const std::size_t extent = positionsOf(shape), row = shape.x.output;
  const std::size_t image = row * shape.y.output;
  const std::size_t most = std::max(limit, shape.batch);
  std::vector<PositionParts> divisions;
  for (std::size_t parts : candidateParts(extent / row, most))
    divisions.push_back({extent, parts, row});
  for (std::size_t grain : grainsOfRow(row))
    for (std::size_t parts : candidateParts(extent / grain, most)) {
      const PositionParts division{extent, parts, grain};
      if (division.largest() <= FewRows * row && division.largest() % row != 0)
        divisions.push_back(division);
    }
  if (shape.batch != 1 && image != row)
    for (std::size_t parts : candidateParts(shape.batch, most))
      divisions.push_back({extent, parts, image});
  return divisions;
}

/// The same of \p out, positions and \p in on the matrix unit. Small parts of
/// the positions come first: what larger ones do takes longer to find out, and
/// more often they need not be looked at then.
template <class Visit>
void forEachMatrixDivision(ConvPlan plan, const ConvShape &shape,
                           std::size_t out, std::size_t in, Visit visit) {
  const std::size_t limit =
      std::max<std::size_t>(1, plan.tiles.tiles / plan.groups);
  for (std::size_t outParts : candidateParts(out, limit))
    for (const PositionParts &positions :
         std::views::reverse(positionDivisions(shape, limit / outParts)))
      for (std::size_t inParts :
           candidateParts(in, std::max<std::size_t>(
                                  1, limit / (outParts * positions.parts)))) {
        plan.outChannels = {out, outParts};
        plan.positions = positions;
        plan.inChannels = {in, inParts};
        plan.tiles.pieces = plan.blocks() * inParts;
        visit(plan);
      }
}

/// Widths of groups of output channels that are worth a try. One that is not
/// the width of a convolution that follows is, if the unit's second set is
/// used, or if there is too little to do for all tiles.
std::vector<std::size_t> outWidths(std::size_t channels,
                                   const CostModel &cost) {
  const std::size_t width = channelGroupWidth(channels, cost);
  if (channels <= 8 && !cost.halfSums)
    return {8};
  if (width == 8 && cost.twoSets)
    return {8, 16};
  if (cost.isHalf() && !cost.halfSums)
    return {16, 8};
  return {width};
}

/// What it costs those who read the results that they do not lie in groups of
/// the width of convolutions: a step more, and what is to be moved if that is
/// more than an element for each tile.
double narrowResultsCost(std::size_t outWidth, const ConvShape &shape,
                         const CostModel &cost) {
  if (!cost.isHalf() || outWidth == 16 || shape.outChannels <= 8)
    return 0;
  const std::size_t results = shape.batch * shape.groups * shape.outChannels *
                              shape.y.output * shape.x.output;
  return results <= cost.numTiles ? cost.step() : regroupCost(results, cost);
}

/// What a pass of the matrix unit multiplies if channels lie in groups of \p
/// width.
ChannelGroups passOf(const ChannelGroups &width, const CostModel &cost) {
  if (cost.isHalf())
    return {16, cost.halfSums ? 16u : 8u};
  return {8, cost.twoSets && width.out == 16 ? 16u : 8u};
}

/// The cost of an input that does not lie in full groups.
double regroupCost(const ConvPlan &plan, const ConvShape &form,
                   const CostModel &cost) {
  return form.inChannels % plan.width.in == 0
             ? 0
             : regroupCost(form.batch * form.groups * form.inChannels *
                               form.y.input * form.x.input,
                           cost);
}

/// Makes \p best the plan if that is cheaper.
void consider(ConvPlan &best, const ConvPlan &plan, double cost) {
  if (best.cost >= 0 && best.cost <= cost)
    return;
  best = plan;
  best.cost = cost;
}

/// Plans whose results lie in groups of \p outWidth channels.
void considerMatrix(ConvPlan &best, ConvPlan plan, std::size_t outWidth,
                    const ConvShape &shape, const CostModel &cost) {
  const MatrixForm form(shape, plan.fold);
  plan.width = {channelGroupWidth(form.padded.inChannels, cost), outWidth};
  plan.pass = passOf(plan.width, cost);
  plan.halfSums = cost.halfSums;
  const double regroup = regroupCost(plan, form.padded, cost) +
                         narrowResultsCost(outWidth, shape, cost);
  const auto considerDivisions = [&] {
    const bool rearranges = plan.fold != KernelFold::None ||
                            form.padded.inChannels % plan.width.in != 0 ||
                            form.padded.y != form.unpadded.y ||
                            form.padded.x != form.unpadded.x;
    MatrixCost matrixCost(form.padded, cost, rearranges);
    forEachMatrixDivision(
        plan, form.padded, ceilDiv(shape.outChannels, plan.width.out),
        ceilDiv(form.padded.inChannels, plan.width.in),
        [&](ConvPlan candidate) {
          const auto isWorse = [&](double cycles) {
            return best.cost >= 0 && best.cost <= regroup + cycles;
          };
          if (!isWorse(matrixCost.least(candidate)) &&
              matrixCost.fits(candidate) &&
              !isWorse(matrixCost.products(candidate)))
            consider(best, candidate, regroup + matrixCost(candidate));
        });
  };
  considerDivisions();
  if (plan.pass.in < plan.width.in) {
    plan.width.in = plan.pass.in;
    considerDivisions();
  }
}

/// A block of \p results along a dimension, without padding.
ConvDim innerBlock(const ConvDim &dim, std::size_t results) {
  ConvDim block = dim;
  block.output = results;
  const std::size_t read =
      dim.transposed
          ? (results + dim.kernel - 2) / dim.stride + 1
          : (results - 1) * dim.stride + (dim.kernel - 1) * dim.dilation + 1;
  block.input = std::min(dim.input, read);
  return block;
}

/// The estimate of the channelwise method; \p shape has a single group. Without
/// a value if a block is too large. Sets the plan's memory, too.
std::optional<double> channelwiseCost(ConvPlan &plan, const ConvShape &shape,
                                      const CostModel &cost,
                                      const TapCosts &costs) {
  const std::size_t groups = plan.outBlocks(plan.outChannels.largest());
  const std::size_t perTile = plan.tiles.piecesPerTile();
  const ConvDim y = innerBlock(shape.y, plan.rows.largest());
  const ConvDim x = innerBlock(shape.x, plan.columns.largest());
  if (!TapLists::fit(groups, plan.outBlocks(1), y, x))
    return std::nullopt;
  const double operand = groups * y.input * x.input;
  const double weights = groups * y.kernel * x.kernel;
  const double results = groups * y.output * x.output;
  const bool shared =
      plan.rows.parts * plan.columns.parts * plan.images.parts > 1;
  plan.dataMemory = perTile * (operand + weights + groups) * ChannelGroupBytes;
  plan.vertexMemory =
      perTile * (TapLists::bytes(groups, y, x) + cost.workers * StateBytes);
  return cost.step() +
         perTile * (cost.exchange(operand * ChannelGroupBytes) +
                    (shared ? cost.weights(weights * ChannelGroupBytes) : 0) +
                    2.0 * plan.outChannels.largest() * y.input +
                    cost.compute(TapLists::estimate(groups * costs.blocks, y, x,
                                                    costs)) +
                    cost.afterwards(results * plan.pass.out)) +
         cost.memory(plan.memory());
}

/// A plan whose divisions are still to be chosen.
ConvPlan undividedPlan(const ConvShape &shape, const CostModel &cost) {
  ConvPlan plan;
  plan.images = {shape.batch, shape.batch};
  plan.groups = shape.groups;
  plan.constantWeights = cost.constantWeights;
  plan.tiles.tiles = cost.numTiles;
  plan.tiles.firstTile = poputil::chooseMappingOffset(
      cost.numTiles, {shape.batch, shape.groups, shape.inChannels,
                      shape.outChannels, shape.y.output, shape.x.output});
  return plan;
}

/// On the CPU device blocks of output channels are vertices of their own: input
/// and results stay in one piece then, and each vertex has other weights.
void divideOnHost(ConvPlan &plan, const CostModel &cost) {
  const std::size_t wanted =
      ceilDiv(cost.hostVertices, plan.images.parts * plan.groups);
  plan.outChannels.parts = std::max(plan.outChannels.parts,
                                    std::min(wanted, plan.outChannels.extent));
  plan.tiles.pieces = plan.blocks() * plan.inChannels.parts;
}

} // namespace

double regroupCost(std::size_t elements, const CostModel &cost) {
  return 2 * cost.step() + 4 * static_cast<double>(elements) / cost.numTiles;
}

PartRange inputRows(const ConvDim &y, std::size_t begin, std::size_t end) {
  const std::ptrdiff_t limit = y.input, stride = y.stride;
  const std::ptrdiff_t window = (y.kernel - 1) * y.dilation;
  std::ptrdiff_t first = y.firstInput(begin);
  std::ptrdiff_t last = y.firstInput(end - 1) + window;
  if (y.transposed) {
    first =
        (static_cast<std::ptrdiff_t>(begin) - y.origin - window + stride - 1) /
        stride;
    last = (static_cast<std::ptrdiff_t>(end) - 1 - y.origin) / stride;
  }
  first = std::clamp<std::ptrdiff_t>(first, 0, limit - 1);
  return {static_cast<std::size_t>(first),
          static_cast<std::size_t>(
              std::clamp<std::ptrdiff_t>(last + 1, first + 1, limit))};
}

ConvDim blockDim(const ConvDim &dim, std::size_t begin, std::size_t end,
                 const PartRange &range) {
  ConvDim block = dim;
  block.input = range.size();
  block.output = end - begin;
  block.origin =
      dim.transposed
          ? dim.firstInput(range.begin) - static_cast<std::ptrdiff_t>(begin)
          : dim.firstInput(begin) - static_cast<std::ptrdiff_t>(range.begin);
  return block;
}

std::size_t channelGroupWidth(std::size_t channels, const CostModel &cost) {
  return cost.isHalf() || (cost.twoSets && channels % 16 == 0) ? 16 : 8;
}

std::size_t ConvPlan::workersPerBlock(std::size_t workers) const {
  return std::max<std::size_t>(1, workers / tiles.piecesPerTile());
}

ConvPlan planMatrixConv(const ConvShape &shape, const CostModel &cost) {
  ConvPlan best, plan = undividedPlan(shape, cost);
  plan.method = ConvMethod::Matrix;
  plan.images = {};
  std::vector<KernelFold> folds{KernelFold::None};
  if (shape.inChannels < channelGroupWidth(shape.inChannels, cost)) {
    if (shape.y.kernel * shape.x.kernel > 1)
      folds.push_back(KernelFold::All);
    if (shape.y.kernel > 1 && shape.x.kernel > 1)
      folds.push_back(KernelFold::Rows);
  }
  for (std::size_t outWidth : outWidths(shape.outChannels, cost)) {
    for (KernelFold fold : folds) {
      plan.fold = fold;
      considerMatrix(best, plan, outWidth, shape, cost);
    }
  }
  if (best.cost >= 0) {
    divideOnHost(best, cost);
    best.spareMemory = std::max(0.0, cost.bytesAvailable - best.memory());
  }
  return best;
}

ConvShape channelwiseShape(const ConvShape &shape) {
  ConvShape result = shape;
  result.inChannels = result.outChannels = shape.groups;
  result.groups = 1;
  return result;
}

TapCosts channelwiseCosts(bool isHalf) {
  return isHalf ? TapCosts{34, 44, 20, 4, 4} : TapCosts{34, 44, 19, 6, 2};
}

ConvPlan planChannelwise(const ConvShape &original, const CostModel &cost,
                         const TapCosts &costs) {
  const ConvShape shape = channelwiseShape(original);
  ConvPlan best, plan = undividedPlan(original, cost);
  plan.groups = 1;
  plan.method = ConvMethod::Channelwise;
  plan.width.in = plan.width.out = channelGroupWidth(shape.outChannels, cost);
  plan.pass.in = plan.pass.out = ChannelGroupBytes / cost.elementBytes;
  const double regroup = regroupCost(plan, shape, cost);
  forEachDivision(plan, ceilDiv(shape.outChannels, plan.width.out),
                  shape.y.output, shape.x.output, [&](ConvPlan candidate) {
                    std::swap(candidate.columns, candidate.inChannels);
                    if (const auto estimate =
                            channelwiseCost(candidate, shape, cost, costs))
                      consider(best, candidate, regroup + *estimate);
                  });
  return best;
}

double directBundles(const ConvShape &shape, bool isHalf,
                     std::size_t inChannels, std::size_t outChannels,
                     std::size_t rows) {
  return directBundles(shape, isHalf, inChannels, outChannels, rows,
                       columnBlocks(shape.x));
}

std::vector<SerialSplit> serialSplits(SerialSplit::Dim dim,
                                      std::size_t extent) {
  constexpr std::size_t MostParts = 256;
  std::vector<SerialSplit> splits;
  for (std::size_t parts = 2; parts <= std::min(extent, MostParts); ++parts)
    if (extent % parts == 0)
      splits.push_back({dim, parts});
  return splits;
}

ConvShape partOf(ConvShape shape, const SerialSplit &split) {
  switch (split.dim) {
  case SerialSplit::Batch:
    shape.batch /= split.parts;
    break;
  case SerialSplit::Groups:
    shape.groups /= split.parts;
    break;
  case SerialSplit::OutChannels:
    shape.outChannels /= split.parts;
    break;
  }
  return shape;
}

double operandBytes(const ConvShape &s, const CostModel &cost) {
  const double in = static_cast<double>(s.batch) * s.groups * s.inChannels *
                    s.y.input * s.x.input;
  const double weights = static_cast<double>(s.groups) * s.inChannels *
                         s.outChannels * s.y.kernel * s.x.kernel;
  const double out = static_cast<double>(s.batch) * s.groups * s.outChannels *
                     s.y.output * s.x.output;
  return (in + weights + out) * cost.elementBytes;
}

namespace {

/// The cheapest plan of a convolution in one.
ConvPlan planWhole(const ConvShape &shape, const CostModel &cost) {
  ConvPlan best = planMatrixConv(shape, cost);
  for (std::size_t together : groupsWorthATry(shape)) {
    const ConvShape combined = combinedShape(shape, together);
    ConvPlan plan = planMatrixConv(combined, cost);
    plan.groupsTogether = together;
    if (plan.cost >= 0)
      consider(best, plan, plan.cost + diagonalCost(plan, combined, cost));
  }
  if (shape.inChannels == 1 && shape.outChannels == 1 && shape.groups > 1) {
    const ConvPlan plan =
        planChannelwise(shape, cost, channelwiseCosts(cost.isHalf()));
    if (plan.cost >= 0)
      consider(best, plan, plan.cost);
  }
  const std::size_t blocks = columnBlocks(shape.x);
  forEachDivision(undividedPlan(shape, cost), shape.outChannels, shape.y.output,
                  shape.inChannels, [&](ConvPlan candidate) {
                    const double estimate =
                        directCost(candidate, shape, blocks, cost);
                    consider(best, candidate, estimate);
                  });
  return best;
}

} // namespace

ConvPlan planConv(const ConvShape &shape, const CostModel &all) {
  const CostModel cost = all.beside(operandBytes(shape, all));
  ConvPlan best = planWhole(shape, cost);
  if (best.memory() <= cost.bytesAvailable)
    return best;
  for (const auto &[dim, extent] :
       {std::pair(SerialSplit::OutChannels, shape.outChannels),
        std::pair(SerialSplit::Batch, shape.batch),
        std::pair(SerialSplit::Groups, shape.groups)})
    for (const SerialSplit &split : serialSplits(dim, extent)) {
      ConvPlan plan = planWhole(partOf(shape, split), cost);
      plan.serial = split;
      if (plan.memory() > cost.bytesAvailable)
        continue;
      consider(best, plan, plan.cost * split.parts);
      break;
    }
  return best;
}

} // namespace poplin
