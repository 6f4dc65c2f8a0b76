// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sizes of a fully connected layer with sparse weights.

#ifndef POPULUS_POPSPARSE_FULLYCONNECTEDPARAMS_HPP
#define POPULUS_POPSPARSE_FULLYCONNECTEDPARAMS_HPP

#include <popsparse/SparsityParams.hpp>

#include <cstddef>
#include <iosfwd>

namespace popsparse {
namespace dynamic {

/// Sizes of a layer. The weights of each group are [output size, input size].
/// The weights of all groups form one sparse matrix, with the rows of a group
/// after those of the previous one.
class FullyConnectedParams {
public:
  /// \p nzRatio is the maximum fraction of nonzero weights.
  static FullyConnectedParams
  createWithNzRatio(const SparsityParams &sparsityParams, double nzRatio,
                    std::size_t batchSize, std::size_t numGroups,
                    std::size_t inputSize, std::size_t outputSize);
  static FullyConnectedParams
  createWithNumNonZeroValues(const SparsityParams &sparsityParams,
                             std::size_t numNonZeroElems, std::size_t batchSize,
                             std::size_t numGroups, std::size_t inputSize,
                             std::size_t outputSize);

  std::size_t getBatchSize() const { return batchSize; }
  std::size_t getNumGroups() const { return numGroups; }
  std::size_t getInputChannels() const { return numGroups * inputSize; }
  std::size_t getOutputChannels() const { return numGroups * outputSize; }
  std::size_t getInputChannelsPerGroup() const { return inputSize; }
  std::size_t getOutputChannelsPerGroup() const { return outputSize; }
  const SparsityParams &getSparsityParams() const { return sparsityParams; }
  double getNzRatio() const { return nzRatio; }
  /// Number of nonzero values of all groups, rounded to whole blocks.
  std::size_t getNumNonZeroValues() const;

  friend bool operator==(const FullyConnectedParams &a,
                         const FullyConnectedParams &b) {
    return a.sparsityParams == b.sparsityParams && a.nzRatio == b.nzRatio &&
           a.batchSize == b.batchSize && a.numGroups == b.numGroups &&
           a.inputSize == b.inputSize && a.outputSize == b.outputSize;
  }
  friend std::ostream &operator<<(std::ostream &out,
                                  const FullyConnectedParams &params);

private:
  FullyConnectedParams() {}
  SparsityParams sparsityParams;
  double nzRatio = 0;
  std::size_t batchSize = 0, numGroups = 0, inputSize = 0, outputSize = 0;
};

} // namespace dynamic
} // namespace popsparse

#endif
