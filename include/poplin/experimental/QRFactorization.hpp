// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The QR factors of a matrix, by reflections.

#ifndef POPULUS_POPLIN_EXPERIMENTAL_QRFACTORIZATION_HPP
#define POPULUS_POPLIN_EXPERIMENTAL_QRFACTORIZATION_HPP

#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>

#include <array>
#include <cstddef>

namespace poplin {
namespace experimental {

/// Matrices for QRFactorization: A, [m, n], and Q, [m, m], which holds the
/// identity when the program is loaded.
std::array<poplar::Tensor, 2>
createQRFactorizationMatrices(poplar::Graph &graph, const poplar::Type &type,
                              std::size_t m, std::size_t n,
                              const poplar::DebugContext &debugContext = {});

/// Replaces \p A, [m, n] of float with m >= n, by R, which is upper triangular,
/// and \p Q, [m, m], by Q times the orthogonal matrix with which A = Q R: with
/// the identity in it, that is Q. There are no options.
void QRFactorization(poplar::Graph &graph, poplar::Tensor &A, poplar::Tensor &Q,
                     poplar::program::Sequence &prog,
                     const poplar::DebugContext &debugContext = {},
                     const poplar::OptionFlags &options = {});

} // namespace experimental
} // namespace poplin

#endif
