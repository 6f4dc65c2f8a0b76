// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lines of a trace; where to break.

#include "runtime/Emulator/Watching/Trace.h"

#include "runtime/Emulator/Code/Assembly.h"
#include "runtime/Emulator/Code/Decode.h"
#include "runtime/Session/Session.h"

#include <charconv>
#include <cstdio>
#include <optional>
#include <ostream>

namespace populus::runtime::emulator {

namespace {

std::optional<Address> parseAddress(const std::string &text) {
  const bool isHex = text.starts_with("0x");
  const char *begin = text.data() + (isHex ? 2 : 0);
  const char *end = text.data() + text.size();
  Address address = 0;
  const auto result = std::from_chars(begin, end, address, isHex ? 16 : 10);
  if (begin == end || result.ec != std::errc() || result.ptr != end)
    return std::nullopt;
  return address;
}

} // namespace

void Tracer::before(const Context &c, Address pc) {
  const Tile &tile = *c.tile;
  const std::uint64_t cycle = tile.cycleCount(c);
  if (!isIn(options.contexts, c.number) || !isIn(options.cycles, cycle))
    return;
  const Code &code = *tile.code;
  const std::uint32_t first = code.wordAt(pc);
  const std::uint32_t second = code.wordAt(pc + 4);
  const Symbol *symbol = code.symbolAt(pc);
  char text[96];
  std::snprintf(text, sizeof(text), "t[%u.%s]: 0x%x (0x%08x%s", tile.number,
                c.isSupervisor() ? "s" : std::to_string(c.number).c_str(), pc,
                first, first & BundleBit ? "" : "): ");
  std::string line = text;
  if (first & BundleBit) {
    std::snprintf(text, sizeof(text), "%08x): ", second);
    line += text;
  }
  if (symbol) {
    std::snprintf(text, sizeof(text), " + 0x%x: ", pc - symbol->address);
    line += symbol->name + text;
  }
  // The line is written at once, because streams of diagnostics have no buffer.
  line += assemblyOf(first, second) + " @" + std::to_string(cycle) + "\n";
  *options.out << line;
}

Breakpoints::Breakpoints(const std::vector<std::string> &names,
                         const Executable &executable) {
  for (const std::string &name : names) {
    if (const std::optional<Address> address = parseAddress(name)) {
      if (!addAddress(*address, executable))
        throw RunError("there is no instruction at " + name + " to stop at");
    } else if (!addSymbol(name, executable)) {
      throw RunError("there is no symbol '" + name +
                     "' to stop at; gp-dump --symbols lists them");
    }
  }
}

bool Breakpoints::addAddress(Address address, const Executable &executable) {
  bool found = false;
  for (const CodeImage &image : executable.images)
    if (address % 4 == 0 && address >= image.base &&
        address - image.base < image.textBytes) {
      places.emplace(&image, address);
      found = true;
    }
  return found;
}

bool Breakpoints::addSymbol(const std::string &name,
                            const Executable &executable) {
  bool found = false;
  for (const CodeImage &image : executable.images)
    for (const Symbol &symbol : image.symbols)
      if (symbol.name == name) {
        places.emplace(&image, symbol.address);
        found = true;
      }
  return found;
}

} // namespace populus::runtime::emulator
