// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The requests to a session on the emulator to watch a run: traces,
// breakpoints, counts, checks, a debugger. Watched vertices run slower, with
// the same results and cycles.

#ifndef POPULUS_RUNTIME_SESSION_WATCHOPTIONS_H
#define POPULUS_RUNTIME_SESSION_WATCHOPTIONS_H

#include "runtime/Session/Findings.h"

#include <cstdint>
#include <iosfwd>
#include <limits>
#include <string>
#include <vector>

namespace populus::runtime {

class DebugHook;

/// Numbers from first to last.
struct Span {
  std::uint64_t first = 0;
  std::uint64_t last = std::numeric_limits<std::uint64_t>::max();
};

/// No spans: everything.
inline bool isIn(const std::vector<Span> &spans, std::uint64_t number) {
  for (const Span &span : spans)
    if (number >= span.first && number <= span.last)
      return true;
  return spans.empty();
}

struct TraceOptions {
  /// Receives a line for each executed instruction or bundle; null: no trace.
  std::ostream *out = nullptr;
  std::vector<Span> tiles;
  std::vector<Span> contexts; // 0 to 5: workers, 6: the supervisor
  std::vector<Span> cycles;   // of the tile
};

struct WatchOptions {
  TraceOptions trace;
  /// Symbols or addresses ("0x4c010"); the run stops there with a FaultError.
  std::vector<std::string> breakpoints;
  CheckOptions checks;
  /// Count what is executed (InstructionCounts.h).
  bool countInstructions = false;
  /// A debugger (DebugHook.h), which has to outlive the session; or null.
  DebugHook *debugger = nullptr;

  bool any() const {
    return trace.out || !breakpoints.empty() || checks.any() ||
           countInstructions || debugger;
  }
};

} // namespace populus::runtime

#endif
