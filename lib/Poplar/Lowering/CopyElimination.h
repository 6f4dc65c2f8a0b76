// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elimination of copies between variables with the same tiles and order. If the
// old variable is dead once the new one has its value, both can share memory,
// and nothing is copied.

#ifndef POPULUS_LIB_POPLAR_LOWERING_COPYELIMINATION_H
#define POPULUS_LIB_POPLAR_LOWERING_COPYELIMINATION_H

#include "lib/Poplar/Lowering/Exchanges.h"
#include "lib/Poplar/Lowering/Liveness.h"
#include "lib/Poplar/Lowering/Storage.h"
#include "runtime/Format/Executable.h"

#include <cstdint>
#include <vector>

namespace poplar::core {

/// Returns for each block the block whose memory it uses, or None. The needs
/// and the liveness of the first are added to those of the second.
std::vector<std::uint32_t> shareCopies(const populus::runtime::Executable &exe,
                                       const Exchanges &exchanges,
                                       Storage &storage, Liveness &liveness);

} // namespace poplar::core

#endif
