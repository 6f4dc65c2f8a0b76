// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses places.

#include "Locations.h"
#include "Text.h"

#include <algorithm>

namespace populus::dbg {

using namespace debugger;
using runtime::Executable;

namespace {

/// The position of a word in a text, or npos.
std::size_t findWord(const std::string &text, const std::string &word) {
  for (std::size_t at = text.find(word); at != std::string::npos;
       at = text.find(word, at + 1)) {
    const bool begins = at == 0 || text[at - 1] == ' ';
    const std::size_t end = at + word.size();
    if (begins && (end == text.size() || text[end] == ' '))
      return at;
  }
  return std::string::npos;
}

/// Takes "WORD ARGUMENT" off.
std::optional<std::string> takeOption(std::string &text,
                                      const std::string &word) {
  const std::size_t at = findWord(text, word);
  if (at == std::string::npos)
    return std::nullopt;
  const auto [argument, rest] = firstWord(text.substr(at + word.size()));
  text = trimmed(trimmed(text.substr(0, at)) + " " + rest);
  return argument;
}

void setVertex(Breakpoint &breakpoint, const std::string &name,
               const Executable &executable) {
  breakpoint.kind = Breakpoint::Kind::Vertex;
  const auto &types = executable.vertexTypes;
  const auto found = std::find_if(
      types.begin(), types.end(),
      [&](const runtime::VertexType &type) { return type.name == name; });
  if (found == types.end()) {
    std::string names;
    for (const runtime::VertexType &type : types)
      if (names.size() < 200)
        names += (names.empty() ? "" : ", ") + type.name;
    throw DebugError("there is no vertex '" + name + "'; the program has " +
                     (names.empty() ? "none" : names));
  }
  breakpoint.index = static_cast<std::uint32_t>(found - types.begin());
}

void setComputeSet(Breakpoint &breakpoint, const std::string &name,
                   const Executable &executable) {
  breakpoint.kind = Breakpoint::Kind::ComputeSet;
  const auto &sets = executable.computeSets;
  for (const bool isEnding : {false, true})
    for (std::uint32_t i = 0; i != sets.size(); ++i)
      if (sets[i].name == name ||
          (isEnding && sets[i].name.ends_with("/" + name))) {
        breakpoint.index = i;
        return;
      }
  throw DebugError("there is no compute set '" + name +
                   "'; info program lists them");
}

void setLine(Breakpoint &breakpoint, const std::string &file,
             const std::string &number, const CodeIndex &code,
             std::string &note) {
  const std::uint64_t wanted = dbg::number(number, "the number of a line");
  if (file.empty())
    throw DebugError("no source file is known here; write FILE:" + number);
  if (!code.hasFile(file)) {
    std::string names;
    for (const std::string &name : code.files())
      if (names.size() < 200)
        names += (names.empty() ? "" : ", ") + name;
    throw DebugError("no code has lines of '" + file + "'; " +
                     (names.empty() ? "nothing was compiled with popc -g"
                                    : "there are lines of " + names));
  }
  auto line = static_cast<unsigned>(wanted);
  breakpoint.places = code.placesOfLine(file, line);
  if (breakpoint.places.empty())
    throw DebugError("'" + file + "' has no code at line " + number +
                     " or behind it");
  if (line != wanted)
    note = "line " + number + " has no code; line " + std::to_string(line) +
           " is the next one that has";
}

} // namespace

std::string takeLimits(const std::string &given, Breakpoint &breakpoint) {
  std::string text = given;
  const std::size_t condition = findWord(text, "if");
  if (condition != std::string::npos) {
    breakpoint.condition = trimmed(text.substr(condition + 2));
    if (breakpoint.condition.empty())
      throw DebugError("there is no condition behind 'if'");
    text = trimmed(text.substr(0, condition));
  }
  if (const auto tile = takeOption(text, "tile"))
    breakpoint.tile =
        static_cast<std::uint32_t>(number(*tile, "the number of a tile"));
  if (const auto worker = takeOption(text, "worker")) {
    const std::uint64_t context = number(*worker, "a worker from 0 to 5");
    if (context > 5)
      throw DebugError("'" + *worker + "' is not a worker from 0 to 5");
    breakpoint.context = static_cast<unsigned>(context);
  }
  const std::size_t supervisor = findWord(text, "supervisor");
  if (supervisor != std::string::npos) {
    breakpoint.context = 6;
    text = trimmed(text.erase(supervisor, 10));
  }
  return text;
}

Breakpoint parseLocation(const std::string &given, const Debugger &debugger,
                         const std::string &currentFile, std::string &note) {
  Breakpoint breakpoint;
  breakpoint.what = trimmed(given);
  const std::string text = takeLimits(given, breakpoint);
  const Executable &executable = debugger.executable();
  const CodeIndex &code = debugger.code();
  if (breakpoint.tile && *breakpoint.tile >= executable.numTiles())
    throw DebugError("there is no tile " + std::to_string(*breakpoint.tile) +
                     "; the program has " +
                     std::to_string(executable.numTiles()));
  const auto [first, rest] = firstWord(text);
  if (text.empty())
    throw DebugError("a place is missing: FILE:LINE, a function, *ADDRESS, "
                     "vertex NAME or set NAME");
  if (first == "vertex" && !rest.empty()) {
    setVertex(breakpoint, rest, executable);
  } else if (first == "set" && !rest.empty()) {
    setComputeSet(breakpoint, rest, executable);
  } else if (text[0] == '*') {
    const auto address =
        static_cast<Address>(number(trimmed(text.substr(1)), "an address"));
    for (std::uint32_t i = 0; i != executable.images.size(); ++i)
      if (code.isCode({i, address}))
        breakpoint.places.push_back({i, address});
    if (breakpoint.places.empty())
      throw DebugError("there is no code at " + text.substr(1));
  } else if (numberIn(text)) {
    setLine(breakpoint, currentFile, text, code, note);
  } else if (const std::size_t colon = text.rfind(':');
             colon != std::string::npos && colon != 0 &&
             text[colon - 1] != ':') {
    setLine(breakpoint, text.substr(0, colon), text.substr(colon + 1), code,
            note);
  } else {
    breakpoint.places = code.placesOfFunction(text);
    if (breakpoint.places.empty())
      throw DebugError("there is no function '" + text +
                       "' in the program; perhaps it was inlined: use "
                       "FILE:LINE, or vertex NAME");
  }
  std::sort(breakpoint.places.begin(), breakpoint.places.end());
  return breakpoint;
}

} // namespace populus::dbg
