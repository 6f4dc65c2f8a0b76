// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Source lines and names of a program's code. A place is an address in one of
// the images, because images of different tiles use the same addresses.

#ifndef POPULUS_LIB_DEBUGGER_CODEINDEX_H
#define POPULUS_LIB_DEBUGGER_CODEINDEX_H

#include "lib/Debugger/DebugInfo.h"

#include <compare>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace populus::debugger {

struct Place {
  std::uint32_t image = 0;
  Address address = 0;
  auto operator<=>(const Place &) const = default;
};

struct SourcePlace {
  std::string file;
  unsigned line = 0; // 0: not known
  bool operator==(const SourcePlace &) const = default;
  std::string text() const { return file + ":" + std::to_string(line); }
};

class CodeIndex {
public:
  explicit CodeIndex(const runtime::Executable &executable);

  std::uint32_t imageOfTile(std::uint32_t tile) const;
  const runtime::CodeImage &image(std::uint32_t number) const {
    return executable.images[number];
  }
  bool isCode(Place place) const;

  /// The line of an address; without a line: not known.
  SourcePlace lineAt(Place place) const;
  /// Returns whether a line begins at the address.
  bool beginsLine(Place place) const;
  /// The function at an address, or null.
  const runtime::Symbol *functionAt(Place place) const;
  /// "Mean::compute() + 8".
  std::string describe(Place place) const;

  /// The first address of a line in each function. If there is no code for the
  /// line, the next one of the file that has some is taken, and `line` set.
  std::vector<Place> placesOfLine(const std::string &file,
                                  unsigned &line) const;
  /// The functions of a name: a symbol, or the name in the source.
  std::vector<Place> placesOfFunction(const std::string &name) const;
  /// Returns whether a file of that name has lines.
  bool hasFile(const std::string &file) const;
  std::set<std::string> files() const;

  const DebugInfo &debugInfo(std::uint32_t image) const;

private:
  const runtime::SourceLine *rowAt(Place place) const;

  const runtime::Executable &executable;
  mutable std::vector<std::unique_ptr<DebugInfo>> infos; // by image
};

/// "Mean::compute()" for "_ZN4Mean7computeEv"; else the symbol.
std::string demangled(const std::string &symbol);

} // namespace populus::debugger

#endif
