// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The registers that a hardware loop or a straight line accesses. Its code
// works on a copy of them on the stack, which LLVM promotes to values.

#ifndef POPULUS_LIB_TRANSLATE_STATECOPY_H
#define POPULUS_LIB_TRANSLATE_STATECOPY_H

#include "lib/Translate/SemanticsModule.h"

#include "runtime/Emulator/Code/Decode.h"

#include <optional>
#include <vector>

namespace populus::translate {

/// Registers as bits: $m, $a, and pairs of $a. Pairs that are accessed as such
/// are whole.
struct StateCopy {
  std::uint32_t m = 0;
  std::uint32_t a = 0;
  std::uint32_t pairs = 0;

  /// Returns the registers $a that are in no pair.
  std::uint32_t singles() const;
};

/// Returns nothing if an instruction needs the interpreter, which needs the
/// context, or may change the behaviour of others.
std::optional<StateCopy>
stateCopyFor(SemanticsModule &semantics,
             const std::vector<runtime::emulator::DecodedSlot> &bundles);

} // namespace populus::translate

#endif
