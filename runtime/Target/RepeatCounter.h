// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The counter of `rpt`, which the code generator, the linker and the emulator
// must agree on.

#ifndef POPULUS_RUNTIME_TARGET_REPEATCOUNTER_H
#define POPULUS_RUNTIME_TARGET_REPEATCOUNTER_H

namespace populus::runtime {

/// The low bits of a register that `rpt` counts, by TargetInfo::archVersion.
constexpr unsigned repeatBits(unsigned archVersion) {
  return archVersion == 1 ? 12 : 16;
}

} // namespace populus::runtime

#endif
