// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Estimates the time of a program without running it. Vertices take their
// estimated cycles, as on the IPU Model device; exchanges, syncs and transfers
// are those of the program, which the session would count in the same way.

#ifndef POPULUS_RUNTIME_SESSION_CYCLEESTIMATE_H
#define POPULUS_RUNTIME_SESSION_CYCLEESTIMATE_H

#include "runtime/Session/Session.h"

namespace populus::runtime {

/// Returns the cycles of one run of program \p index. A branch that depends on
/// data counts as its longest side; a loop that depends on data counts once.
/// Nothing takes time on the CPU device. Throws RunError for a program that
/// does not exist.
Cycles estimateCycles(const Executable &executable, std::uint32_t index);

} // namespace populus::runtime

#endif
