// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Record of the liveness of variables, for reports.

#ifndef POPULUS_LIB_POPLAR_LOWERING_LIVENESSRECORD_H
#define POPULUS_LIB_POPLAR_LOWERING_LIVENESSRECORD_H

#include "lib/Poplar/Lowering/Memory.h"
#include "lib/Poplar/Lowering/VariableLiveness.h"

namespace poplar::core {

VariableLiveness recordLiveness(const GraphImpl &graph, const Storage &storage,
                                const MemoryPlan &memory);

} // namespace poplar::core

#endif
