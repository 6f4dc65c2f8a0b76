// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Commands that look at the stopped program.

#include "Commands.h"
#include "Text.h"

#include "runtime/Session/FaultReport.h"

#include <algorithm>
#include <cstdio>
#include <iostream>

namespace populus::dbg {

using runtime::hexadecimal;

// ---- Frames, tiles, workers -------------------------------------------------

Commands::Result Commands::backtrace(const std::string &) {
  const std::vector<Frame> frames = view.frames();
  if (frames.empty())
    throw DebugError(contextText(view.contextNumber()) + " of tile " +
                     std::to_string(view.tile()) + " runs nothing");
  for (std::size_t i = 0; i != frames.size(); ++i) {
    const Frame &frame = frames[i];
    std::cout << (i == view.frameNumber() ? '*' : ' ') << '#' << i << "  ";
    if (i == 0 || !frames[i - 1].isInlined)
      std::cout << hexadecimal(frame.registers.pc) << " in ";
    std::cout << frame.function;
    if (frame.line.line)
      std::cout << " at " << frame.line.text();
    std::cout << (frame.isInlined ? " (inlined)\n" : "\n");
  }
  std::cout << "   vertex '" << debugger.vertexType() << "' of compute set '"
            << debugger.computeSet() << "'" << std::endl;
  return std::nullopt;
}

Commands::Result Commands::frame(const std::string &arguments) {
  if (!arguments.empty())
    view.selectFrame(
        static_cast<unsigned>(number(arguments, "the number of a frame")));
  showPlace();
  return std::nullopt;
}
Commands::Result Commands::up(const std::string &) {
  return frame(std::to_string(view.frameNumber() + 1));
}
Commands::Result Commands::down(const std::string &) {
  if (view.frameNumber() == 0)
    throw DebugError("this is the innermost frame");
  return frame(std::to_string(view.frameNumber() - 1));
}

Commands::Result Commands::tile(const std::string &arguments) {
  const std::uint64_t tile = number(arguments, "the number of a tile");
  view.select(static_cast<std::uint32_t>(
                  std::min<std::uint64_t>(tile, ~std::uint32_t(0))),
              0);
  std::cout << "tile " << tile << ", " << contextText(0) << std::endl;
  return std::nullopt;
}

Commands::Result Commands::worker(const std::string &arguments) {
  const unsigned context =
      arguments == "s"
          ? 6
          : static_cast<unsigned>(std::min<std::uint64_t>(
                number(arguments, "a worker from 0 to 5, or s"), 7));
  view.select(view.tile(), context);
  showPlace();
  return std::nullopt;
}

// ---- Values -----------------------------------------------------------------

Commands::Result Commands::print(const std::string &arguments) {
  char format = 0;
  std::string expression = arguments;
  if (expression.starts_with("/")) {
    const auto [letter, rest] = firstWord(expression.substr(1));
    if (letter.size() != 1 ||
        std::string_view("xdufh").find(letter[0]) == std::string_view::npos)
      throw DebugError("'/" + letter + "' is none of /x /d /u /f /h");
    format = letter[0];
    expression = rest;
  }
  if (expression.empty())
    throw DebugError("an expression is missing");
  const Value value = evaluate(expression, view);
  std::cout << expression << " = " << textOf(value, debugger, format)
            << std::endl;
  return std::nullopt;
}

Commands::Result Commands::display(const std::string &arguments) {
  if (arguments.empty()) {
    displays.clear();
    return std::nullopt;
  }
  displays.push_back(arguments);
  showDisplays();
  return std::nullopt;
}

Commands::Result Commands::examine(const std::string &arguments) {
  std::string rest = arguments;
  std::uint64_t count = 8;
  char format = 'x';
  if (rest.starts_with("/")) {
    auto [letters, address] = firstWord(rest.substr(1));
    if (!letters.empty() && std::isalpha((unsigned char)letters.back())) {
      format = letters.back();
      letters.pop_back();
    }
    if (!letters.empty())
      count = number(letters, "a count");
    rest = address;
  }
  if (std::string_view("xdufhbi").find(format) == std::string_view::npos)
    throw DebugError(std::string("'") + format +
                     "' is no format of x: x, d, u, f, h, b or i");
  const auto address =
      static_cast<Address>(toInteger(loaded(evaluate(rest, view), debugger)));
  const char *const name = format == 'f'   ? "float"
                           : format == 'h' ? "half"
                           : format == 'b' ? "unsigned char"
                           : format == 'd' ? "int"
                                           : "unsigned";
  const TypePtr type = typeNamed(name);
  const unsigned perLine = format == 'i' ? 1 : format == 'b' ? 8 : 4;
  Address at = address;
  for (std::uint64_t i = 0; i != count; ++i) {
    if (i % perLine == 0)
      std::cout << (i ? "\n" : "") << hexadecimal(at) << ":";
    if (format == 'i') {
      if (!debugger.code().isCode(view.codePlace(at)))
        throw DebugError("there is no code at " + hexadecimal(at));
      const std::string text = bundleText(at);
      std::cout << '\t' << text;
      at += text.starts_with("{") ? 8 : 4;
      continue;
    }
    const auto bytes = static_cast<std::uint32_t>(type->bytes);
    const Value value = {type, {{view.tile(), at, bytes}}, {}};
    std::cout << '\t'
              << textOf(value, debugger,
                        format == 'x' || format == 'b' ? 'x' : '\0');
    at += bytes;
  }
  std::cout << std::endl;
  return std::nullopt;
}

// ---- Code -------------------------------------------------------------------

Commands::Result Commands::list(const std::string &arguments) {
  constexpr unsigned Lines = 10;
  SourcePlace place = listed;
  unsigned begin = listedTo;
  if (!arguments.empty()) {
    const std::size_t colon = arguments.rfind(':');
    if (colon != std::string::npos)
      place.file = arguments.substr(0, colon);
    const std::string line =
        colon == std::string::npos ? arguments : arguments.substr(colon + 1);
    const std::uint64_t middle = number(line, "the number of a line");
    begin = middle > 5 ? static_cast<unsigned>(middle) - 5 : 1;
  }
  if (place.file.empty() && debugger.code().files().size() == 1)
    place.file = *debugger.code().files().begin();
  if (place.file.empty())
    throw DebugError("no source file is known here; write list FILE:LINE");
  if (!sources.line(place.file, begin))
    throw DebugError(
        sources.find(place.file)
            ? "'" + place.file + "' has no line " + std::to_string(begin)
            : "'" + place.file +
                  "' is not there; --directory says where sources are");
  for (unsigned line = begin; line != begin + Lines; ++line)
    if (const auto text = sources.line(place.file, line))
      std::cout << line << '\t' << *text << '\n';
  listed = place;
  listedTo = begin + Lines;
  return std::nullopt;
}

Commands::Result Commands::disassemble(const std::string &arguments) {
  Address pc = 0;
  std::optional<Address> here;
  if (view.hasThread())
    if (const auto frames = view.frames(); !frames.empty())
      here = frames[0].registers.pc;
  Place place;
  if (arguments.empty()) {
    const std::vector<Frame> frames = view.frames();
    place = view.codePlace(view.selectedFrame(frames).registers.pc);
  } else if (const auto address = numberIn(arguments)) {
    place = view.codePlace(static_cast<Address>(*address));
  } else {
    const std::vector<Place> places =
        debugger.code().placesOfFunction(arguments);
    if (places.empty())
      throw DebugError("there is no function '" + arguments + "'");
    place = places.front();
  }
  const runtime::Symbol *function = debugger.code().functionAt(place);
  if (!function)
    throw DebugError("there is no function at " + hexadecimal(place.address));
  std::cout << demangled(function->name) << ":\n";
  SourcePlace last;
  const Address end =
      function->address + std::max<std::uint32_t>(function->size, 4);
  for (pc = function->address; pc < end;) {
    const SourcePlace line = debugger.code().lineAt({place.image, pc});
    if (line.line && !(line == last)) {
      const auto text = sources.line(line.file, line.line);
      std::cout << "  ; " << line.text() << (text ? ": " + trimmed(*text) : "")
                << '\n';
      last = line;
    }
    const std::string text = bundleText(pc);
    std::cout << (here == pc ? "=> " : "   ") << hexadecimal(pc) << ":\t"
              << text << '\n';
    pc += text.starts_with("{") ? 8 : 4;
  }
  return std::nullopt;
}

// ---- info -------------------------------------------------------------------

Commands::Result Commands::info(const std::string &arguments) {
  static const struct {
    const char *name;
    void (Commands::*show)();
  } Kinds[] = {
      {"breakpoints", &Commands::infoBreakpoints},
      {"registers", &Commands::infoRegisters},
      {"locals", &Commands::infoLocals},
      {"fields", &Commands::infoFields},
      {"tensors", &Commands::infoTensors},
      {"threads", &Commands::infoThreads},
      {"tiles", &Commands::infoTiles},
      {"program", &Commands::infoProgram},
      {"line", &Commands::infoLine},
  };
  for (const auto &kind : Kinds)
    if (!arguments.empty() &&
        std::string_view(kind.name).starts_with(arguments)) {
      (this->*kind.show)();
      std::cout << std::flush;
      return std::nullopt;
    }
  throw DebugError("info shows breakpoints, registers, locals, fields, "
                   "tensors, threads, tiles, program or line");
}

void Commands::infoBreakpoints() {
  for (const auto &[number, breakpoint] : debugger.breakpoints()) {
    const bool isData = breakpoint.kind == Breakpoint::Kind::Data;
    const bool isNan = breakpoint.kind == Breakpoint::Kind::NotANumber;
    std::cout << number << "  "
              << (isData  ? "watch"
                  : isNan ? "catch"
                          : "break")
              << "  " << breakpoint.what;
    if (!breakpoint.enabled)
      std::cout << "  (disabled)";
    std::cout << "  " << breakpoint.hits
              << (breakpoint.hits == 1 ? " hit\n" : " hits\n");
  }
  if (debugger.breakpoints().empty())
    std::cout << "there are no breakpoints\n";
}

void Commands::infoRegisters() {
  const ThreadState state = view.thread();
  char text[64];
  std::cout << "$pc  " << hexadecimal(state.registers.pc) << '\n';
  for (unsigned i = 0; i != 16; ++i) {
    std::snprintf(text, sizeof(text), "$m%-2u 0x%08x%s", i,
                  state.registers.m[i], i % 4 == 3 ? "\n" : "  ");
    std::cout << text;
  }
  for (unsigned i = 0; i != 8; ++i) {
    const Value value = {
        typeNamed("float"), {}, word(state.registers.a[i]).bytes};
    std::snprintf(text, sizeof(text), "$a%-2u 0x%08x (%s)%s", i,
                  state.registers.a[i], textOf(value, debugger).c_str(),
                  i % 2 == 1 ? "\n" : "  ");
    std::cout << text;
  }
  std::snprintf(text, sizeof(text), "$FP_STS 0x%08x  $FP_CTL 0x%08x\n",
                state.fpStatus, state.fpControl);
  std::cout << text;
}

void Commands::infoLocals() {
  const std::vector<Variable> locals = view.locals();
  for (const Variable &variable : locals) {
    std::cout << variable.name << " = ";
    std::cout << (variable.value ? textOf(*variable.value, debugger)
                                 : "<optimised out>")
              << '\n';
  }
  if (locals.empty())
    std::cout << "there are no local variables here\n";
}

void Commands::infoFields() {
  const std::vector<Field> fields = view.fields();
  for (const Field &field : fields)
    std::cout << field.name << " = " << textOf(field.value, debugger) << '\n';
  if (fields.empty())
    std::cout << "no vertex is running here\n";
}

void Commands::infoTensors() {
  for (const auto &[name, tensor] : view.allTensors().all()) {
    std::cout << name << "  " << tensor.value.type->name;
    if (!tensor.value.segments.empty()) {
      const Segment &first = tensor.value.segments.front();
      std::cout << "  tile " << first.tile << " " << hexadecimal(first.address);
      if (tensor.value.segments.size() > 1)
        std::cout << " and " << tensor.value.segments.size() - 1 << " more";
    }
    std::cout << (tensor.isShared ? "  (shares memory)\n" : "\n");
  }
  if (view.allTensors().all().empty())
    std::cout << "the program names no tensors; compile it with the engine "
                 "option debug.executable\n";
}

void Commands::infoThreads() {
  const std::vector<ThreadState> threads = debugger.threads(view.tile());
  if (threads.empty())
    throw DebugError("tile " + std::to_string(view.tile()) +
                     " has run no vertex yet");
  for (const ThreadState &thread : threads) {
    std::cout << (thread.number == view.contextNumber() ? '*' : ' ') << ' '
              << contextText(thread.number) << "  ";
    if (!thread.isActive && !thread.isCurrent) {
      std::cout << "idle\n";
      continue;
    }
    const Place place = view.codePlace(thread.registers.pc);
    const SourcePlace line = debugger.code().lineAt(place);
    std::cout << hexadecimal(place.address) << " in "
              << debugger.code().describe(place)
              << (line.line ? " at " + line.text() : "") << '\n';
  }
}

void Commands::infoTiles() {
  const runtime::Executable &executable = debugger.executable();
  std::cout << executable.numTiles() << " tiles on " << executable.numIpus
            << (executable.numIpus == 1 ? " IPU; " : " IPUs; ")
            << debugger.tilesThatRan().size() << " have run vertices";
  if (debugger.vertex())
    std::cout << "; tile " << debugger.tile() << " runs '"
              << debugger.vertexType() << "'";
  std::cout << '\n';
}

void Commands::infoProgram() {
  const runtime::Executable &executable = debugger.executable();
  std::cout << "stopped in " << debugger.describeStep(debugger.step())
            << ", after " << debugger.session().clock() << " cycles\n";
  for (const runtime::ComputeSet &set : executable.computeSets)
    std::cout << "  compute set '" << set.name << "': " << set.tiles.count
              << (set.tiles.count == 1 ? " tile\n" : " tiles\n");
}

void Commands::infoLine() {
  const std::vector<Frame> frames = view.frames();
  const Frame &frame = view.selectedFrame(frames);
  const Place place = view.codePlace(frame.registers.pc);
  std::cout << hexadecimal(place.address) << " is in "
            << debugger.code().describe(place);
  const SourcePlace line = debugger.code().lineAt(place);
  std::cout << (line.line ? ", line " + line.text() : "") << '\n';
}

} // namespace populus::dbg
