// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Order of the elements in memory of a variable that Graph::clone makes.

#ifndef POPULUS_INCLUDE_POPLAR_TENSORCLONEMETHOD_HPP
#define POPULUS_INCLUDE_POPLAR_TENSORCLONEMETHOD_HPP

namespace poplar {

enum class TensorCloneMethod {
  PRESERVE_ORDER_AND_ALIASES,
  CREATE_NEW_ORDER,
  PRESERVE_ORDER_UNLESS_ALIASES,
  GATHER_AND_PRESERVE_TILE_ORDER_AND_ALIASES,
};

/// Placement in memory of the clones of Graph::cloneN. The clones always follow
/// each other.
enum class TensorCloneDuplicationMethod {
  DUPLICATE_BY_OUTER_DIMENSION,
  DUPLICATE_BY_TILE_CONTIGUOUS_REGION,
};

} // namespace poplar

#endif
