// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which dimension of a view is innermost in memory. Operations whose result
// does not depend on the order of dimensions work along that one.

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

/// The dimensions from the one with the largest stride to the innermost; in
/// their order where strides are equal.
std::vector<unsigned> memoryOrder(const poplar::Tensor &t);

} // namespace popops

#endif
