// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The words between the debugger and its front ends: the events that stop a
// program, and the ways in which it goes on.

#ifndef POPULUS_LIB_DEBUGGER_STOPS_H
#define POPULUS_LIB_DEBUGGER_STOPS_H

#include "lib/Debugger/CodeIndex.h"

#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace populus::debugger {

/// A point of a run. Runs are deterministic, so a point is found again in
/// another run of the same program: `event` counts the steps and vertices that
/// have begun or ended, `slot` the bundles that the last vertex has issued.
struct Position {
  static constexpr std::uint64_t Between =
      std::numeric_limits<std::uint64_t>::max();
  std::uint64_t event = 0;
  std::uint64_t slot = Between; // not in a vertex
  auto operator<=>(const Position &) const = default;
};

enum class StopKind {
  Start,
  Breakpoint,
  Watchpoint,
  NotANumber,
  Fault,
  Step,      // a step has ended
  Interrupt, // the user wants to look
  Back,      // a reverse step has arrived
  End,       // the program has ended
};

struct Stop {
  StopKind kind = StopKind::Start;
  unsigned number = 0; // of the breakpoint or watchpoint
  std::string text;    // what happened, a sentence or several lines
};

enum class Motion {
  Continue,
  StepBundle,
  NextBundle, // over calls
  StepLine,
  NextLine,
  Finish,
  NextVertex, // to the first bundle of the next vertex
  NextStep,   // to the next step of the control program that does something
  Restart,
  BackBundle,
  BackLine,
  BackContinue,
  Quit,
};

struct Breakpoint {
  enum class Kind { Code, Vertex, ComputeSet, Data, NotANumber };
  enum class Trigger { Change, Read, Access }; // of data

  unsigned number = 0;
  Kind kind = Kind::Code;
  std::string what; // as the user wrote it
  std::vector<Place> places;
  std::uint32_t index = 0; // of the vertex type or compute set
  std::optional<std::uint32_t> tile;
  std::optional<unsigned> context;
  std::string condition;
  bool enabled = true;
  bool temporary = false;
  std::uint64_t ignored = 0; // hits that do not stop
  std::uint64_t hits = 0;

  Trigger trigger = Trigger::Change;
  Value data;
  std::vector<std::byte> seen; // the bytes of the data

  bool hasTile(std::uint32_t number) const { return !tile || *tile == number; }
};

/// A command line, an editor.
class FrontEnd {
public:
  virtual ~FrontEnd() = default;
  /// The program has stopped; returns when it is to go on.
  virtual Motion stopped(const Stop &stop) = 0;
};

} // namespace populus::debugger

#endif
