// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sizes of a product of a sparse matrix and a dense one: [m, k] times
// [k, n].

#ifndef POPULUS_POPSPARSE_MATMULPARAMS_HPP
#define POPULUS_POPSPARSE_MATMULPARAMS_HPP

#include <popsparse/FullyConnectedParams.hpp>
#include <popsparse/SparsityParams.hpp>

#include <cstddef>

namespace popsparse {
namespace dynamic {

class MatMulParams {
public:
  static MatMulParams createWithNzRatio(const SparsityParams &sparsityParams,
                                        double nzRatio, std::size_t groups,
                                        std::size_t m, std::size_t k,
                                        std::size_t n) {
    return MatMulParams(FullyConnectedParams::createWithNzRatio(
        sparsityParams, nzRatio, n, groups, k, m));
  }
  static MatMulParams
  createWithNumNonZeroValues(const SparsityParams &sparsityParams,
                             std::size_t numNonZeroElems, std::size_t groups,
                             std::size_t m, std::size_t k, std::size_t n) {
    return MatMulParams(FullyConnectedParams::createWithNumNonZeroValues(
        sparsityParams, numNonZeroElems, n, groups, k, m));
  }

  std::size_t getNumGroups() const { return layer.getNumGroups(); }
  std::size_t getM() const { return layer.getOutputChannelsPerGroup(); }
  std::size_t getK() const { return layer.getInputChannelsPerGroup(); }
  std::size_t getN() const { return layer.getBatchSize(); }
  const SparsityParams &getSparsityParams() const {
    return layer.getSparsityParams();
  }
  double getNzRatio() const { return layer.getNzRatio(); }
  std::size_t getNumNonZeroValues() const {
    return layer.getNumNonZeroValues();
  }
  /// The layer whose weights are the sparse matrix.
  const FullyConnectedParams &asFullyConnected() const { return layer; }

private:
  explicit MatMulParams(const FullyConnectedParams &layer) : layer(layer) {}
  FullyConnectedParams layer;
};

} // namespace dynamic
} // namespace popsparse

#endif
