// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers of the control registers, as get, put, uget and uput name them.

#ifndef POPULUS_RUNTIME_EMULATOR_MACHINE_CONTROLNUMBERS_H
#define POPULUS_RUNTIME_EMULATOR_MACHINE_CONTROLNUMBERS_H

#include <cstdint>

namespace populus::runtime::emulator::csr {

// Lower space, all contexts.
inline constexpr std::int32_t Pc = 0;
inline constexpr std::int32_t Status = 1; // $WSR, $SSR
inline constexpr std::int32_t CountLow = 96;
inline constexpr std::int32_t CountHigh = 97;
inline constexpr std::int32_t DebugData = 112;
// Workers.
inline constexpr std::int32_t VertexBase = 2;
inline constexpr std::int32_t WorkerBase = 3;
inline constexpr std::int32_t RepeatCount = 4;
inline constexpr std::int32_t WorkerTileId = 98;
// Supervisor.
inline constexpr std::int32_t Command = 2; // $CR
inline constexpr std::int32_t TileId = 3;
inline constexpr std::int32_t FpInitialControl = 32; // $FP_ICTL
inline constexpr std::int32_t WorkerBases = 33;      // to 38
inline constexpr std::int32_t WeightLoad = 80;       // $CCCSLOAD
// Upper space.
inline constexpr std::int32_t FpStatus = 0;
inline constexpr std::int32_t FpClear = 1;
inline constexpr std::int32_t FpControl = 2;
inline constexpr std::int32_t Prng = 3; // to 6
inline constexpr std::int32_t PrngSeed = 7;
inline constexpr std::int32_t Tas = 8;

} // namespace populus::runtime::emulator::csr

#endif
