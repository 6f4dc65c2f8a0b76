// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Triangular matrices by halves: what is solved or factorised is the first
// half, a matrix product takes it out of the second half, and that follows.

#ifndef POPULUS_LIB_POPLIBS_POPLIN_TRIANGULARBLOCKS_H
#define POPULUS_LIB_POPLIBS_POPLIN_TRIANGULARBLOCKS_H

#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplin/PlanningCache.hpp>

namespace poplin {

class TriangularBlocks {
public:
  TriangularBlocks(poplar::Graph &graph, poplar::program::Sequence &prog,
                   const poplar::OptionFlags &options, PlanningCache *cache,
                   const poplar::DebugContext &debugContext);

  /// Replaces x[groups, N, K] by the solution of a[groups, N, N] X = x. Only
  /// the lower (or upper) triangle of \p a is read.
  void solve(const poplar::Tensor &a, const poplar::Tensor &x, bool lower,
             bool unitDiagonal) const;
  /// Replaces the lower triangle of a[groups, N, N] by its Cholesky factor.
  void factorise(const poplar::Tensor &a) const;

private:
  poplar::Graph &graph;
  poplar::program::Sequence &prog;
  const poplar::OptionFlags options;
  PlanningCache *const cache;
  const poplar::DebugContext &debugContext;

  void subtractProduct(const poplar::Tensor &c, const poplar::Tensor &a,
                       const poplar::Tensor &b) const;
};

/// Fails unless \p a is [..., N, N] of float or half.
void checkSquare(const poplar::Tensor &a, const char *function);

/// [..., M, N] as [groups, M, N].
poplar::Tensor asGroups(const poplar::Tensor &t);

} // namespace poplin

#endif
