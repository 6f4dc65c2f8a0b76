// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The debugger: runs a program under a hook of its session, decides where it
// stops, and lets a front end look around. For example, a line of a codelet is
// stepped over as follows.
//
//     front end: NextLine ─▶ before(slot) … before(slot) ─▶ stopped(Step)
//
// Going back is running again: the debugger makes a new session and lets it run
// at full speed to the position (Stops.h) one step before. That is exact,
// because results, cycles and the order of vertices are always the same.

#ifndef POPULUS_LIB_DEBUGGER_DEBUGGER_H
#define POPULUS_LIB_DEBUGGER_DEBUGGER_H

#include "lib/Debugger/Stops.h"

#include "runtime/Session/DebugHook.h"
#include "runtime/Session/HostCalls.h"
#include "runtime/Session/Session.h"

#include <atomic>
#include <functional>
#include <map>
#include <memory>

namespace populus::debugger {

/// Makes a session of the program with all inputs, ready to run.
using SessionMaker = std::function<std::unique_ptr<runtime::Session>(
    const runtime::SessionOptions &)>;

/// One context of a tile, as a front end shows it.
struct ThreadState {
  unsigned number = 0; // 0 to 5: workers, 6: the supervisor
  bool isActive = false;
  bool isCurrent = false;
  Registers registers;
  std::uint32_t fpStatus = 0, fpControl = 0;
};

class Debugger : private runtime::DebugHook, public Memory {
public:
  Debugger(const runtime::Executable &executable, SessionMaker maker,
           runtime::SessionOptions options);
  ~Debugger() override;

  /// Runs the program under the front end until that quits. Returns true if the
  /// last run has reached its end.
  bool run(FrontEnd &frontEnd);
  /// Stops the program soon; for signal handlers and other threads.
  void interrupt() { interrupted = true; }

  // ---- Breakpoints ----------------------------------------------------------

  /// Adds a breakpoint and returns its number.
  unsigned add(Breakpoint breakpoint);
  std::map<unsigned, Breakpoint> &breakpoints() { return table; }

  // ---- The stopped program --------------------------------------------------

  const runtime::Executable &executable() const { return program; }
  const CodeIndex &code() const { return index; }
  runtime::Session &session() const { return *current; }
  /// The tile whose vertex has stopped, and the vertex; none between vertices.
  std::optional<std::uint32_t> vertex() const { return vertexNumber; }
  std::uint32_t tile() const { return tileNumber; }
  /// The step of the control program.
  std::uint32_t step() const { return stepNumber; }
  /// The step has been executed.
  bool hasStepEnded() const { return stepEnded; }
  Position position() const { return here; }
  /// Cycles of the tile whose vertex has stopped, or of the program.
  std::uint64_t cycle() const;
  /// The contexts of a tile; none if it has not run.
  std::vector<ThreadState> threads(std::uint32_t tile) const;
  /// The context that has stopped.
  std::optional<ThreadState> thread() const;
  std::vector<std::uint32_t> tilesThatRan() const;
  /// The name of the running compute set.
  std::string computeSet() const;
  std::string vertexType() const;
  /// "compute set 'mean'", "input 'x'".
  std::string describeStep(std::uint32_t step) const;

  void read(std::uint32_t tile, Address address, void *data,
            std::size_t bytes) const override;

  /// Evaluates a condition; set by the front end.
  std::function<bool(const std::string &condition)> condition;

private:
  struct Ended {}; // thrown where a run ends before its end

  /// The purpose of a run.
  enum class Mode {
    Normal,
    Goto,   // run to `target` and stop
    Count,  // count the bundles of the vertex that begins at target.event
    Search, // find the last stop before `target`
  };

  void beforeStep(std::uint32_t step) override;
  void afterStep(std::uint32_t step) override;
  Look beforeVertex(runtime::emulator::Tile &tile,
                    std::uint32_t vertex) override;
  bool before(runtime::emulator::Context &c,
              const runtime::emulator::Slot *slot) override;
  void access(runtime::emulator::Context &c, Address address, unsigned bytes,
              bool store) override;
  bool afterVertex(runtime::emulator::Tile &tile,
                   runtime::emulator::Context *faulted) override;

  void runOnce();
  void stop(Stop stop);
  void finishRun(const std::string &text);
  void obey(Motion motion);
  void beginMotion();

  // Going back.
  void goBack(Motion motion);
  void goTo(Position position);
  std::optional<Position> endOfVertex(std::uint64_t event);
  void countBundle(const runtime::emulator::Context &c, Place place);
  void arrive();
  void noteFound();

  // Reasons to stop (Reasons.cpp).
  std::optional<Stop> atStep(std::uint32_t step);
  std::optional<Stop> atBundle(runtime::emulator::Context &c, Place place);
  std::optional<Stop> afterBundle();
  std::optional<Stop> atBreakpoint(const runtime::emulator::Context &c,
                                   Place place);
  std::optional<Stop> changedData();
  std::optional<Stop> newNan(const runtime::emulator::Context &c);
  std::optional<Stop> newNanAfter(std::uint32_t step);
  bool hasNan(const runtime::emulator::Tile &tile) const;
  bool motionEnds(const runtime::emulator::Context &c, Place place);
  bool counts(Breakpoint &breakpoint);
  bool watches(std::uint32_t tile) const;
  bool looksAtCode(std::uint32_t tile, std::uint32_t vertex) const;
  bool wantsNans() const;
  Look lookAt(std::uint32_t tile, std::uint32_t vertex) const;
  std::string describeBundle(Place place) const;
  std::string describeLast(const char *verb) const;
  std::string describeFault(const runtime::emulator::Context &c) const;

  ThreadState stateOf(const runtime::emulator::Context &c) const;

  const runtime::Executable &program;
  const CodeIndex index;
  const SessionMaker maker;
  runtime::SessionOptions options;
  FrontEnd *frontEnd = nullptr;
  std::unique_ptr<runtime::Session> current;
  std::unique_ptr<runtime::HostCalls> prints;

  std::map<unsigned, Breakpoint> table; // by number
  unsigned lastNumber = 0;
  std::atomic<bool> interrupted = false;

  // The place of the run.
  Position here;
  std::uint64_t nextSlot = 0; // of the vertex
  Look look = Look::Away;
  std::uint64_t lastVertexEvent = 0; // 0: no vertex has begun
  std::uint64_t vertexBefore = 0;    // the vertex before that one
  std::uint32_t stepNumber = 0, tileNumber = 0;
  bool stepEnded = false;
  std::optional<std::uint32_t> vertexNumber;
  runtime::emulator::Context *context = nullptr;
  std::map<std::uint32_t, runtime::emulator::Tile *> tiles;

  // The run.
  Mode mode = Mode::Normal;
  Position target;
  std::optional<Position> found;
  std::optional<Stop> pendingStop; // of an arrival
  Motion motion = Motion::Continue;
  bool ending = false;     // the run is to end at once
  bool lookCloser = false; // in the next run, at the vertex of `target`
  bool hasEnded = false;

  // A motion: where it began.
  struct Origin {
    std::uint32_t tile = 0;
    unsigned context = 0;
    std::uint64_t event = 0;
    SourcePlace line;
    const runtime::Symbol *function = nullptr;
    std::uint32_t stack = 0;
    std::optional<Address> returnTo; // Finish
  } origin;
  Address stepOverTo = 0; // 0: not in a call that is stepped over
  std::uint32_t stepOverStack = 0;

  /// The beginnings of lines in the vertex that is gone back in.
  struct LineBegin {
    std::uint64_t slot = 0;
    unsigned context = 0;
    SourcePlace line;
    std::uint32_t stack = 0;
  };
  std::vector<LineBegin> lineBegins;
  /// By context and function: a line goes on when a call has returned.
  std::map<std::pair<unsigned, const runtime::Symbol *>, SourcePlace> lastLines;

  std::map<unsigned, std::uint32_t> seenStatus;      // $FP_STS by context
  std::map<unsigned, Address> lastPc;                // by context
  std::optional<std::pair<unsigned, bool>> accessed; // watchpoint, by a store
  bool storePending = false;
};

} // namespace populus::debugger

#endif
