// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Facts about the number of iterations of a counted loop. The analysis of the
// IR hands them to the pass that makes `rpt` of the loop, as an operand of the
// instruction that counts (LOOP_DEC).

#ifndef POPULUS_LIB_TARGET_IPU_IPUHARDWARELOOPS_H
#define POPULUS_LIB_TARGET_IPU_IPUHARDWARELOOPS_H

#include <cstdint>

namespace llvm {

namespace LoopBound {
/// The counter may start at zero, which stands for 2^32 iterations.
inline constexpr uint32_t Unknown = 0;
/// The most that `rpt` can count on any processor. 1 to this: the loop has no
/// more iterations.
inline constexpr uint32_t Largest = 0xffff;
/// Any number of iterations but 2^32.
inline constexpr uint32_t NotZero = Largest + 1;
} // namespace LoopBound

} // namespace llvm

#endif
