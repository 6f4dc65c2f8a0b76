// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evenly spaced numbers, and grids of them.

#ifndef POPULUS_POPLIN_MESHGRID_HPP
#define POPULUS_POPLIN_MESHGRID_HPP

#include <poplar/Graph.hpp>

#include <cstddef>
#include <vector>

namespace poplin {

/// A constant of \p count numbers from \p left to \p right, both included, of
/// type FLOAT or HALF.
poplar::Tensor linspace(poplar::Graph &graph, const poplar::Type &type,
                        float left, float right, std::size_t count,
                        const poplar::DebugContext &debugContext = {});

/// For \p x [n] and \p y [m] two views [m, n]: x along the columns, y along the
/// rows.
std::vector<poplar::Tensor> meshgrid2d(poplar::Graph &graph, poplar::Tensor x,
                                       poplar::Tensor y);

} // namespace poplin

#endif
