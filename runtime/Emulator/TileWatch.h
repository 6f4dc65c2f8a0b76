// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The watcher of a tile: hands what it sees to the trace, the breakpoints, the
// counter, the checker and the debugger, as a session was asked to.

#ifndef POPULUS_RUNTIME_EMULATOR_TILEWATCH_H
#define POPULUS_RUNTIME_EMULATOR_TILEWATCH_H

#include "runtime/Emulator/Checks/Checker.h"
#include "runtime/Emulator/Tile/Watch.h"
#include "runtime/Emulator/Watching/CodeCounter.h"
#include "runtime/Emulator/Watching/Trace.h"
#include "runtime/Session/DebugHook.h"

#include <memory>
#include <optional>
#include <vector>

namespace populus::runtime::emulator {

class TileWatch final : public Watcher {
public:
  TileWatch(Tile &tile, Tracer *tracer, const Breakpoints &breakpoints,
            std::optional<CodeCounter> counter, Checker *checker,
            DebugHook *debugger)
      : tile(tile), tracer(tracer), breakpoints(breakpoints),
        counter(std::move(counter)), checker(checker), debugger(debugger),
        looksAtCode(tracer || breakpoints.any()) {
    attachWatcher(tile, this, checker != nullptr);
  }

  /// Returns the checker if it is the only hook, or null.
  Checker *onlyChecker() const {
    return looksAtCode || counter || debugger ? nullptr : checker;
  }

  void beginComputeSet() {
    if (checker)
      checker->beginComputeSet();
  }
  void beginVertex(std::uint32_t vertex) {
    if (checker)
      checker->beginVertex(vertex);
    if (debugger)
      letDebuggerLook(debugger->beforeVertex(tile, vertex));
  }
  /// Returns false if the run is to end here.
  bool endVertex(Context *faulted) {
    if (counter && !faulted)
      counter->endVertex();
    return !debugger || debugger->afterVertex(tile, faulted);
  }

  bool before(Context &c, const Slot *at) override;
  bool access(Context &c, Address address, unsigned bytes, bool store) override;

private:
  bool beforeTracing(Context &c, const Slot *at);
  void letDebuggerLook(DebugHook::Look look);

  Tile &tile;
  Tracer *tracer; // null: not of this tile
  const Breakpoints &breakpoints;
  std::optional<CodeCounter> counter;
  Checker *checker; // may be null, as the next one
  DebugHook *debugger;
  const bool looksAtCode;
};

/// The hooks of a device: none for tiles that are not watched.
class DeviceWatch {
public:
  /// Throws RunError if a breakpoint is nowhere.
  DeviceWatch(const WatchOptions &options, const Executable &executable);

  /// Attaches a tile's hook; call it once for each tile, from one thread at a
  /// time.
  void attach(Tile &tile);
  TileWatch *find(std::uint32_t tile) const { return watches[tile].get(); }
  /// The checker of a tile, or null.
  Checker *checker(std::uint32_t tile) const {
    return checkers.empty() ? nullptr : checkers[tile].get();
  }
  bool isChecking() const { return options.checks.any(); }
  bool endsByDebugger(const Context &c) const {
    return options.debugger && c.faultKind == FaultKind::Breakpoint;
  }
  const InstructionCounts &instructionCounts() const { return counts; }
  void resetCounts();
  /// Returns whether the vertices of a tile in a compute set of the executable
  /// are apart (areApart() in QuickCheck.h); found out once. Threads may call
  /// it at the same time for different ones.
  bool areApart(const TileVertices &vertices);
  ProvenAccesses &provenAccesses() { return proven; }

private:
  const WatchOptions options;
  const Executable &executable;
  Tracer tracer;
  Breakpoints breakpoints;
  InstructionCounts counts;
  std::vector<ImageFacts> facts; // by image
  enum class Apart : std::uint8_t { Unknown, Yes, No };
  std::vector<Apart> apart; // as Executable::tileVertices
  ProvenAccesses proven;
  std::vector<std::unique_ptr<TileWatch>> watches; // by tile
  std::vector<std::unique_ptr<Checker>> checkers;  // by tile
};

} // namespace populus::runtime::emulator

#endif
