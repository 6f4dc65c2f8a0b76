// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything is patched in place in a copy of the file: addresses of sections,
// values of symbols, relocated words. What a damaged file points to outside of
// itself is left alone.

#include "tools/gp-dump/Relocated.h"

#include "runtime/Target/ElfIpu.h"

#include <cstring>
#include <elf.h>

namespace populus::gpdump {

namespace {

class Relocator {
public:
  Relocator(std::vector<std::uint8_t> bytes, std::uint32_t address)
      : bytes(std::move(bytes)), next(address) {}

  std::vector<std::uint8_t> run() {
    if (!read(0, header))
      return std::move(bytes);
    for (unsigned i = 0; i != header.e_shnum; ++i) {
      sections.emplace_back();
      if (!read(header.e_shoff + i * sizeof(Elf32_Shdr), sections.back()))
        return std::move(bytes);
    }
    placeSections();
    for (const Elf32_Shdr &section : sections)
      if (section.sh_type == SHT_SYMTAB)
        moveSymbols(section);
    for (const Elf32_Shdr &section : sections)
      if (section.sh_type == SHT_RELA)
        relocate(section);
    header.e_type = ET_EXEC;
    write(0, header);
    return std::move(bytes);
  }

private:
  template <typename T> bool read(std::uint64_t offset, T &value) const {
    if (offset > bytes.size() || sizeof(T) > bytes.size() - offset)
      return false;
    std::memcpy(&value, bytes.data() + offset, sizeof(T));
    return true;
  }
  template <typename T> void write(std::uint64_t offset, const T &value) {
    if (offset <= bytes.size() && sizeof(T) <= bytes.size() - offset)
      std::memcpy(bytes.data() + offset, &value, sizeof(T));
  }

  void placeSections() {
    for (unsigned i = 0; i != sections.size(); ++i) {
      Elf32_Shdr &section = sections[i];
      if (!(section.sh_flags & SHF_ALLOC))
        continue;
      const std::uint32_t align =
          section.sh_addralign ? section.sh_addralign : 1;
      next = (next + align - 1) / align * align;
      section.sh_addr = next;
      next += section.sh_size;
      write(header.e_shoff + i * sizeof(Elf32_Shdr), section);
    }
  }

  void moveSymbols(const Elf32_Shdr &table) {
    Elf32_Sym symbol;
    for (std::uint32_t at = 0; at < table.sh_size; at += sizeof(symbol)) {
      if (!read(std::uint64_t(table.sh_offset) + at, symbol))
        return;
      if (symbol.st_shndx < sections.size())
        symbol.st_value += sections[symbol.st_shndx].sh_addr;
      write(std::uint64_t(table.sh_offset) + at, symbol);
    }
  }

  void relocate(const Elf32_Shdr &table) {
    if (table.sh_info >= sections.size() || table.sh_link >= sections.size())
      return;
    const std::uint64_t symbols = sections[table.sh_link].sh_offset;
    Elf32_Rela relocation;
    for (std::uint32_t at = 0; at < table.sh_size; at += sizeof(relocation)) {
      Elf32_Sym symbol;
      if (!read(std::uint64_t(table.sh_offset) + at, relocation) ||
          !read(symbols + std::uint64_t(ELF32_R_SYM(relocation.r_info)) *
                              sizeof(symbol),
                symbol))
        return;
      const unsigned type = ELF32_R_TYPE(relocation.r_info);
      if (type < std::size(runtime::elf::Relocations))
        patch(std::uint64_t(sections[table.sh_info].sh_offset) +
                  relocation.r_offset,
              runtime::elf::Relocations[type],
              symbol.st_value +
                  static_cast<std::uint32_t>(relocation.r_addend));
    }
  }

  void patch(std::uint64_t offset, const runtime::elf::RelocationInfo &type,
             std::uint32_t value) {
    if (type.bytes == 0 || offset > bytes.size() ||
        type.bytes > bytes.size() - offset)
      return;
    const auto mask =
        static_cast<std::uint32_t>((std::uint64_t(1) << type.bits) - 1);
    std::uint32_t word = 0;
    std::memcpy(&word, bytes.data() + offset, type.bytes);
    word = (word & ~mask) | (value >> type.shift & mask);
    std::memcpy(bytes.data() + offset, &word, type.bytes);
  }

  std::vector<std::uint8_t> bytes;
  std::uint32_t next;
  Elf32_Ehdr header = {};
  std::vector<Elf32_Shdr> sections;
};

} // namespace

std::vector<std::uint8_t>
relocateObject(const std::vector<std::uint8_t> &object, std::uint32_t address) {
  return Relocator(object, address).run();
}

} // namespace populus::gpdump
