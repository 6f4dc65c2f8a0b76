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

namespace static_ {

/// A product with a sparse left or right matrix whose pattern is known at
/// compile time.
class MatMulParams {
public:
  static MatMulParams createForSparseDense(std::size_t groups, std::size_t m,
                                           std::size_t k, std::size_t n) {
    return MatMulParams(true, groups, m, k, n);
  }
  static MatMulParams createForDenseSparse(std::size_t groups, std::size_t m,
                                           std::size_t k, std::size_t n) {
    return MatMulParams(false, groups, m, k, n);
  }

  std::size_t getNumGroups() const { return groups; }
  std::size_t getM() const { return m; }
  std::size_t getK() const { return k; }
  std::size_t getN() const { return n; }
  /// The left matrix is the sparse one.
  bool isSparseDense() const { return sparseDense; }

private:
  MatMulParams(bool sparseDense, std::size_t groups, std::size_t m,
               std::size_t k, std::size_t n)
      : sparseDense(sparseDense), groups(groups), m(m), k(k), n(n) {}
  bool sparseDense;
  std::size_t groups, m, k, n;
};

} // namespace static_
} // namespace popsparse

#endif
