// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Commands that set breakpoints and let the program go on.

#include "Commands.h"
#include "Locations.h"
#include "Text.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <tuple>

namespace populus::dbg {

namespace {

void expectNothing(const std::string &arguments) {
  if (!arguments.empty())
    throw DebugError("'" + arguments + "' is not expected here");
}

} // namespace

// ---- Breakpoints ------------------------------------------------------------

Commands::Result Commands::addBreakpoint(const std::string &arguments,
                                         bool temporary) {
  std::string file = listed.file;
  if (view.hasThread())
    if (const auto frames = view.frames(); !frames.empty())
      file = frames[view.frameNumber()].line.file;
  if (file.empty() && debugger.code().files().size() == 1)
    file = *debugger.code().files().begin();
  std::string note;
  Breakpoint breakpoint = parseLocation(arguments, debugger, file, note);
  breakpoint.temporary = temporary;
  std::string where;
  for (const Place &place : breakpoint.places)
    if (where.empty()) {
      char text[16];
      std::snprintf(text, sizeof(text), "0x%x", place.address);
      where = std::string(" at ") + text;
      const SourcePlace line = debugger.code().lineAt(place);
      if (line.line)
        where += " (" + line.text() + ")";
    }
  if (breakpoint.places.size() > 1)
    where += " and " + std::to_string(breakpoint.places.size() - 1) + " more";
  const std::string what = breakpoint.what;
  const unsigned number = debugger.add(std::move(breakpoint));
  if (!note.empty())
    std::cout << note << '\n';
  std::cout << "Breakpoint " << number << ": " << what << where << std::endl;
  return std::nullopt;
}

Commands::Result Commands::breakAt(const std::string &arguments) {
  return addBreakpoint(arguments, false);
}
Commands::Result Commands::breakOnce(const std::string &arguments) {
  return addBreakpoint(arguments, true);
}

Commands::Result Commands::addData(const std::string &arguments,
                                   Breakpoint::Trigger trigger) {
  Breakpoint breakpoint;
  breakpoint.kind = Breakpoint::Kind::Data;
  breakpoint.trigger = trigger;
  breakpoint.what = trimmed(arguments);
  const std::string expression = takeLimits(arguments, breakpoint);
  if (expression.empty())
    throw DebugError("say what to watch: a tensor, NAME[INDEX], or "
                     "{float}0x50100");
  if (breakpoint.tile)
    view.select(*breakpoint.tile, view.contextNumber());
  breakpoint.data = evaluate(expression, view);
  if (!breakpoint.data.isInMemory())
    throw DebugError("'" + expression +
                     "' is not in memory, so it cannot be watched");
  const std::string what = breakpoint.what;
  std::cout << "Watchpoint " << debugger.add(std::move(breakpoint)) << ": "
            << what << std::endl;
  return std::nullopt;
}

Commands::Result Commands::watch(const std::string &arguments) {
  return addData(arguments, Breakpoint::Trigger::Change);
}
Commands::Result Commands::watchReads(const std::string &arguments) {
  return addData(arguments, Breakpoint::Trigger::Read);
}
Commands::Result Commands::watchAccesses(const std::string &arguments) {
  return addData(arguments, Breakpoint::Trigger::Access);
}

Commands::Result Commands::catchNan(const std::string &arguments) {
  Breakpoint breakpoint;
  breakpoint.kind = Breakpoint::Kind::NotANumber;
  breakpoint.what = trimmed(arguments);
  if (takeLimits(arguments, breakpoint) != "nan")
    throw DebugError("expected catch nan");
  std::cout << "Catchpoint " << debugger.add(std::move(breakpoint)) << ": nan"
            << std::endl;
  return std::nullopt;
}

Breakpoint &Commands::breakpointOf(const std::string &text) {
  const std::uint64_t wanted = number(text, "the number of a breakpoint");
  const auto found = debugger.breakpoints().find(static_cast<unsigned>(wanted));
  if (found == debugger.breakpoints().end())
    throw DebugError("there is no breakpoint " + text);
  return found->second;
}

Commands::Result Commands::erase(const std::string &arguments) {
  if (arguments.empty())
    debugger.breakpoints().clear();
  for (auto [word, rest] = firstWord(arguments); !word.empty();
       std::tie(word, rest) = firstWord(rest))
    debugger.breakpoints().erase(breakpointOf(word).number);
  return std::nullopt;
}

void Commands::setEnabled(const std::string &arguments, bool enabled) {
  if (arguments.empty())
    throw DebugError("say the numbers of breakpoints");
  for (auto [word, rest] = firstWord(arguments); !word.empty();
       std::tie(word, rest) = firstWord(rest))
    breakpointOf(word).enabled = enabled;
}

Commands::Result Commands::enable(const std::string &arguments) {
  setEnabled(arguments, true);
  return std::nullopt;
}
Commands::Result Commands::disable(const std::string &arguments) {
  setEnabled(arguments, false);
  return std::nullopt;
}

Commands::Result Commands::setCondition(const std::string &arguments) {
  const auto [word, condition] = firstWord(arguments);
  breakpointOf(word).condition = condition;
  return std::nullopt;
}

Commands::Result Commands::ignore(const std::string &arguments) {
  const auto [word, count] = firstWord(arguments);
  breakpointOf(word).ignored = number(count, "a number of hits");
  return std::nullopt;
}

// ---- Motions ----------------------------------------------------------------

Commands::Result Commands::move(Motion motion, const std::string &arguments) {
  const std::uint64_t times =
      arguments.empty() ? 1 : number(arguments, "a number of steps");
  if (ended && motion != Motion::BackBundle && motion != Motion::BackLine &&
      motion != Motion::BackContinue)
    throw DebugError(
        "the program has ended; run starts it again, reverse-stepi "
        "goes back");
  if (times == 0)
    return std::nullopt;
  repeated = motion;
  repeats = times - 1;
  return motion;
}

Commands::Result Commands::run(const std::string &arguments) {
  expectNothing(arguments);
  return Motion::Restart;
}
Commands::Result Commands::go(const std::string &arguments) {
  expectNothing(arguments);
  return move(Motion::Continue, "");
}
Commands::Result Commands::step(const std::string &arguments) {
  return move(Motion::StepLine, arguments);
}
Commands::Result Commands::next(const std::string &arguments) {
  return move(Motion::NextLine, arguments);
}
Commands::Result Commands::stepBundle(const std::string &arguments) {
  return move(Motion::StepBundle, arguments);
}
Commands::Result Commands::nextBundle(const std::string &arguments) {
  return move(Motion::NextBundle, arguments);
}
Commands::Result Commands::finish(const std::string &arguments) {
  expectNothing(arguments);
  return move(Motion::Finish, "");
}
Commands::Result Commands::nextVertex(const std::string &arguments) {
  return move(Motion::NextVertex, arguments);
}
Commands::Result Commands::nextStep(const std::string &arguments) {
  return move(Motion::NextStep, arguments);
}
Commands::Result Commands::backBundle(const std::string &arguments) {
  return move(Motion::BackBundle, arguments);
}
Commands::Result Commands::back(const std::string &arguments) {
  return move(Motion::BackLine, arguments);
}
Commands::Result Commands::backGo(const std::string &arguments) {
  expectNothing(arguments);
  return move(Motion::BackContinue, "");
}
Commands::Result Commands::quit(const std::string &) { return Motion::Quit; }

// ---- The command line itself ------------------------------------------------

Commands::Result Commands::source(const std::string &arguments) {
  std::ifstream stream(arguments);
  if (!stream)
    throw DebugError("cannot read '" + arguments +
                     "': " + std::strerror(errno));
  std::deque<std::string> lines;
  for (std::string line; std::getline(stream, line);)
    lines.push_back(line);
  script.insert(script.begin(), lines.begin(), lines.end());
  return std::nullopt;
}

Commands::Result Commands::echo(const std::string &arguments) {
  std::cout << arguments << std::endl;
  return std::nullopt;
}

Commands::Result Commands::help(const std::string &arguments) {
  if (arguments.empty()) {
    for (const Command &command : table())
      std::cout << command.name
                << (*command.alias ? std::string(" (") + command.alias + ")"
                                   : "")
                << ": " << command.help << '\n';
    return std::nullopt;
  }
  const Command &command = find(arguments);
  std::cout << command.name << ' ' << command.usage << "\n  " << command.help
            << std::endl;
  return std::nullopt;
}

} // namespace populus::dbg
