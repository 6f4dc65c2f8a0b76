// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A sparse matrix on a device: the values, and their positions, which a
// Partitioner computes. Both may change between runs.

#ifndef POPULUS_POPSPARSE_SPARSETENSOR_HPP
#define POPULUS_POPSPARSE_SPARSETENSOR_HPP

#include <popsparse/FullyConnectedParams.hpp>

#include <poplar/Tensor.hpp>

#include <memory>
#include <utility>

namespace popsparse {
namespace dynamic {

class SparseTensor {
public:
  /// The operation that the matrix is for. A tensor made from two others needs
  /// it in products.
  typedef std::shared_ptr<const FullyConnectedParams> OpMetaData;

  SparseTensor() {}
  SparseTensor(poplar::Tensor metaInfo, poplar::Tensor nzValues,
               OpMetaData opMetaData = OpMetaData())
      : metaInfo(std::move(metaInfo)), nzValues(std::move(nzValues)),
        opMetaData(std::move(opMetaData)) {}

  /// Block row and block column of each block slot, used or not: two numbers of
  /// type UNSIGNED_SHORT.
  const poplar::Tensor &getMetaInfoTensor() const { return metaInfo; }
  /// The values of the blocks in the same order.
  const poplar::Tensor &getNzValuesTensor() const { return nzValues; }
  const OpMetaData &getOpMetaData() const { return opMetaData; }

private:
  poplar::Tensor metaInfo, nzValues;
  OpMetaData opMetaData;
};

} // namespace dynamic

namespace static_ {

/// The pattern of a sparse matrix: its size, and where its blocks lie.
struct SparsityPattern;

class SparseTensor {
public:
  typedef std::shared_ptr<const SparsityPattern> OpMetaData;

  SparseTensor() {}
  SparseTensor(poplar::Tensor nzValues, OpMetaData opMetaData)
      : nzValues(std::move(nzValues)), opMetaData(std::move(opMetaData)) {}

  /// The values in the order in which the matrix of the host has them.
  const poplar::Tensor &getNzValuesTensor() const { return nzValues; }
  const OpMetaData &getOpMetaData() const { return opMetaData; }

private:
  poplar::Tensor nzValues;
  OpMetaData opMetaData;
};

} // namespace static_
} // namespace popsparse

#endif
