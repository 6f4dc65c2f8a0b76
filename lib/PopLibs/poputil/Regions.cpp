// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Divides the regions that a tile holds into the work of several vertices.

#include <poputil/Util.hpp>

#include <poputil/exceptions.hpp>

#include <algorithm>

using namespace poplar;

namespace poputil {
namespace {

using Regions = std::vector<Interval>;
using NestedRegions = std::vector<Regions>;

std::size_t ceilDiv(std::size_t a, std::size_t b) { return (a + b - 1) / b; }

/// Cuts \p count elements off the front of a list of intervals.
Regions takeFront(Regions &regions, std::size_t count) {
  Regions front;
  std::size_t whole = 0;
  while (whole != regions.size() && regions[whole].size() <= count) {
    count -= regions[whole].size();
    front.push_back(regions[whole++]);
  }
  regions.erase(regions.begin(), regions.begin() + whole);
  if (count != 0 && !regions.empty()) {
    Interval &cut = regions.front();
    front.emplace_back(cut.begin(), cut.begin() + count);
    cut = Interval(cut.begin() + count, cut.end());
  }
  return front;
}

/// The number of grains that each of the parts gets, at most.
std::size_t grainsPerPart(std::size_t grains, unsigned grainSize,
                          unsigned maxParts, unsigned minElements,
                          unsigned maxElements) {
  std::size_t perPart = ceilDiv(grains, std::max(1u, maxParts));
  perPart = std::max(perPart, ceilDiv(minElements, grainSize));
  return std::max<std::size_t>(
      1, std::min<std::size_t>(perPart, maxElements / grainSize));
}

} // namespace

void mergeAdjacentRegions(Regions &regions) {
  std::sort(regions.begin(), regions.end());
  Regions merged;
  for (const Interval &region : regions) {
    if (region.size() == 0)
      continue;
    if (!merged.empty() && merged.back().end() >= region.begin())
      merged.back() = Interval(merged.back().begin(),
                               std::max(merged.back().end(), region.end()));
    else
      merged.push_back(region);
  }
  regions = std::move(merged);
}

void mergeAdjacentRegions(NestedRegions &mapping) {
  for (Regions &regions : mapping)
    mergeAdjacentRegions(regions);
}

Regions flattenIntervals(const NestedRegions &intervals) {
  Regions flat;
  for (const Regions &list : intervals)
    flat.insert(flat.end(), list.begin(), list.end());
  return flat;
}

std::size_t intervalSequenceNumElements(const Regions &intervals) {
  std::size_t elements = 0;
  for (const Interval &interval : intervals)
    elements += interval.size();
  return elements;
}

std::size_t intervalSequenceNumElements(const NestedRegions &intervals) {
  std::size_t elements = 0;
  for (const Regions &list : intervals)
    elements += intervalSequenceNumElements(list);
  return elements;
}

std::vector<NestedRegions>
splitRegions(const NestedRegions &regions, unsigned grainSize,
             unsigned maxPartitions, unsigned minElementsPerPartition,
             unsigned maxElementsPerPartition, unsigned maxElementsPerRegion) {
  if (grainSize == 0)
    throw poplibs_error("splitRegions: the grain size is 0");
  std::size_t grains = 0;
  for (const Regions &region : regions)
    grains += ceilDiv(intervalSequenceNumElements(region), grainSize);
  const std::size_t perPart =
      grainsPerPart(grains, grainSize, maxPartitions, minElementsPerPartition,
                    maxElementsPerPartition);
  const std::size_t perRegion =
      std::max<std::size_t>(1, maxElementsPerRegion / grainSize);

  std::vector<NestedRegions> parts;
  std::size_t room = 0;
  for (Regions rest : regions) {
    std::size_t elements = intervalSequenceNumElements(rest);
    while (elements != 0) {
      if (room == 0) {
        parts.emplace_back();
        room = perPart;
      }
      const std::size_t take =
          std::min({room, perRegion, ceilDiv(elements, grainSize)});
      const std::size_t count = std::min(take * grainSize, elements);
      parts.back().push_back(takeFront(rest, count));
      elements -= count;
      room -= take;
    }
  }
  return parts;
}

std::vector<Regions> splitRegions(const Regions &regions, unsigned grainSize,
                                  unsigned maxPartitions,
                                  unsigned minElementsPerPartition,
                                  unsigned maxElementsPerPartition,
                                  unsigned maxElementsPerRegion) {
  NestedRegions nested;
  for (const Interval &region : regions)
    nested.push_back({region});
  std::vector<Regions> parts;
  for (const NestedRegions &part :
       splitRegions(nested, grainSize, maxPartitions, minElementsPerPartition,
                    maxElementsPerPartition, maxElementsPerRegion))
    parts.push_back(flattenIntervals(part));
  return parts;
}

std::vector<Regions>
splitRegionsBetweenWorkers(const Target &target, const Regions &regions,
                           unsigned grainSize, unsigned minElementsPerPartition,
                           unsigned maxElementsPerPartition,
                           unsigned maxElementsPerRegion) {
  return splitRegions(regions, grainSize, target.getNumWorkerContexts(),
                      minElementsPerPartition, maxElementsPerPartition,
                      maxElementsPerRegion);
}

std::vector<NestedRegions>
splitRegionsBetweenWorkers(const Target &target, const NestedRegions &regions,
                           unsigned grainSize, unsigned minElementsPerPartition,
                           unsigned maxElementsPerPartition,
                           unsigned maxElementsPerRegion) {
  return splitRegions(regions, grainSize, target.getNumWorkerContexts(),
                      minElementsPerPartition, maxElementsPerPartition,
                      maxElementsPerRegion);
}

} // namespace poputil
