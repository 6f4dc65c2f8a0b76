// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lower bound of the cost of pooling, from the number of elements in all
// windows.

#include <popnn/Pooling.hpp>

using namespace poplar;

namespace popnn {
namespace pooling {
namespace {

/// The elements in the windows of all results along one dimension.
std::uint64_t elementsAlong(const PoolParams &params, std::size_t dim) {
  const auto size = static_cast<std::int64_t>(params.inputFieldShape[dim]);
  const std::int64_t lower = params.inputTruncationOrPaddingLower[dim];
  const std::int64_t upper = params.inputTruncationOrPaddingUpper[dim];
  // Truncated elements count as little as padding.
  const std::int64_t first = lower < 0 ? -lower : 0;
  const std::int64_t last = upper < 0 ? size + upper : size;
  const std::size_t results = params.getOutputFieldShape()[dim];
  std::uint64_t elements = 0;
  for (std::size_t r = 0; r != results; ++r)
    for (std::size_t k = 0; k != params.kernelShape[dim]; ++k) {
      const std::int64_t place =
          static_cast<std::int64_t>(r * params.stride[dim] + k) - lower;
      elements += place >= first && place < last;
    }
  return elements;
}

std::uint64_t elementsInWindows(const PoolParams &params) {
  std::uint64_t elements = params.batchSize * params.numChannels;
  for (std::size_t dim = 0; dim != params.getNumFieldDims(); ++dim)
    elements *= elementsAlong(params, dim);
  return elements;
}

std::uint64_t results(const PoolParams &params) {
  std::uint64_t count = params.batchSize * params.numChannels;
  for (std::size_t extent : params.getOutputFieldShape())
    count *= extent;
  return count;
}

double perfectCycles(const Graph &graph, const PoolParams &params,
                     std::uint64_t flops) {
  const Target &target = graph.getTarget();
  return static_cast<double>(flops) /
         (static_cast<double>(target.getVectorWidth(params.dType)) *
          target.getNumTiles());
}

} // namespace

std::uint64_t getFwdFlops(const PoolParams &params) {
  return elementsInWindows(params) +
         (params.poolingType == PoolingType::AVG ? results(params) : 0);
}

std::uint64_t getBwdFlops(const PoolParams &params) {
  // The elements of a maximum are compared with it.
  switch (params.poolingType) {
  case PoolingType::MAX:
    return 2 * elementsInWindows(params);
  case PoolingType::AVG:
    return elementsInWindows(params) + results(params);
  case PoolingType::SUM:
    break;
  }
  return elementsInWindows(params);
}

double getFwdPerfectCycleCount(const Graph &graph, const PoolParams &params) {
  return perfectCycles(graph, params, getFwdFlops(params));
}

double getBwdPerfectCycleCount(const Graph &graph, const PoolParams &params) {
  return perfectCycles(graph, params, getBwdFlops(params));
}

} // namespace pooling
} // namespace popnn
