// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies between tensors as exchanges.

#ifndef POPULUS_LIB_POPLAR_LOWERING_COPYLOWERING_H
#define POPULUS_LIB_POPLAR_LOWERING_COPYLOWERING_H

#include "lib/Poplar/Lowering/Draft.h"

namespace poplar::core {

/// The exchanges that do a copy, to be run in order; none if there is nothing
/// to do. The tensors have equally many elements of one type.
std::vector<std::uint32_t> lowerCopy(Draft &draft, const std::string &name,
                                     const TensorView &source,
                                     const TensorView &destination);

} // namespace poplar::core

#endif
