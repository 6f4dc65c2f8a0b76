// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of commands, reading them, and the text of a stop.

#include "Commands.h"
#include "Text.h"

#include "runtime/Emulator/Code/Assembly.h"
#include "runtime/Session/FaultReport.h"

#include <cstring>
#include <iostream>
#include <unistd.h>

namespace populus::dbg {

std::span<const Commands::Command> Commands::table() {
  static const Command Table[] = {
      {"break", "b", "PLACE [tile N] [worker N|supervisor] [if CONDITION]",
       "stop at FILE:LINE, LINE, FUNCTION, *ADDRESS, vertex NAME, set NAME",
       &Commands::breakAt},
      {"tbreak", "tb", "PLACE ...", "the same, once", &Commands::breakOnce},
      {"watch", "", "VALUE [if CONDITION]",
       "stop when a tensor, an element, a variable or {TYPE}ADDRESS changes",
       &Commands::watch},
      {"rwatch", "", "VALUE", "stop when it is read", &Commands::watchReads},
      {"awatch", "", "VALUE", "stop when it is read or written",
       &Commands::watchAccesses},
      {"catch", "", "nan [tile N]",
       "stop when an instruction makes a NaN, or one comes from the host",
       &Commands::catchNan},
      {"delete", "d", "[NUMBER...]", "delete breakpoints; all if none is named",
       &Commands::erase},
      {"enable", "", "NUMBER...", "enable breakpoints", &Commands::enable},
      {"disable", "", "NUMBER...", "disable breakpoints", &Commands::disable},
      {"condition", "", "NUMBER [CONDITION]",
       "set or remove the condition of a breakpoint", &Commands::setCondition},
      {"ignore", "", "NUMBER COUNT", "do not stop at the next COUNT hits",
       &Commands::ignore},
      {"run", "r", "", "run the program from its beginning", &Commands::run},
      {"continue", "c", "", "go on until something stops the program",
       &Commands::go},
      {"step", "s", "[N]", "to another line, also in a function that is called",
       &Commands::step},
      {"next", "n", "[N]", "to another line of the function or its callers",
       &Commands::next},
      {"stepi", "si", "[N]", "execute a bundle", &Commands::stepBundle},
      {"nexti", "ni", "[N]", "execute a bundle, and a call as a whole",
       &Commands::nextBundle},
      {"finish", "fin", "", "until the function returns or the vertex ends",
       &Commands::finish},
      {"next-vertex", "nv", "[N]", "to the beginning of the next vertex",
       &Commands::nextVertex},
      {"next-step", "ns", "[N]",
       "to the next compute set, exchange or transfer of the program",
       &Commands::nextStep},
      {"reverse-step", "rs", "[N]",
       "back to where the line or the one before "
       "it began",
       &Commands::back},
      {"reverse-stepi", "rsi", "[N]", "back by a bundle",
       &Commands::backBundle},
      {"reverse-continue", "rc", "", "back to the last stop",
       &Commands::backGo},
      {"backtrace", "bt", "", "the functions that called each other",
       &Commands::backtrace},
      {"frame", "f", "NUMBER", "select a function of the backtrace",
       &Commands::frame},
      {"up", "", "", "select the caller", &Commands::up},
      {"down", "", "", "select the called function", &Commands::down},
      {"tile", "", "NUMBER", "look at another tile", &Commands::tile},
      {"worker", "thread", "NUMBER|s",
       "look at another worker of the tile, or its supervisor",
       &Commands::worker},
      {"print", "p", "[/x|/d|/u|/f|/h] EXPRESSION",
       "$m0, $f0 ($a0 as a float), a variable, a field, a tensor, "
       "{float}0x50100",
       &Commands::print},
      {"display", "", "EXPRESSION", "print it at each stop",
       &Commands::display},
      {"x", "", "[/COUNTFORMAT] ADDRESS",
       "memory of the tile: words as x, d, u, f (floats), h (halves), "
       "b (bytes), i (instructions)",
       &Commands::examine},
      {"list", "l", "[LINE|FILE:LINE]", "source lines", &Commands::list},
      {"disassemble", "dis", "[FUNCTION|ADDRESS]",
       "the code of a function, with its lines", &Commands::disassemble},
      {"info", "i",
       "breakpoints|registers|locals|fields|tensors|threads|tiles|program|line",
       "show what there is", &Commands::info},
      {"source", "", "FILE", "execute the commands in a file",
       &Commands::source},
      {"echo", "", "TEXT", "print a text", &Commands::echo},
      {"help", "h", "[COMMAND]", "explain commands", &Commands::help},
      {"quit", "q", "", "end", &Commands::quit},
  };
  return Table;
}

Commands::Commands(Debugger &debugger, SourceFiles &sources,
                   std::deque<std::string> script, bool batch)
    : debugger(debugger), view(debugger), sources(sources),
      script(std::move(script)), batch(batch) {}

// ---- Reading ----------------------------------------------------------------

/// The next command: of the script, then of standard input.
std::string Commands::nextLine() {
  if (!script.empty()) {
    const std::string line = script.front();
    script.pop_front();
    std::cout << "(ipu-dbg) " << line << std::endl;
    return line;
  }
  if (batch)
    return "quit";
  const bool isTerminal = ::isatty(STDIN_FILENO);
  std::cout << "(ipu-dbg) " << std::flush;
  std::string line;
  if (!std::getline(std::cin, line)) {
    std::cout << std::endl;
    return "quit";
  }
  if (!isTerminal)
    std::cout << line << std::endl;
  return line;
}

/// A command by its name, its alias, or the beginning of only one name.
const Commands::Command &Commands::find(const std::string &name) const {
  const Command *found = nullptr;
  std::string names;
  for (const Command &command : table()) {
    if (name == command.name || name == command.alias)
      return command;
    if (!std::string_view(command.name).starts_with(name))
      continue;
    found = &command;
    names += (names.empty() ? "" : ", ") + std::string(command.name);
  }
  if (!found)
    throw DebugError("there is no command '" + name + "'; try help");
  if (names != found->name)
    throw DebugError("'" + name + "' may be " + names);
  return *found;
}

Commands::Result Commands::execute(const std::string &line) {
  // "x/4f" and "print/x" have their format next to their name.
  std::string spaced = trimmed(line);
  const std::size_t slash = spaced.find('/');
  if (slash != std::string::npos && slash == spaced.find_first_of(" /"))
    spaced.insert(slash, " ");
  const auto [name, arguments] = firstWord(spaced);
  if (name.empty() || name[0] == '#')
    return std::nullopt;
  return (this->*find(name).run)(arguments);
}

Motion Commands::stopped(const Stop &stop) {
  view.reset();
  ended = stop.kind == StopKind::End;
  const bool isQuiet = stop.kind == StopKind::Step ||
                       (stop.kind == StopKind::Back && stop.text.empty());
  if (repeats != 0 && isQuiet) {
    --repeats;
    return repeated;
  }
  repeats = 0;
  showStop(stop);
  for (;;) {
    std::string line = nextLine();
    const bool isRepeat = line.empty() && script.empty() && !batch;
    line = isRepeat ? last : line;
    last = line;
    try {
      if (const Result motion = execute(line))
        return *motion;
    } catch (const DebugError &error) {
      std::cout << std::flush;
      std::cerr << "error: " << error.what() << std::endl;
      if (batch) {
        failed = true;
        return Motion::Quit;
      }
    }
  }
}

// ---- Showing a stop ---------------------------------------------------------

std::string Commands::bundleText(Address pc) const {
  const runtime::CodeImage &image =
      debugger.code().image(view.codePlace(pc).image);
  const auto wordAt = [&](Address address) {
    std::uint32_t word = 0;
    if (address >= image.base && address - image.base + 4 <= image.textBytes)
      std::memcpy(&word, image.bytes.data() + (address - image.base), 4);
    return word;
  };
  return runtime::emulator::assemblyOf(wordAt(pc), wordAt(pc + 4));
}

void Commands::showSource(const SourcePlace &place, unsigned before,
                          unsigned after) {
  const unsigned begin = place.line > before ? place.line - before : 1;
  for (unsigned line = begin; line <= place.line + after; ++line)
    if (const auto text = sources.line(place.file, line))
      std::cout << line << '\t' << *text << '\n';
  listed = place;
}

void Commands::showPlace() {
  std::cout << view.place();
  if (!debugger.vertex() || !view.hasThread() ||
      view.tile() != debugger.tile()) {
    std::cout << std::endl;
    return;
  }
  const std::vector<Frame> frames = view.frames();
  std::cout << ", cycle " << debugger.cycle() << '\n';
  if (frames.empty())
    return;
  const Frame &frame = view.selectedFrame(frames);
  SourcePlace line = frame.line;
  std::cout << runtime::hexadecimal(frame.registers.pc) << " in "
            << frame.function;
  if (line.line)
    std::cout << " at " << line.text();
  std::cout << "\n    " << bundleText(frame.registers.pc) << '\n';
  if (line.line)
    showSource(line, 0, 0);
  listedTo = line.line > 5 ? line.line - 5 : 1;
}

void Commands::showDisplays() {
  for (const std::string &expression : displays)
    try {
      std::cout << expression << " = "
                << textOf(evaluate(expression, view), debugger) << '\n';
    } catch (const DebugError &) { // means nothing here
    }
}

void Commands::showStop(const Stop &stop) {
  if (!stop.text.empty())
    std::cout << stop.text << '\n';
  if (stop.kind != StopKind::End)
    showPlace();
  showDisplays();
  std::cout << std::flush;
}

} // namespace populus::dbg
