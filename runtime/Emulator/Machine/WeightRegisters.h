// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The coefficient registers $CWEI of a tile.

#ifndef POPULUS_RUNTIME_EMULATOR_MACHINE_WEIGHTREGISTERS_H
#define POPULUS_RUNTIME_EMULATOR_MACHINE_WEIGHTREGISTERS_H

#include <cstdint>

namespace populus::runtime::emulator {

struct WeightRegisters {
  static constexpr unsigned Sets = 2, PerSet = 32;
  alignas(64) std::uint64_t bits[Sets * PerSet] = {};
};

} // namespace populus::runtime::emulator

#endif
