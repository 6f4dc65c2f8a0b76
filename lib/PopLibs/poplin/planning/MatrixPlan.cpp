// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans of the matrix unit's method, found by branch and bound. A division is a
// triple: parts of the output channel groups, of the positions, and of the
// input channel groups (ConvPlan.h has a drawing). For example, on 64 tiles:
//
//    out x positions x in
//     4  x    16     x 1     a tile computes 1/16 of the positions of a group
//     4  x     8     x 2     larger blocks, but partial sums to reduce
//     1  x    64     x 1     all tiles have all weights
//
// There are thousands of triples, so each passes three tests of rising cost,
// and is dropped at the first one that shows it to be worse than the best plan:
//
//    1. least()      a formula: the products of a part of mean size
//    2. products()   the work lists of the largest parts (ConvSegments.h),
//                    memoised by the division of the positions
//    3. operator()   everything else: exchange of operands, rearrangement,
//                    reduction of partial sums, memory
//
// The last test also finds the fewest steps over the input channels whose
// buffers fit in the available memory. Around this loop are loops over kernel
// folds (taps as input channels) and widths of channel groups.

#include "lib/PopLibs/poplin/planning/ConvRun.h"
#include "lib/PopLibs/poplin/planning/ConvSegments.h"
#include "lib/PopLibs/poplin/planning/MatrixForm.h"
#include "lib/PopLibs/poplin/planning/PlanSearch.h"

#include <algorithm>
#include <map>
#include <optional>
#include <ranges>
#include <set>
#include <utility>
#include <vector>

namespace poplin {
namespace {

/// Estimates of the matrix unit's method. Parts that depend only on the
/// division of positions are memoised.
class MatrixCost {
public:
  /// \p rearranges: the input is copied to another order of its elements.
  MatrixCost(const ConvShape &shape, const CostModel &cost, bool rearranges)
      : shape(shape), cost(cost), rearranges(rearranges),
        taps(tapOrder(shape.y, shape.x)), tapPositions(positionsOfTaps(shape)) {
  }

  /// Returns true if all offsets and segments fit their fields.
  bool fits(const ConvPlan &plan) {
    const std::optional<Work> &work = workOf(plan);
    return work && work->segments.fit();
  }

  /// Lower bound of the estimate without the work lists: all parts take as long
  /// as the longest, so at least the mean.
  double least(const ConvPlan &plan) const {
    return plan.tiles.piecesPerTile() *
           leastCycles(tapPositions / plan.positions.parts, taps.size(),
                       plan.outBlocks(plan.outChannels.largest()) *
                           plan.inBlocks(plan.inChannels.largest()),
                       passCosts(plan.pass));
  }

  /// Estimate of the products alone, with the work lists.
  double products(const ConvPlan &plan) {
    return static_cast<double>(plan.tiles.piecesPerTile()) *
           workOf(plan)->segments.cycles(
               plan.outBlocks(plan.outChannels.largest()),
               plan.inBlocks(plan.inChannels.largest()));
  }

  /// Sets the plan's memory, and the smallest number of steps that fits the
  /// available memory.
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
  /// Work of a tile. `inputs` is the number of elements of its part of an input
  /// channel, and `stretches` the number of contiguous runs that they form in a
  /// tensor in order.
  struct Work {
    ConvSegments segments;
    std::size_t inputs, stretches;
  };
  /// Elements of a piece.
  struct Sizes {
    double patch, weights, results;
    /// True if other tiles use the same weights.
    bool shared;
    /// True if sums are reduced or converted afterwards.
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

  /// The same as fillsAllButLastPart of MatrixConv.cpp.
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
    // A channel group is copied as a whole unless the input has wider groups.
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
  /// By the number of parts of the positions and their grain; empty if offsets
  /// do not fit their fields.
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

/// Grains at which parts of a few rows may begin. A part of a row must not be
/// too short: a worker takes as long for one or two positions of a row as for
/// several.
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

/// Widths of output channel groups that are worth trying. A width other than
/// that of the following convolution pays if it uses the unit's second set, or
/// if there is too little work for all tiles.
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

/// Cost for readers of results whose channel groups are not as wide as those of
/// convolutions: one more step, and the rearrangement if there is more than one
/// element per tile.
double narrowResultsCost(std::size_t outWidth, const ConvShape &shape,
                         const CostModel &cost) {
  if (!cost.isHalf() || outWidth == 16 || shape.outChannels <= 8)
    return 0;
  const std::size_t results = shape.batch * shape.groups * shape.outChannels *
                              shape.y.output * shape.x.output;
  return results <= cost.numTiles ? cost.step() : regroupCost(results, cost);
}

/// Channels of a pass of the matrix unit for channel groups of \p width.
ChannelGroups passOf(const ChannelGroups &width, const CostModel &cost) {
  if (cost.isHalf())
    return {16, cost.halfSums ? 16u : 8u};
  return {8, cost.twoSets && width.out == 16 ? 16u : 8u};
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

} // namespace poplin
