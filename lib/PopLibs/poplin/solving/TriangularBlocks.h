// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Triangular matrices by halves: what is solved or factorised is the first
// half, a matrix product takes it out of the second half, and that follows.

#ifndef POPULUS_LIB_POPLIBS_POPLIN_SOLVING_TRIANGULARBLOCKS_H
#define POPULUS_LIB_POPLIBS_POPLIN_SOLVING_TRIANGULARBLOCKS_H

#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplin/MatMul.hpp>
#include <poplin/PlanningCache.hpp>

#include <compare>
#include <cstddef>
#include <set>
#include <utility>
#include <vector>

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
  /// Replaces a[groups, N, N] by its factors, without exchanging rows: below
  /// the diagonal L, whose own diagonal is ones, and from there on U.
  void factoriseLU(const poplar::Tensor &a) const;

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

/// The matrix products of solve and factorise for one matrix of N rows, each
/// kind once. They follow the same halves.
class TriangularProducts {
public:
  void solve(std::size_t n, std::size_t columns, bool lower);
  void factorise(std::size_t n);
  /// Lists the products for that many matrices.
  std::vector<std::pair<MatMulParams, poplar::OptionFlags>>
  inGroups(std::size_t groups, const poplar::Type &type,
           const poplar::OptionFlags &options) const;

private:
  struct Product {
    std::size_t rows, depth, columns;
    friend auto operator<=>(const Product &, const Product &) = default;
  };
  std::set<Product> products;
};

/// [..., M, N] as [groups, M, N].
poplar::Tensor asGroups(const poplar::Tensor &t);

} // namespace poplin

#endif
