// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vertices of a reduction, stage by stage. First each tile reduces its own
// elements, then partial results are combined, in a tree if there are many.
// With two operands for each vertex:
//
//    stage 1    a + b      c + d      e + f      g + h     each on its own tile
//    stage 2    (a + b) + (c + d)     (e + f) + (g + h)    partial results
//    stage 3    the sum

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

/// Reduces a matrix with at least one element and appends compute sets to \p
/// stages. The result has one dimension. It is \p out if that is valid;
/// otherwise it is new and mapped near the data.
poplar::Tensor reduceMatrix(poplar::Graph &graph, const ReduceMatrix &matrix,
                            Operation op, const poplar::Type &outType,
                            poplar::Tensor out, Stages &stages,
                            const poplar::DebugContext &debugContext);

} // namespace popops

#endif
