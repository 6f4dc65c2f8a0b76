// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code of a loop with `rpt`: before it, in it, and after it.

#ifndef POPULUS_LIB_TARGET_IPU_IPUREPEAT_H
#define POPULUS_LIB_TARGET_IPU_IPUREPEAT_H

namespace llvm {

class IPUInstrInfo;
struct CountedBlock;
struct IPUModuloSchedule;

/// The most stages for a count that is not known: as it is, and with a test for
/// counts that are too small, which needs a register.
inline constexpr unsigned MaxStagesOfOne = 2;
inline constexpr unsigned MaxStagesWithTest = 4;

/// Replaces a loop by `rpt`, with iterations that overlap as a schedule says.
void emitRepeat(CountedBlock &L, const IPUModuloSchedule &Schedule,
                const IPUInstrInfo &TII);

} // namespace llvm

#endif
