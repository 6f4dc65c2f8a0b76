// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Objects come from files that anyone may have made, so every offset is checked
// before it is used.

#include "lib/Archive/EntryCode.h"
#include "runtime/Target/ElfIpu.h"

#include <elf.h>

#include <cstring>

namespace populus::archive {

namespace {

/// A file's bytes, of which parts are read if they are there.
class Reader {
public:
  explicit Reader(std::span<const std::uint8_t> bytes) : bytes(bytes) {}

  template <typename T> std::optional<T> at(std::uint64_t offset) const {
    if (offset > bytes.size() || bytes.size() - offset < sizeof(T))
      return std::nullopt;
    T value;
    std::memcpy(&value, bytes.data() + offset, sizeof(T));
    return value;
  }

  /// Compares the text that ends with a zero.
  bool hasName(std::uint64_t offset, const std::string &name) const {
    return offset <= bytes.size() && bytes.size() - offset > name.size() &&
           std::memcmp(bytes.data() + offset, name.c_str(), name.size() + 1) ==
               0;
  }

  std::optional<Code> part(std::uint64_t offset, std::uint64_t size) const {
    if (offset > bytes.size() || bytes.size() - offset < size)
      return std::nullopt;
    const auto part = bytes.subspan(offset, size);
    return Code(part.begin(), part.end());
  }

private:
  std::span<const std::uint8_t> bytes;
};

class Sections {
public:
  Sections(const Reader &reader, const Elf32_Ehdr &header)
      : reader(reader), header(header) {}

  std::optional<Elf32_Shdr> section(std::uint32_t index) const {
    if (index >= header.e_shnum)
      return std::nullopt;
    return reader.at<Elf32_Shdr>(std::uint64_t(header.e_shoff) +
                                 index * sizeof(Elf32_Shdr));
  }

  /// The first defined symbol of a table with a name.
  std::optional<Elf32_Sym> find(const Elf32_Shdr &table,
                                const std::string &name) const {
    const std::optional<Elf32_Shdr> names = section(table.sh_link);
    for (std::uint64_t i = 0; names && i < table.sh_size / sizeof(Elf32_Sym);
         ++i) {
      const auto symbol =
          reader.at<Elf32_Sym>(table.sh_offset + i * sizeof(Elf32_Sym));
      if (!symbol)
        return std::nullopt;
      if (symbol->st_shndx != SHN_UNDEF &&
          reader.hasName(std::uint64_t(names->sh_offset) + symbol->st_name,
                         name))
        return symbol;
    }
    return std::nullopt;
  }

private:
  const Reader &reader;
  const Elf32_Ehdr &header;
};

} // namespace

std::optional<Code> codeOf(std::span<const std::uint8_t> object,
                           const std::string &symbol) {
  const Reader reader(object);
  const auto header = reader.at<Elf32_Ehdr>(0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
      header->e_machine != runtime::elf::Machine ||
      header->e_shentsize != sizeof(Elf32_Shdr))
    return std::nullopt;
  const Sections sections(reader, *header);
  for (std::uint32_t i = 0; i != header->e_shnum; ++i) {
    const std::optional<Elf32_Shdr> table = sections.section(i);
    if (!table || table->sh_type != SHT_SYMTAB)
      continue;
    // An object has one such table; only a damaged one has more.
    const std::optional<Elf32_Sym> found = sections.find(*table, symbol);
    const std::optional<Elf32_Shdr> place =
        found ? sections.section(found->st_shndx) : std::nullopt;
    if (!place || place->sh_type != SHT_PROGBITS)
      return std::nullopt;
    return reader.part(std::uint64_t(place->sh_offset) + found->st_value,
                       found->st_size);
  }
  return std::nullopt;
}

} // namespace populus::archive
