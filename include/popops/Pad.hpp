// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Padding as a view: the result joins the tensor with constants or repeats its
// own elements; no program is needed. A negative padding cuts off.

#ifndef POPULUS_POPOPS_PAD_HPP
#define POPULUS_POPOPS_PAD_HPP

#include <poplar/Graph.hpp>

#include <cstddef>
#include <vector>

namespace popops {
namespace padding {

/// Padding with elements of the tensor.
enum class Type { EDGE, REFLECT };

/// Mapping of constant padding: none (the caller maps it), tile 0, or the tile
/// of the nearest element.
enum class MappingMethod { NONE, ZERO, EDGE };

} // namespace padding

/// One lower and one upper amount for each dimension.
poplar::Tensor
pad(poplar::Graph &graph, const poplar::Tensor &t,
    const std::vector<std::ptrdiff_t> &paddingLower,
    const std::vector<std::ptrdiff_t> &paddingUpper, float val = 0.0f,
    padding::MappingMethod mappingMethod = padding::MappingMethod::ZERO);
poplar::Tensor
pad(poplar::Graph &graph, const poplar::Tensor &t,
    const std::vector<std::ptrdiff_t> &paddingLower,
    const std::vector<std::ptrdiff_t> &paddingUpper, int val,
    padding::MappingMethod mappingMethod = padding::MappingMethod::ZERO);
/// \p val is one element of the tensor's type.
poplar::Tensor
pad(poplar::Graph &graph, const poplar::Tensor &t,
    const std::vector<std::ptrdiff_t> &paddingLower,
    const std::vector<std::ptrdiff_t> &paddingUpper, const poplar::Tensor &val,
    padding::MappingMethod mappingMethod = padding::MappingMethod::ZERO);

/// One dimension.
poplar::Tensor
pad(poplar::Graph &graph, const poplar::Tensor &t, std::ptrdiff_t paddingLower,
    std::ptrdiff_t paddingUpper, unsigned dim, float val = 0.0f,
    padding::MappingMethod mappingMethod = padding::MappingMethod::ZERO);
poplar::Tensor
pad(poplar::Graph &graph, const poplar::Tensor &t, std::ptrdiff_t paddingLower,
    std::ptrdiff_t paddingUpper, unsigned dim, int val,
    padding::MappingMethod mappingMethod = padding::MappingMethod::ZERO);
poplar::Tensor
pad(poplar::Graph &graph, const poplar::Tensor &t, std::ptrdiff_t paddingLower,
    std::ptrdiff_t paddingUpper, unsigned dim, const poplar::Tensor &val,
    padding::MappingMethod mappingMethod = padding::MappingMethod::ZERO);

/// Repeats the edge, or reflects at it.
poplar::Tensor pad(const poplar::Tensor &t,
                   const std::vector<std::ptrdiff_t> &paddingLower,
                   const std::vector<std::ptrdiff_t> &paddingUpper,
                   padding::Type type);
poplar::Tensor pad(const poplar::Tensor &t, std::ptrdiff_t paddingLower,
                   std::ptrdiff_t paddingUpper, unsigned dim,
                   padding::Type type);

} // namespace popops

#endif
