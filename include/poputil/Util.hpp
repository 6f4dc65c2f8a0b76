// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Interval algebra for dividing a tile's part of a tensor between vertices, and
// small helpers on indices and tensors.

#ifndef POPULUS_POPUTIL_UTIL_HPP
#define POPULUS_POPUTIL_UTIL_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poputil/exceptions.hpp>

#include <climits>
#include <cstddef>
#include <string>
#include <vector>

namespace poputil {

/// Sorts the intervals and joins those that touch.
void mergeAdjacentRegions(std::vector<poplar::Interval> &regions);
void mergeAdjacentRegions(std::vector<std::vector<poplar::Interval>> &mapping);

/// Flattens a nested list of intervals, in order.
std::vector<poplar::Interval>
flattenIntervals(const std::vector<std::vector<poplar::Interval>> &intervals);

std::size_t
intervalSequenceNumElements(const std::vector<poplar::Interval> &intervals);
std::size_t intervalSequenceNumElements(
    const std::vector<std::vector<poplar::Interval>> &intervals);

/// Divides regions, in order, into at most \p maxPartitions lists of similar
/// size. Regions are cut only at multiples of \p grainSize. A list has \p
/// minElementsPerPartition to \p maxElementsPerPartition elements if possible,
/// and no region exceeds \p maxElementsPerRegion.
std::vector<std::vector<poplar::Interval>>
splitRegions(const std::vector<poplar::Interval> &regions, unsigned grainSize,
             unsigned maxPartitions, unsigned minElementsPerPartition = 0,
             unsigned maxElementsPerPartition = UINT_MAX,
             unsigned maxElementsPerRegion = UINT_MAX);

/// The same for regions that are themselves lists of intervals, each contiguous
/// in memory (Graph::getSortedContiguousRegions).
std::vector<std::vector<std::vector<poplar::Interval>>>
splitRegions(const std::vector<std::vector<poplar::Interval>> &regions,
             unsigned grainSize, unsigned maxPartitions,
             unsigned minElementsPerPartition = 0,
             unsigned maxElementsPerPartition = UINT_MAX,
             unsigned maxElementsPerRegion = UINT_MAX);

/// Divides a tile's regions between its workers.
std::vector<std::vector<poplar::Interval>> splitRegionsBetweenWorkers(
    const poplar::Target &target, const std::vector<poplar::Interval> &regions,
    unsigned grainSize, unsigned minElementsPerPartition = 0,
    unsigned maxElementsPerPartition = UINT_MAX,
    unsigned maxElementsPerRegion = UINT_MAX);
std::vector<std::vector<std::vector<poplar::Interval>>>
splitRegionsBetweenWorkers(
    const poplar::Target &target,
    const std::vector<std::vector<poplar::Interval>> &regions,
    unsigned grainSize, unsigned minElementsPerPartition = 0,
    unsigned maxElementsPerPartition = UINT_MAX,
    unsigned maxElementsPerRegion = UINT_MAX);

/// Returns the indices of element \p index in an array of \p shape, in
/// row-major order.
template <class T>
std::vector<T> unflattenIndex(const std::vector<T> &shape, std::size_t index) {
  std::vector<T> coord(shape.size());
  for (std::size_t i = shape.size(); i != 0; --i) {
    coord[i - 1] = static_cast<T>(index % shape[i - 1]);
    index /= shape[i - 1];
  }
  return coord;
}

/// The inverse of unflattenIndex.
template <class T>
std::size_t flattenIndex(const std::vector<T> &shape,
                         const std::vector<T> &indices) {
  std::size_t index = 0;
  for (std::size_t i = 0; i != shape.size(); ++i)
    index = index * shape[i] + indices[i];
  return index;
}

/// Returns a new tensor with the same contents.
poplar::Tensor
duplicate(poplar::Graph &graph, const poplar::Tensor &in,
          poplar::program::Sequence &prog,
          const poplar::DebugContext &debugContext = {},
          poplar::TensorCloneMethod method =
              poplar::TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);

/// Returns \p N clones of \p t, stacked: [N, the shape of t...].
poplar::Tensor
cloneN(poplar::Graph &graph, const poplar::Tensor &t, unsigned N,
       const poplar::DebugContext &debugContext = {},
       poplar::TensorCloneMethod method =
           poplar::TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);

/// Returns the value rounded to half as the device rounds it.
double castToDeviceHalfValue(const poplar::Target &target, double input);
/// Returns true if conversion to \p outputType changes \p input, of type \p
/// inputType, by at most \p tolerance times its magnitude. Both types are FLOAT
/// or HALF.
bool checkAccuracyWhenCast(const poplar::Target &target, double input,
                           poplar::Type inputType, poplar::Type outputType,
                           double tolerance);

/// Computes the inverse of slicing by \p intervals. If the slices are
/// concatenated in the order of \p intervals, slicing the concatenation by the
/// result restores the original order.
std::vector<poplar::Interval>
calculateUnshufflingIntervals(const std::vector<poplar::Interval> &intervals);

/// Returns \p splits parts that differ by at most one and add up to \p upper.
std::vector<int> balancedPartition(int upper, int splits);

/// Splits dimension startDim + i into {dim / factors[i], factors[i]} and moves
/// all the factors behind the quotients.
poplar::Tensor factorDims(const poplar::Tensor &t,
                          const std::vector<std::size_t> &factors,
                          unsigned startDim = 0);
/// The inverse of factorDims.
poplar::Tensor unfactorDims(const poplar::Tensor &t, unsigned numDims,
                            unsigned startDim = 0);

} // namespace poputil

#endif
