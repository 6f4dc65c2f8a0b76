// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Positions are divided evenly, so that a worker's first and last segment may
// begin or end inside a row. Rows that follow each other without a gap, in the
// input and in the results, make one segment, and so do those of images.

#include "lib/PopLibs/poplin/planning/ConvSegments.h"

#include <algorithm>
#include <array>

namespace poplin {
namespace {

constexpr std::size_t Workers = 6;

/// Bundles of a worker of ConvMatrix.S: for a pass without work; for a pass
/// with work, plus a few if it does not begin with one row of at least three
/// positions; and for each further segment.
constexpr double BundlesPerIdlePass = 7, BundlesPerPass = 6, BundlesOfFew = 1;
constexpr double BundlesPerFurtherSegment = 22, BundlesOfReturn = 9;
/// Additional bundles for a run of several rows.
constexpr double BundlesPerRun = 17;
/// Additional bundles of a worker for the first pass of a tap, for a change of
/// the partial sums between passes, and for a change of the results only.
constexpr double BundlesPerTap = 21, BundlesPerChange = 10, BundlesPerBlock = 2;
/// Cycles of the supervisor.
constexpr double CyclesPerVertex = 20, CyclesPerTap = 44, CyclesPerBlock = 32;

/// Number of fields of a segment, and the limit on the index of a worker's
/// further segments.
constexpr std::size_t Fields = 4, MostSegments = 0x7fff;

struct Segment {
  std::size_t input, result, count;
};

struct Range {
  std::size_t begin, end;
  std::size_t size() const { return end - begin; }
};

/// Range of results for which tap \p tap is inside the input.
Range resultsOfTap(const ConvDim &dim, std::size_t tap) {
  const auto inside = [&](std::size_t result) {
    const std::ptrdiff_t at = dim.firstInput(result) +
                              static_cast<std::ptrdiff_t>(tap * dim.dilation);
    return at >= 0 && at < static_cast<std::ptrdiff_t>(dim.input);
  };
  Range range{0, dim.output};
  while (range.begin != range.end && !inside(range.begin))
    ++range.begin;
  while (range.end != range.begin && !inside(range.end - 1))
    --range.end;
  return range;
}

/// Collects the positions of a tap as long segments.
class SegmentList {
public:
  explicit SegmentList(const RunShape &run) : run(run) {}

  std::vector<Segment> segments;

  /// A part of a row, whose first result is number \p result in the rows.
  void add(std::size_t input, std::size_t result, std::size_t count) {
    const std::size_t begin = std::max(result, run.skipped);
    const std::size_t end = std::min(result + count, run.skipped + run.count);
    if (begin >= end)
      return;
    const std::size_t stride = run.columns.stride;
    const Segment next{input + (begin - result) * stride, begin - run.skipped,
                       end - begin};
    if (!segments.empty()) {
      Segment &last = segments.back();
      if (last.input + last.count * stride == next.input &&
          last.result + last.count == next.result) {
        last.count += next.count;
        return;
      }
    }
    segments.push_back(next);
  }

private:
  const RunShape &run;
};

/// All positions of a tap.
std::vector<Segment> segmentsOfTap(const RunShape &run, std::size_t tapY,
                                   std::size_t tapX) {
  SegmentList list(run);
  const ConvDim &x = run.columns;
  const Range columns = resultsOfTap(x, tapX);
  if (columns.size() == 0)
    return list.segments;
  const std::size_t firstColumn =
      x.firstInput(columns.begin) + tapX * x.dilation;
  std::size_t inputRows = 0, resultRows = 0; // of the images before
  for (const ConvDim &y : run.rows) {
    const Range rows = resultsOfTap(y, tapY);
    for (std::size_t row = rows.begin; row != rows.end; ++row) {
      const std::size_t inputRow =
          inputRows + y.firstInput(row) + tapY * y.dilation;
      list.add(inputRow * x.input + firstColumn,
               (resultRows + row) * x.output + columns.begin, columns.size());
    }
    inputRows += y.input;
    resultRows += y.output;
  }
  return list.segments;
}

/// Adjacent positions that are skipped between segments.
struct Gap {
  std::size_t input, result;
  friend bool operator==(const Gap &, const Gap &) = default;
};

/// Segments that a worker takes without emptying the unit in between: all but
/// the first and the last have the same size.
struct Run {
  std::vector<Segment> rows;
  Gap gap{};
};

struct RunLimits {
  std::size_t stride;
  PlacesPerPosition places;
  bool areRuns; // else each segment is taken by itself

  /// Steps over the gap have 10 bits, of which one is a sign, of 8 bytes.
  bool fits(const Gap &gap) const {
    constexpr std::size_t MostPlaces = 512 / 4;
    return places.in * (stride + gap.input) <= MostPlaces &&
           places.out * (1 + gap.result) <= MostPlaces;
  }

  /// Adds a segment to the run if it can be.
  bool extend(Run &run, const Segment &next) const {
    const Segment &last = run.rows.back();
    const std::size_t input = last.input + last.count * stride;
    const std::size_t result = last.result + last.count;
    if (!areRuns || last.count < 3 || next.count < 3 || next.input < input ||
        next.result < result)
      return false;
    const Gap gap{next.input - input, next.result - result};
    const bool second = run.rows.size() == 1;
    if (!fits(gap) ||
        (!second && (gap != run.gap || last.count != run.rows[1].count)))
      return false;
    run.gap = gap;
    run.rows.push_back(next);
    return true;
  }
};

std::vector<Run> runsOf(const std::vector<Segment> &segments,
                        const RunLimits &limits) {
  std::vector<Run> runs;
  for (const Segment &s : segments)
    if (runs.empty() || !limits.extend(runs.back(), s))
      runs.push_back({{s}});
  return runs;
}

/// Selects the positions [begin, end) of the list. The loop over positions
/// needs three; two become two single ones.
std::vector<Segment> selectPositions(const std::vector<Segment> &list,
                                     std::size_t begin, std::size_t end,
                                     std::size_t stride) {
  std::vector<Segment> selected;
  std::size_t at = 0;
  for (const Segment &s : list) {
    if (at >= end)
      break;
    if (at + s.count <= begin) {
      at += s.count;
      continue;
    }
    const std::size_t from = std::clamp(begin, at, at + s.count) - at;
    const std::size_t to = std::clamp(end, at, at + s.count) - at;
    at += s.count;
    const auto add = [&](std::size_t first, std::size_t count) {
      selected.push_back({s.input + first * stride, s.result + first, count});
    };
    if (to - from == 2) {
      add(from, 1);
      add(from + 1, 1);
    } else if (to != from) {
      add(from, to - from);
    }
  }
  return selected;
}

/// Returns the begin of a worker's share near \p position. It avoids shares of
/// one or two positions of a segment, which take as long as several.
std::size_t wholeBegin(const std::vector<Segment> &list, std::size_t position) {
  std::size_t at = 0;
  for (const Segment &s : list) {
    const std::size_t offset = position - at;
    if (offset < s.count) {
      if (s.count < 6)
        return position;
      if (offset == 1 || offset + 2 == s.count)
        return position - 1;
      return offset == 2 || offset + 1 == s.count ? position + 1 : position;
    }
    at += s.count;
  }
  return position;
}

double bundlesOf(const std::vector<Run> &runs, const PassCosts &costs) {
  if (runs.empty())
    return 0;
  double bundles =
      BundlesPerPass + BundlesPerFurtherSegment * (runs.size() - 1);
  bool isSingle = runs.size() == 1;
  const std::vector<Segment> &first = runs.front().rows;
  if (first.size() != 1 || first.front().count == 1)
    bundles += BundlesOfFew;
  for (const Run &run : runs) {
    const std::size_t rows = run.rows.size();
    std::size_t positions = 0;
    for (const Segment &s : run.rows)
      positions += s.count;
    bundles += positions == 1 ? costs.single
                              : costs.segment + positions * costs.position;
    if (rows != 1) {
      isSingle = false;
      bundles += BundlesPerRun + (rows - 1) * costs.row;
    }
  }
  return isSingle ? bundles : bundles + BundlesOfReturn;
}

/// Work of each worker for a tap, and the bundles of the busiest worker.
struct Division {
  std::array<std::vector<Run>, Workers> ofWorkers;
  double busiest = BundlesPerIdlePass;
};

/// \p whole: as wholeBegin says, else as evenly as possible.
Division divide(const std::vector<Segment> &all, const RunLimits &limits,
                bool whole, const PassCosts &costs) {
  std::size_t positions = 0;
  for (const Segment &s : all)
    positions += s.count;
  const Partition shares{positions, Workers};
  const auto begin = [&](std::size_t worker) {
    return whole ? wholeBegin(all, shares.begin(worker)) : shares.begin(worker);
  };
  Division result;
  for (std::size_t w = 0; w != Workers; ++w) {
    result.ofWorkers[w] = runsOf(
        selectPositions(all, begin(w), begin(w + 1), limits.stride), limits);
    result.busiest =
        std::max(result.busiest, bundlesOf(result.ofWorkers[w], costs));
  }
  return result;
}

/// Writes segments as poplin::ConvMatrix has them.
class SegmentWriter {
public:
  SegmentWriter(std::vector<unsigned short> &segments,
                const PlacesPerPosition &places)
      : segments(segments), places(places) {}

  /// The runs of a worker, whose first segment has the number \p first.
  void write(std::size_t first, const std::vector<Run> &runs) const {
    Segment none{0, 0, 0};
    writeSegment(first, none, 0);
    std::size_t last = first;
    for (const Run &run : runs) {
      if (&run != &runs.front()) {
        const std::size_t next = append(1);
        field(last, Next) = next - first;
        last = next;
      }
      writeRun(last, first, run);
    }
    if (last != first || (!runs.empty() && runs.front().rows.size() != 1))
      field(last, Next) = End;
  }

private:
  enum { Input, Result, Count, Next };
  static constexpr unsigned short End = -1;
  std::vector<unsigned short> &segments;
  const PlacesPerPosition &places;

  unsigned short &field(std::size_t number, std::size_t i) const {
    return segments[Fields * number + i];
  }
  /// Returns the number of the first one.
  std::size_t append(std::size_t count) const {
    const std::size_t number = segments.size() / Fields;
    segments.resize(segments.size() + count * Fields);
    return number;
  }
  void writeSegment(std::size_t number, const Segment &s,
                    std::size_t count) const {
    field(number, Input) = s.input * places.in;
    field(number, Result) = s.result * places.out;
    field(number, Count) = count - 3;
  }

  void writeRun(std::size_t number, std::size_t first, const Run &run) const {
    const std::vector<Segment> &rows = run.rows;
    if (rows.size() == 1) {
      writeSegment(number, rows.front(), rows.front().count);
      return;
    }
    const std::size_t details = append(2);
    writeSegment(number, rows.front(), first - details);
    field(details, 0) = rows.front().count - 3;
    field(details, 1) = rows.size() - 2;
    field(details, 2) = rows[1].count - 3;
    field(details, 3) = rows.back().count - 3;
    // Steps in units of 8 bytes: first of the input, then of partial sums and
    // results.
    const unsigned input = 4 * places.in * run.gap.input;
    const unsigned result = 4 * places.out * run.gap.result;
    const unsigned sums = result << 10 | result << 20;
    field(details + 1, 0) = sums & 0xffff;
    field(details + 1, 1) = sums >> 16;
    field(details + 1, 2) = input;
  }
};

} // namespace

std::optional<std::size_t> commonTap(const ConvDim &dim) {
  for (std::size_t tap = 0; tap != dim.kernel; ++tap)
    if (resultsOfTap(dim, tap).size() == dim.output)
      return tap;
  return std::nullopt;
}

Taps tapOrder(const ConvDim &y, const ConvDim &x) {
  const std::pair first(*commonTap(y), *commonTap(x));
  Taps order{first};
  for (std::size_t i = 0; i != y.kernel; ++i)
    for (std::size_t j = 0; j != x.kernel; ++j)
      if (std::pair(i, j) != first)
        order.emplace_back(i, j);
  return order;
}

PlacesPerPosition placesOf(const ConvPlan &plan) {
  return {plan.inBlocks(1), plan.width.out / (plan.halfSums ? 16 : 8)};
}

PassCosts passCosts(const ChannelGroups &pass) {
  if (pass.in == 16 && pass.out == 16)
    return {4, 11.5, 14, 3, 42};
  if (pass.out == 16)
    return {8, 19.5, 25, 0, 44};
  return pass.in == 16 ? PassCosts{4, 11.5, 14, 3, 28}
                       : PassCosts{8, 11.5, 18, 0, 28};
}

ConvSegments::ConvSegments(const RunShape &run, const Taps &taps,
                           const PlacesPerPosition &places,
                           const PassCosts &costs)
    : taps(taps.size()), cyclesPerPass(costs.pass) {
  // Each worker's first one of each tap, which may have no position.
  segments.resize(Fields * Workers * taps.size());
  const SegmentWriter writer(segments, places);
  const RunLimits limits{run.columns.stride, places, costs.row != 0};
  std::size_t first = 0;
  for (const auto &[tapY, tapX] : taps) {
    const std::vector<Segment> all = segmentsOfTap(run, tapY, tapX);
    const Division even = divide(all, limits, false, costs);
    const Division whole = divide(all, limits, true, costs);
    const Division &best = whole.busiest < even.busiest ? whole : even;
    for (const std::vector<Run> &runs : best.ofWorkers)
      writer.write(first++, runs);
    bundles += best.busiest;
  }
}

double ConvSegments::cycles(std::size_t outBlocks, std::size_t inBlocks) const {
  const std::size_t changes =
      outBlocks * std::min<std::size_t>(inBlocks, 2) - 1;
  return CyclesPerVertex +
         taps * (CyclesPerTap + BundlesPerTap * Workers +
                 outBlocks * (CyclesPerBlock + inBlocks * cyclesPerPass)) +
         (changes * BundlesPerChange +
          (taps - 1) * (outBlocks - 1) * BundlesPerBlock +
          outBlocks * inBlocks * bundles) *
             Workers;
}

bool ConvSegments::fit() const {
  return segments.size() <= Fields * MostSegments;
}

double positionsOfTaps(const ConvShape &shape) {
  const auto along = [](const ConvDim &dim) {
    double sum = 0;
    for (std::size_t tap = 0; tap != dim.kernel; ++tap)
      sum += resultsOfTap(dim, tap).size();
    return sum;
  };
  return shape.batch * along(shape.y) * along(shape.x);
}

double leastCycles(double positions, std::size_t taps, std::size_t pairs,
                   const PassCosts &costs) {
  return pairs * (positions * costs.position +
                  taps * (costs.pass + BundlesPerIdlePass * Workers));
}

bool segmentsFit(const RunShape &run, const PlacesPerPosition &places) {
  constexpr std::size_t Limit = 0x10000;
  return run.inputs() * places.in <= Limit && run.count * places.out <= Limit &&
         run.columns.stride * places.in <= 64; // a step has 10 bits
}

} // namespace poplin
