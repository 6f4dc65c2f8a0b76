// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies between tensors as exchanges.

#ifndef POPULUS_LIB_POPLAR_LOWERING_COPYLOWERING_H
#define POPULUS_LIB_POPLAR_LOWERING_COPYLOWERING_H

#include "lib/Poplar/Graph/ReplicaCopies.h"
#include "lib/Poplar/Lowering/Draft.h"
#include "lib/Poplar/Lowering/ExchangeMerging.h"

#include <string>
#include <vector>

namespace poplar::core {

/// Adds a copy after the pending ones, in one or two exchanges. The tensors
/// have the same type and number of elements.
void lowerCopy(Draft &draft, ExchangeMerger &exchanges, const std::string &name,
               const TensorView &source, const TensorView &destination);

/// The same for copies between replicas, which all happen at once.
void lowerReplicaCopies(Draft &draft, ExchangeMerger &exchanges,
                        const std::string &name,
                        const std::vector<ReplicaCopy> &copies);

} // namespace poplar::core

#endif
