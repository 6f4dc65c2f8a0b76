// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts sparse matrices of the host to the contents of the two tensors of a
// SparseTensor, and back. Unused block slots hold zeros and the index of a
// block row that the matrix does not have.

#ifndef POPULUS_POPSPARSE_SPARSEPARTITIONER_HPP
#define POPULUS_POPSPARSE_SPARSEPARTITIONER_HPP

#include <popsparse/FullyConnectedParams.hpp>
#include <popsparse/MatMulParams.hpp>
#include <popsparse/PlanningCache.hpp>
#include <popsparse/SparseStorageFormats.hpp>

#include <poplar/OptionFlags.hpp>
#include <poplar/Target.hpp>
#include <poplar/Type.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace popsparse {
namespace dynamic {

template <typename T> struct SparsityDataImpl {
  /// To be written to the metadata tensor, as UNSIGNED_SHORT.
  std::vector<std::size_t> metaInfo;
  /// To be written to the tensor of values.
  std::vector<T> nzValues;
};

/// T is the type of the values on the host: float or double. Options are those
/// of fullyConnectedFwd.
template <typename T> class Partitioner {
public:
  Partitioner(const FullyConnectedParams &params, const poplar::Type &dataType,
              const poplar::Target &target,
              const poplar::OptionFlags &options = {},
              PlanningCache *cache = nullptr, std::string name = "");
  Partitioner(const MatMulParams &params, const poplar::Type &dataType,
              const poplar::Target &target,
              const poplar::OptionFlags &options = {},
              PlanningCache *cache = nullptr, std::string name = "")
      : Partitioner(params.asFullyConnected(), dataType, target, options, cache,
                    std::move(name)) {}

  /// Throws poplibs_error if the matrix has another size or more values than
  /// there are slots.
  SparsityDataImpl<T> createSparsityDataImpl(const COOMatrix<T> &matrix) const;
  SparsityDataImpl<T> createSparsityDataImpl(const CSRMatrix<T> &matrix) const;
  SparsityDataImpl<T> createSparsityDataImpl(const CSCMatrix<T> &matrix) const;

  /// In the order of rows.
  COOMatrix<T>
  sparsityDataImplToCOOMatrix(const SparsityDataImpl<T> &data) const;
  CSRMatrix<T>
  sparsityDataImplToCSRMatrix(const SparsityDataImpl<T> &data) const;
  CSCMatrix<T>
  sparsityDataImplToCSCMatrix(const SparsityDataImpl<T> &data) const;

  /// Elements of metadata: all of it is one bucket.
  std::size_t getmetaInfoBucketElements() const;

private:
  FullyConnectedParams params;
  std::string name;
};

extern template class Partitioner<float>;
extern template class Partitioner<double>;

} // namespace dynamic
} // namespace popsparse

#endif
