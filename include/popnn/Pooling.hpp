// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pooling over windows of a field of any number of dimensions. Options:
// "poolUseIntrospectiveMapping", "optimizeForSpeed",
// "useFloatPartialsWhereBeneficial" ("true", "false"); they are checked and
// make no difference here.

#ifndef POPULUS_POPNN_POOLING_HPP
#define POPULUS_POPNN_POOLING_HPP

#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <popnn/PoolingDef.hpp>

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <vector>

namespace popnn {

const char *asString(const PoolingType &type);
std::ostream &operator<<(std::ostream &os, const PoolingType &type);

namespace pooling {

using popnn::asString;

struct PoolParams {
  /// Positive amounts pad (padding is ignored by the pooling), negative amounts
  /// truncate.
  PoolParams(PoolingType poolingType, std::vector<std::size_t> inputFieldShape,
             std::vector<std::size_t> kernelShape, std::vector<unsigned> stride,
             std::vector<int> inputTruncationOrPaddingLower,
             std::vector<int> inputTruncationOrPaddingUpper,
             std::size_t numChannels, std::size_t batchSize,
             poplar::Type dType);

  PoolingType poolingType;
  std::vector<std::size_t> inputFieldShape;
  std::vector<std::size_t> kernelShape;
  std::vector<unsigned> stride;
  std::vector<int> inputTruncationOrPaddingLower;
  std::vector<int> inputTruncationOrPaddingUpper;
  std::size_t numChannels;
  std::size_t batchSize;
  poplar::Type dType;

  std::size_t getNumFieldDims() const { return inputFieldShape.size(); }
  std::vector<std::size_t> getOutputFieldShape() const;
};

/// Returns \p in, [batch, channels, field...], pooled to the output field.
poplar::Tensor pool(poplar::Graph &graph, const PoolParams &params,
                    const poplar::Tensor &in, poplar::program::Sequence &prog,
                    const poplar::DebugContext &debugContext = {},
                    const poplar::OptionFlags &options = {});

/// Returns the gradient of the input. With MAX, each element equal to its
/// window's maximum gets the window's gradient, or an equal share of it with \p
/// useScaledGradient.
poplar::Tensor poolInputGradient(poplar::Graph &graph, const PoolParams &params,
                                 const poplar::Tensor &in,
                                 const poplar::Tensor &pooled,
                                 const poplar::Tensor &pooledGradient,
                                 bool useScaledGradient,
                                 poplar::program::Sequence &prog,
                                 const poplar::DebugContext &debugContext = {},
                                 const poplar::OptionFlags &options = {});
/// The same for AVG and SUM, which do not need the input.
/// \p fwdChansPerGroup is accepted and makes no difference.
poplar::Tensor poolInputGradient(poplar::Graph &graph, const PoolParams &params,
                                 const unsigned fwdChansPerGroup,
                                 const poplar::Tensor &pooledGradient,
                                 poplar::program::Sequence &prog,
                                 const poplar::DebugContext &debugContext = {},
                                 const poplar::OptionFlags &options = {});

/// Floating-point operations on elements that are not padding: sums,
/// comparisons, and the products of means.
std::uint64_t getFwdFlops(const PoolParams &params);
std::uint64_t getBwdFlops(const PoolParams &params);
/// Cycles that the vector units of all tiles need for that many operations.
double getFwdPerfectCycleCount(const poplar::Graph &graph,
                               const PoolParams &params);
double getBwdPerfectCycleCount(const poplar::Graph &graph,
                               const PoolParams &params);

} // namespace pooling
} // namespace popnn

#endif
