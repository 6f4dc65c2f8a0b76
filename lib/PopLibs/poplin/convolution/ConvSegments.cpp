// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Positions are divided evenly, so that a worker's first and last segment may
// begin or end inside a row. Rows that follow each other without a gap, in the
// input and in the results, make one segment.

#include "lib/PopLibs/poplin/convolution/ConvSegments.h"

#include <algorithm>

namespace poplin {
namespace {

constexpr std::size_t Workers = 6;

/// Bundles of a worker of ConvMatrix.S for a pass without work and with some,
/// and to go on to another segment.
constexpr double BundlesPerIdlePass = 22, BundlesPerPass = 10;
constexpr double BundlesPerFurtherSegment = 3;
/// Cycles of the supervisor.
constexpr double CyclesPerVertex = 40, CyclesPerTap = 10, CyclesPerBlock = 42;

struct Segment {
  std::size_t input, result, count;
};

struct Range {
  std::size_t begin, end;
  std::size_t size() const { return end - begin; }
};

/// The results that have tap \p tap inside the input.
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

/// All positions of a tap, as long segments.
std::vector<Segment> segmentsOfTap(const ConvDim &y, const ConvDim &x,
                                   std::size_t tapY, std::size_t tapX) {
  std::vector<Segment> segments;
  const Range columns = resultsOfTap(x, tapX), rows = resultsOfTap(y, tapY);
  if (columns.size() == 0)
    return segments;
  for (std::size_t row = rows.begin; row != rows.end; ++row) {
    const std::size_t input =
        (y.firstInput(row) + tapY * y.dilation) * x.input +
        x.firstInput(columns.begin) + tapX * x.dilation;
    const std::size_t result = row * x.output + columns.begin;
    if (!segments.empty()) {
      Segment &last = segments.back();
      if (last.input + last.count * x.stride == input &&
          last.result + last.count == result) {
        last.count += columns.size();
        continue;
      }
    }
    segments.push_back({input, result, columns.size()});
  }
  return segments;
}

/// The positions [begin, end) of the list. The loop over positions needs three;
/// two are two single ones.
std::vector<Segment> selectPositions(const std::vector<Segment> &list,
                                     std::size_t begin, std::size_t end,
                                     std::size_t stride) {
  std::vector<Segment> selected;
  std::size_t at = 0;
  for (const Segment &s : list) {
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
    return {4, 24.5, 29, 58};
  if (pass.out == 16)
    return {8, 32.5, 41, 60};
  return pass.in == 16 ? PassCosts{4, 24.5, 28, 44}
                       : PassCosts{8, 24.5, 33, 44};
}

ConvSegments::ConvSegments(const ConvDim &y, const ConvDim &x, const Taps &taps,
                           const PlacesPerPosition &places,
                           const PassCosts &costs)
    : taps(taps.size()), cyclesPerPass(costs.pass) {
  constexpr std::size_t Fields = 4, Next = 3;
  const auto write = [&](std::size_t number, const Segment &s) {
    unsigned short *fields = &segments[Fields * number];
    fields[0] = s.input * places.in;
    fields[1] = s.result * places.out;
    fields[2] = s.count - 3;
  };
  // Each worker's first one of each tap, which may have no position.
  segments.resize(Fields * Workers * taps.size());
  std::size_t number = 0;
  for (const auto &[tapY, tapX] : taps) {
    const std::vector<Segment> all = segmentsOfTap(y, x, tapY, tapX);
    std::size_t positions = 0;
    for (const Segment &s : all)
      positions += s.count;
    const Partition shares{positions, Workers};
    double busiest = BundlesPerIdlePass;
    for (std::size_t w = 0; w != Workers; ++w) {
      std::size_t last = number++;
      write(last, {0, 0, 0});
      const std::vector<Segment> selected =
          selectPositions(all, shares.begin(w), shares.end(w), x.stride);
      double worker = BundlesPerPass;
      for (const Segment &s : selected) {
        if (&s != &selected.front()) {
          const std::size_t next = segments.size() / Fields;
          segments[Fields * last + Next] = next;
          segments.resize(segments.size() + Fields);
          last = next;
          worker += BundlesPerFurtherSegment;
        }
        write(last, s);
        worker += s.count == 1 ? costs.single
                               : costs.segment + s.count * costs.position;
      }
      if (!selected.empty())
        busiest = std::max(busiest, worker);
    }
    bundles += busiest;
  }
}

double ConvSegments::cycles(std::size_t outBlocks, std::size_t inBlocks) const {
  return CyclesPerVertex +
         taps * (CyclesPerTap +
                 outBlocks * (CyclesPerBlock + inBlocks * cyclesPerPass)) +
         outBlocks * inBlocks * bundles * Workers;
}

bool segmentsFit(const ConvDim &y, const ConvDim &x,
                 const PlacesPerPosition &places) {
  constexpr std::size_t Limit = 0x10000;
  return y.input * x.input * places.in <= Limit &&
         y.output * x.output * places.out <= Limit &&
         x.stride * places.in <= 64; // a step has 10 bits
}

} // namespace poplin
