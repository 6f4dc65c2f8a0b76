// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A window: the time from when a tile's workers start until all of them have
// ended. If in it no context touches a word of memory that another one writes,
// it does not matter that they take turns: each worker is executed to its end,
// by translated code, and then the supervisor's cycles are found between
// theirs, with the same results and cycles. If one does, or anything else comes
// up that the order matters for, such as a fault, the window is undone, and the
// contexts take turns in the interpreter. A vertex that is known to do what it
// did before (Remembered.h) needs none.

#ifndef POPULUS_RUNTIME_EMULATOR_WINDOWS_WINDOW_H
#define POPULUS_RUNTIME_EMULATOR_WINDOWS_WINDOW_H

#include "runtime/Emulator/Translation/Translations.h"
#include "runtime/Emulator/Watching/Watch.h"

namespace populus::runtime::emulator {

/// Runs the window that begins now, where workers have been started and have
/// done nothing yet; no worker is active after it. `start` is the cycle when
/// the vertex began; the learner, if there is one, looks on. False: nothing has
/// been done.
bool runWindow(Tile &tile, std::uint64_t start, std::uint64_t cycleLimit,
               Learner *learner = nullptr);

/// Executes a context in a cycle of its own. Returns false on a fault.
bool stepInterleaved(Context &c);

} // namespace populus::runtime::emulator

#endif
