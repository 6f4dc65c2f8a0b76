// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies between tensors as exchanges.

#ifndef POPULUS_LIB_POPLAR_LOWERING_COPYLOWERING_H
#define POPULUS_LIB_POPLAR_LOWERING_COPYLOWERING_H

#include "lib/Poplar/Lowering/Draft.h"
#include "lib/Poplar/Lowering/ExchangeMerging.h"

#include <map>
#include <string>

namespace poplar::core {

/// Adds a copy after the pending ones, in one or two exchanges. The tensors
/// have the same type and number of elements.
void lowerCopy(Draft &draft, ExchangeMerger &exchanges, const std::string &name,
               const TensorView &source, const TensorView &destination);

/// The same from some replicas, the keys of the map, to others.
void lowerCrossReplicaCopy(Draft &draft, ExchangeMerger &exchanges,
                           const std::string &name, const TensorView &source,
                           const TensorView &destination,
                           const std::map<unsigned, unsigned> &replicaMap);

} // namespace poplar::core

#endif
