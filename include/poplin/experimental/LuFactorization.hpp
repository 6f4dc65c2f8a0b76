// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The LU factors of matrices, without exchanging rows: for matrices of which no
// leading part is singular, such as diagonally dominant ones.

#ifndef POPULUS_POPLIN_EXPERIMENTAL_LUFACTORIZATION_HPP
#define POPULUS_POPLIN_EXPERIMENTAL_LUFACTORIZATION_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#include <utility>

namespace poplin {
namespace experimental {

/// L, lower triangular with ones on the diagonal, and U, upper triangular, with
/// L U = \p input, [..., N, N] of float or half.
std::pair<poplar::Tensor, poplar::Tensor>
LUFactorization(poplar::Graph &graph, poplar::Tensor &input,
                poplar::program::Sequence &seq,
                const poplar::DebugContext &debugContext = {});

} // namespace experimental
} // namespace poplin

#endif
