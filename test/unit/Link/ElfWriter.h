// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes IPU objects by hand, so that the linker's tests need no compiler and
// can make objects that no compiler would.

#ifndef POPULUS_TEST_UNIT_LINK_ELFWRITER_H
#define POPULUS_TEST_UNIT_LINK_ELFWRITER_H

#include "runtime/Target/ElfIpu.h"

#include <elf.h>

#include <cstdint>
#include <string>
#include <vector>

namespace populus::test {

class ElfWriter {
public:
  /// Adds a section and returns its index.
  unsigned section(const std::string &name, std::uint32_t flags,
                   std::vector<std::uint8_t> bytes, std::uint32_t align = 4,
                   std::uint32_t type = SHT_PROGBITS);
  /// A section of instructions: whole words.
  unsigned text(const std::string &function,
                const std::vector<std::uint32_t> &words);

  /// Adds a symbol and returns its index. Section 0: undefined.
  unsigned symbol(const std::string &name, unsigned section,
                  std::uint32_t value = 0, unsigned bind = STB_GLOBAL,
                  unsigned type = STT_FUNC);

  void relocate(unsigned section, std::uint32_t offset, std::uint8_t type,
                unsigned symbol, std::int32_t addend = 0);

  /// Says how much stack a function needs.
  void stackSize(unsigned functionSymbol, std::uint8_t bytes);

  std::vector<std::uint8_t> write() const;

  std::uint16_t machine = runtime::elf::Machine;

private:
  struct Section {
    Elf32_Shdr header = {};
    std::string name;
    std::vector<std::uint8_t> bytes;
    std::vector<Elf32_Rela> relocations;
  };
  struct Symbol {
    Elf32_Sym entry = {};
    std::string name;
  };
  std::vector<Section> sections = {{}};
  std::vector<Symbol> symbols = {{}};
};

} // namespace populus::test

#endif
