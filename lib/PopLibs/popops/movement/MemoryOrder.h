// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the dimension of a view that is innermost in memory. Operations that do
// not depend on the order of dimensions work along it.

#ifndef POPULUS_LIB_POPLIBS_POPOPS_MOVEMENT_MEMORYORDER_H
#define POPULUS_LIB_POPLIBS_POPOPS_MOVEMENT_MEMORYORDER_H

#include <poplar/Tensor.hpp>

#include <limits>
#include <vector>

namespace popops {

/// For dimensions whose elements have no distance.
constexpr std::size_t FarApart = std::numeric_limits<std::size_t>::max();

/// Distance in memory, in elements, of the first two elements along a
/// dimension.
std::size_t strideOf(const poplar::Tensor &t, unsigned dim);

/// Dimensions by descending stride; those with equal strides keep their order.
std::vector<unsigned> memoryOrder(const poplar::Tensor &t);

} // namespace popops

#endif
