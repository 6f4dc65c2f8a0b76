// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The vertices of a reduction, stage by stage: first each tile reduces what it
// holds, then partial results are brought together, over a tree where there are
// many.

#ifndef POPULUS_LIB_POPLIBS_POPOPS_REDUCTION_REDUCESTAGES_H
#define POPULUS_LIB_POPLIBS_POPOPS_REDUCTION_REDUCESTAGES_H

#include <poplar/Graph.hpp>
#include <popops/OperationDef.hpp>

#include <vector>

namespace popops {

/// A matrix that is reduced to one value for each kept index.
struct ReduceMatrix {
  /// [kept, reduced], or [reduced, kept] with byColumns.
  poplar::Tensor in;
  bool byColumns = false;

  std::size_t kept() const { return in.dim(byColumns ? 1 : 0); }
  std::size_t reduced() const { return in.dim(byColumns ? 0 : 1); }
};

/// Compute sets that are executed one after the other.
using Stages = std::vector<poplar::ComputeSet>;

/// Reduces a matrix with at least one element; adds what does it to \p stages.
/// The result has one dimension; it is \p out if that is valid, else new and
/// mapped near the data.
poplar::Tensor reduceMatrix(poplar::Graph &graph, const ReduceMatrix &matrix,
                            Operation op, const poplar::Type &outType,
                            poplar::Tensor out, Stages &stages,
                            const poplar::DebugContext &debugContext);

} // namespace popops

#endif
