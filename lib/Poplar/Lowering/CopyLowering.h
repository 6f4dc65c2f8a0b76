// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies between tensors as exchanges.

#ifndef POPULUS_LIB_POPLAR_LOWERING_COPYLOWERING_H
#define POPULUS_LIB_POPLAR_LOWERING_COPYLOWERING_H

#include "lib/Poplar/Lowering/Draft.h"

#include <map>
#include <string>
#include <vector>

namespace poplar::core {

/// The exchanges that do a copy, to be run in order; none if there is nothing
/// to do. The tensors have equally many elements of one type.
std::vector<std::uint32_t> lowerCopy(Draft &draft, const std::string &name,
                                     const TensorView &source,
                                     const TensorView &destination);

/// The same from some replicas, the keys of the map, to others.
std::vector<std::uint32_t>
lowerCrossReplicaCopy(Draft &draft, const std::string &name,
                      const TensorView &source, const TensorView &destination,
                      const std::map<unsigned, unsigned> &replicaMap);

} // namespace poplar::core

#endif
