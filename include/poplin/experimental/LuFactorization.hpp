// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LU factorisation of matrices without pivoting. All leading submatrices must
// be nonsingular, as they are in diagonally dominant matrices.

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
