// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A window is an epoch of a tile: the time from the start of its workers to the
// end of the last one. For example, six workers that each double their own part
// of an array touch no common words. Then the order of execution does not
// matter: translated code executes worker 0 to its end, then worker 1, and so
// on, and the supervisor's cycles are found between theirs, with the same
// results and cycles. If a context touches a word that another one writes, or
// anything else comes up for which the order matters, such as a fault, the
// epoch is undone, and the interpreter interleaves the contexts. A vertex that
// is known to follow its memoised path (Remembered.h) needs no epoch.

#ifndef POPULUS_RUNTIME_EMULATOR_WINDOWS_WINDOW_H
#define POPULUS_RUNTIME_EMULATOR_WINDOWS_WINDOW_H

#include "runtime/Emulator/Tile/Watch.h"
#include "runtime/Emulator/Translation/Translations.h"

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
