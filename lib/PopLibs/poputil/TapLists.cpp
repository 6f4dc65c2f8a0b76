// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Results of a row whose windows are cut off in the same way make a run; a
// worker's share of a run is a segment. Shares have about the same cost. Where
// there are few results, the channels of a group are divided, too.

#include "lib/PopLibs/poputil/TapLists.h"

#include "lib/PopLibs/poputil/Partition.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace poplibs {
namespace {

constexpr std::size_t Workers = TapWorkers;
constexpr std::size_t SegmentFields = numbersOf<TapSegment>();
constexpr std::size_t TapFields = numbersOf<Tap>();

/// TapLists::fit has checked it.
unsigned short shortOf(std::size_t number) {
  return static_cast<unsigned short>(number);
}

template <class T>
void append(std::vector<unsigned short> &numbers, const T &value) {
  const auto *first = reinterpret_cast<const unsigned short *>(&value);
  numbers.insert(numbers.end(), first, first + numbersOf<T>());
}

/// The taps of a window that are inside the input.
struct Range {
  std::size_t begin = 0, end = 0;
  std::size_t size() const { return end - begin; }
  friend auto operator<=>(const Range &, const Range &) = default;
};

/// The inputs whose windows have a result of a transposed dimension.
Range windowsWith(const WindowDim &dim, std::size_t result) {
  const std::ptrdiff_t stride = dim.stride;
  const std::ptrdiff_t last =
      static_cast<std::ptrdiff_t>(result) - dim.origin; // of its first tap
  const std::ptrdiff_t first =
      last - static_cast<std::ptrdiff_t>(dim.kernel) + 1;
  const std::ptrdiff_t begin = first <= 0 ? 0 : (first + stride - 1) / stride;
  const std::ptrdiff_t end =
      last < 0 ? 0
               : std::min<std::ptrdiff_t>(
                     last / stride + 1, static_cast<std::ptrdiff_t>(dim.input));
  return begin >= end ? Range() : Range{std::size_t(begin), std::size_t(end)};
}

Range tapsInside(const WindowDim &dim, std::size_t result) {
  if (dim.transposed) {
    const Range windows = windowsWith(dim, result);
    return {0, windows.size()};
  }
  const auto inside = [&](std::size_t tap) {
    const std::ptrdiff_t at = dim.firstInput(result) +
                              static_cast<std::ptrdiff_t>(tap * dim.dilation);
    return at >= 0 && at < static_cast<std::ptrdiff_t>(dim.input);
  };
  Range range{0, dim.kernel};
  while (range.begin != range.end && !inside(range.begin))
    ++range.begin;
  while (range.end != range.begin && !inside(range.end - 1))
    --range.end;
  return range.size() == 0 ? Range() : range;
}

/// The input element of the first tap of a window; of one that is empty any.
std::size_t firstElement(const WindowDim &dim, std::size_t result,
                         const Range &taps) {
  if (dim.transposed)
    return windowsWith(dim, result).begin;
  return taps.size() == 0
             ? 0
             : dim.firstInput(result) +
                   static_cast<std::ptrdiff_t>(taps.begin * dim.dilation);
}

/// Results of a row that are WindowDim::resultStep() apart.
struct Run {
  std::size_t input, result, count, list, taps;
};

/// Lists of taps, each made once.
class ListMaker {
public:
  ListMaker(const WindowDim &y, const WindowDim &x, std::size_t positionBytes,
            std::vector<unsigned short> &entries)
      : y(y), x(x), positionBytes(positionBytes), entries(entries) {}

  /// The place of the list.
  std::size_t get(const Range &rows, const Range &columns) {
    const auto [place, isNew] =
        known.try_emplace({rows, columns}, entries.size() / TapFields);
    if (isNew)
      add(rows, columns);
    return place->second;
  }

private:
  const WindowDim &y, &x;
  const std::size_t positionBytes; // of the input
  std::vector<unsigned short> &entries;
  std::map<std::pair<Range, Range>, std::size_t> known;

  void add(const Range &rows, const Range &columns) {
    for (std::size_t i = rows.begin; i != rows.end; ++i)
      for (std::size_t j = columns.begin; j != columns.end; ++j) {
        const std::size_t distance = (i - rows.begin) * y.dilation * x.input +
                                     (j - columns.begin) * x.dilation;
        append(entries, Tap{shortOf(distance * positionBytes),
                            shortOf((i * x.kernel + j) * ChannelGroupBytes)});
      }
  }
};

/// The results of a row from column \p phase on, WindowDim::resultStep() apart.
void addRuns(std::vector<Run> &runs, const WindowDim &y, const WindowDim &x,
             std::size_t row, const Range &tapsY, std::size_t phase,
             ListMaker &lists) {
  Range last;
  std::size_t next = 0; // where the window of the next one of a run begins
  for (std::size_t column = phase; column < x.output;
       column += x.resultStep()) {
    const Range tapsX = tapsInside(x, column);
    const std::size_t first = firstElement(x, column, tapsX);
    const std::size_t taps = tapsY.size() * tapsX.size();
    if (column != phase && tapsX == last && (taps == 0 || first == next)) {
      ++runs.back().count;
    } else {
      last = tapsX;
      runs.push_back(
          {taps == 0 ? 0 : firstElement(y, row, tapsY) * x.input + first,
           row * x.output + column, 1, lists.get(tapsY, tapsX), taps});
    }
    next = first + x.inputStep();
  }
}

/// All results of a group of channels.
std::vector<Run> runsOfGroup(const WindowDim &y, const WindowDim &x,
                             ListMaker &lists) {
  std::vector<Run> runs;
  for (std::size_t row = 0; row != y.output; ++row) {
    const Range tapsY = tapsInside(y, row);
    for (std::size_t phase = 0; phase != std::min(x.resultStep(), x.output);
         ++phase)
      addRuns(runs, y, x, row, tapsY, phase, lists);
  }
  return runs;
}

/// The busiest worker's bundles if a segment has so many blocks of a group.
double estimateOf(std::size_t blocksOfSegment, std::size_t blocks,
                  const WindowDim &y, const WindowDim &x,
                  const TapCosts &costs) {
  const std::size_t results =
      ceilDiv(ceilDiv(blocks, blocksOfSegment) * y.output * x.output, Workers);
  // The ends of rows are runs of their own.
  const double segments = 1 + 3.0 * x.resultStep() * results / x.output;
  return costs.worker + costs.segment * std::min<double>(segments, results) +
         results * blocksOfSegment * costs.ofResult(y.taps() * x.taps());
}

/// The blocks of a group that a segment has: all or one, as there is code for.
std::size_t blocksOfSegment(std::size_t blocks, const WindowDim &y,
                            const WindowDim &x, const TapCosts &costs) {
  const std::size_t all = ceilDiv(blocks, costs.blocks) * costs.blocks;
  return estimateOf(1, blocks, y, x, costs) <
                 estimateOf(costs.blocks, all, y, x, costs)
             ? 1
             : costs.blocks;
}

} // namespace

TapLists::TapLists(std::size_t blocks, std::size_t sideBySide,
                   const WindowDim &y, const WindowDim &x,
                   const TapCosts &costs) {
  ListMaker lists(y, x, sideBySide * ChannelGroupBytes, taps);
  const std::vector<Run> runs = runsOfGroup(y, x, lists);
  const std::size_t each = blocksOfSegment(blocks, y, x, costs);
  const std::size_t end = ceilDiv(blocks, each) * each;
  double total = 0;
  for (const Run &run : runs)
    total += end * run.count * costs.ofResult(run.taps);

  // Address index of a position in a group with that many positions.
  const auto place = [&](std::size_t group, std::size_t position,
                         std::size_t positions) {
    return (group / sideBySide * positions + position) * sideBySide +
           group % sideBySide;
  };
  std::size_t worker = 0;
  double done = 0, load = costs.worker;
  starts.push_back(0);
  const auto next = [&] {
    bundles = std::max(bundles, load);
    load = costs.worker;
    ++worker;
    starts.push_back(segments.size() / SegmentFields);
  };
  for (std::size_t block = 0; block != end; block += each)
    for (const Run &run : runs) {
      const std::size_t group = block / costs.blocks;
      const std::size_t first = block % costs.blocks;
      const double cost = each * costs.ofResult(run.taps);
      for (std::size_t at = 0; at != run.count;) {
        // A result belongs to the worker in whose share its middle lies.
        std::size_t count = 0;
        while (at + count != run.count &&
               (worker + 1 == Workers ||
                done + cost / 2 <= total * (worker + 1) / Workers)) {
          ++count;
          done += cost;
        }
        if (count == 0) {
          next();
          continue;
        }
        const std::size_t input =
            run.input + (run.taps == 0 ? 0 : at * x.inputStep());
        append(segments,
               TapSegment{shortOf(place(group, input, y.input * x.input)),
                          shortOf(place(group, run.result + at * x.resultStep(),
                                        y.output * x.output)),
                          shortOf(count), shortOf(group), shortOf(run.list),
                          shortOf(run.taps), shortOf(first), shortOf(each)});
        load += costs.segment + count * cost;
        at += count;
      }
    }
  while (worker != Workers)
    next();
}

double TapLists::estimate(std::size_t blocks, const WindowDim &y,
                          const WindowDim &x, const TapCosts &costs) {
  return estimateOf(blocksOfSegment(blocks, y, x, costs), blocks, y, x, costs);
}

std::size_t TapLists::bytes(std::size_t groups, const WindowDim &y,
                            const WindowDim &x) {
  const std::size_t runsOfRow =
      std::min(x.output, (2 * x.taps() - 1) * x.resultStep());
  const std::size_t rows =
      std::min(y.output, (2 * y.taps() - 1) * y.resultStep());
  return sizeof(short) *
         (SegmentFields * (groups * y.output * runsOfRow + Workers) +
          TapFields * rows * runsOfRow * y.taps() * x.taps());
}

bool TapLists::fit(std::size_t groups, std::size_t sideBySide,
                   const WindowDim &y, const WindowDim &x) {
  constexpr std::size_t Limit = 0x10000;
  const std::size_t window =
      (y.taps() - 1) * y.dilation * x.input + (x.taps() - 1) * x.dilation;
  return groups * y.input * x.input < Limit &&
         groups * y.output * x.output < Limit &&
         window * sideBySide * ChannelGroupBytes < Limit &&
         y.taps() * x.taps() * ChannelGroupBytes < Limit &&
         bytes(groups, y, x) < Limit;
}

} // namespace poplibs
