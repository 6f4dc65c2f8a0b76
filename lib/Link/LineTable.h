// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Source lines out of an object's .debug_line (DWARF 5), so that an image can
// say where its code comes from without carrying debug information.

#ifndef POPULUS_LIB_LINK_LINETABLE_H
#define POPULUS_LIB_LINK_LINETABLE_H

#include "lib/Link/ObjectFile.h"

#include <cstdint>
#include <string>
#include <vector>

namespace populus::link {

/// The line of the code from an offset in a section on.
struct LineRow {
  std::uint32_t section = NoSection;
  std::uint32_t offset = 0;
  std::uint32_t file = 0; // index into LineTable::files
  std::uint32_t line = 0;
  /// True if no line is known from here on.
  bool isEnd = false;
};

struct LineTable {
  std::vector<std::string> files;
  std::vector<LineRow> rows; // in the order of the table

  /// An object without lines, or with lines that cannot be read, has none: it
  /// runs all the same.
  static LineTable read(const ObjectFile &object);
};

} // namespace populus::link

#endif
