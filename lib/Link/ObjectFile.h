// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An IPU object as the linker sees it: sections, each with its relocations, and
// symbols. Objects come from files that anyone may have made, so every offset
// and index is checked when the object is read, and the rest of the linker can
// rely on them.

#ifndef POPULUS_LIB_LINK_OBJECTFILE_H
#define POPULUS_LIB_LINK_OBJECTFILE_H

#include "runtime/Target/ElfIpu.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace populus::link {

struct Relocation {
  std::uint32_t offset;
  std::uint32_t symbol;
  std::int32_t addend;
  const runtime::elf::RelocationInfo *type;
};

struct Section {
  std::string name;
  bool allocated = false;
  bool executable = false;
  bool writable = false;
  std::uint32_t size = 0;
  std::uint32_t align = 1;
  std::vector<std::uint8_t> bytes; // empty for zero-filled sections
  std::vector<Relocation> relocations;
};

inline constexpr std::uint32_t NoSection = ~std::uint32_t(0);

struct Symbol {
  std::string name;
  /// NoSection: undefined, or absolute.
  std::uint32_t section = NoSection;
  std::uint32_t value = 0;
  std::uint32_t size = 0;
  bool isLocal = false;
  bool isWeak = false;
  bool isAbsolute = false;
  /// Names a function or object, not a section, file or label.
  bool isNamedThing = false;

  bool isDefined() const { return section != NoSection || isAbsolute; }
};

struct ObjectFile {
  std::string name;
  /// The architecture version of the target (runtime/Target/ElfIpu.h).
  unsigned archVersion = 0;
  std::vector<Section> sections;
  std::vector<Symbol> symbols;

  /// Throws LinkError.
  static ObjectFile parse(const std::string &name,
                          std::span<const std::uint8_t> bytes);
};

} // namespace populus::link

#endif
