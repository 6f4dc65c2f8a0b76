// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reading ELF32 little-endian relocatable objects of our machine.

#include "lib/Link/ObjectFile.h"

#include "lib/Link/Linker.h"

#include <elf.h>

#include <bit>
#include <cstring>
#include <iterator>

namespace populus::link {

namespace {

class Reader {
public:
  Reader(const std::string &name, std::span<const std::uint8_t> bytes)
      : bytes(bytes) {
    object.name = name;
  }

  ObjectFile read() {
    readHeader();
    readSections();
    readSymbols();
    readRelocations();
    return std::move(object);
  }

private:
  [[noreturn]] void fail(const std::string &what) const {
    throw LinkError("object '" + object.name + "' is damaged: " + what);
  }

  template <typename T> T at(std::uint64_t offset, const char *what) const {
    if (offset > bytes.size() || sizeof(T) > bytes.size() - offset)
      fail(std::string(what) + " lies outside the file");
    T value;
    std::memcpy(&value, bytes.data() + offset, sizeof(T));
    return value;
  }

  std::string text(const Elf32_Shdr &table, std::uint32_t offset) const {
    if (offset >= table.sh_size ||
        std::uint64_t(table.sh_offset) + table.sh_size > bytes.size())
      fail("a name lies outside its string table");
    const char *begin =
        reinterpret_cast<const char *>(bytes.data() + table.sh_offset + offset);
    return std::string(begin, strnlen(begin, table.sh_size - offset));
  }

  void readHeader() {
    header = at<Elf32_Ehdr>(0, "the header");
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
        header.e_ident[EI_CLASS] != ELFCLASS32 ||
        header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_type != ET_REL)
      throw LinkError("object '" + object.name +
                      "' is not a 32-bit relocatable object, such as popc "
                      "--target=ipu2 -c makes");
    if (header.e_machine != runtime::elf::Machine)
      throw LinkError("object '" + object.name +
                      "' is not for an IPU (its machine number is " +
                      std::to_string(header.e_machine) + ")");
    object.archVersion = header.e_flags;
  }

  void readSections() {
    for (unsigned i = 0; i != header.e_shnum; ++i)
      headers.push_back(
          at<Elf32_Shdr>(std::uint64_t(header.e_shoff) + i * sizeof(Elf32_Shdr),
                         "the section table"));
    if (header.e_shstrndx >= headers.size())
      fail("it has no section names");
    for (const Elf32_Shdr &h : headers) {
      Section section;
      section.name = text(headers[header.e_shstrndx], h.sh_name);
      section.allocated = h.sh_flags & SHF_ALLOC;
      section.executable = h.sh_flags & SHF_EXECINSTR;
      section.writable = h.sh_flags & SHF_WRITE;
      section.size = h.sh_size;
      section.align = h.sh_addralign ? h.sh_addralign : 1;
      if (!std::has_single_bit(section.align))
        fail("section '" + section.name + "' has alignment " +
             std::to_string(section.align));
      if (h.sh_type != SHT_NOBITS) {
        if (std::uint64_t(h.sh_offset) + h.sh_size > bytes.size())
          fail("section '" + section.name + "' lies outside the file");
        section.bytes.assign(bytes.begin() + h.sh_offset,
                             bytes.begin() + h.sh_offset + h.sh_size);
      }
      object.sections.push_back(std::move(section));
    }
  }

  void readSymbols() {
    for (const Elf32_Shdr &h : headers) {
      if (h.sh_type != SHT_SYMTAB)
        continue;
      if (!object.symbols.empty())
        fail("it has two symbol tables");
      if (h.sh_link >= headers.size())
        fail("its symbols have no names");
      for (std::uint32_t at = 0; at + sizeof(Elf32_Sym) <= h.sh_size;
           at += sizeof(Elf32_Sym))
        object.symbols.push_back(readSymbol(
            this->at<Elf32_Sym>(std::uint64_t(h.sh_offset) + at, "a symbol"),
            headers[h.sh_link]));
    }
  }

  Symbol readSymbol(const Elf32_Sym &source, const Elf32_Shdr &names) const {
    const unsigned type = ELF32_ST_TYPE(source.st_info);
    const unsigned bind = ELF32_ST_BIND(source.st_info);
    Symbol symbol;
    symbol.value = source.st_value;
    symbol.size = source.st_size;
    symbol.isLocal = bind == STB_LOCAL;
    symbol.isWeak = bind == STB_WEAK;
    symbol.isNamedThing =
        type == STT_FUNC || type == STT_OBJECT || type == STT_NOTYPE;
    if (source.st_shndx == SHN_ABS) {
      symbol.isAbsolute = true;
    } else if (source.st_shndx == SHN_COMMON) {
      fail("symbol '" + text(names, source.st_name) +
           "' is a common symbol; compile with -fno-common");
    } else if (source.st_shndx != SHN_UNDEF) {
      if (source.st_shndx >= object.sections.size())
        fail("a symbol is in a section that does not exist");
      symbol.section = source.st_shndx;
      if (symbol.value > object.sections[symbol.section].size)
        fail("a symbol lies behind the end of section '" +
             object.sections[symbol.section].name + "'");
    }
    if (source.st_name != 0)
      symbol.name = text(names, source.st_name);
    if (type == STT_SECTION && symbol.section != NoSection)
      symbol.name = object.sections[symbol.section].name;
    return symbol;
  }

  void readRelocations() {
    for (const Elf32_Shdr &h : headers) {
      if (h.sh_type == SHT_REL)
        fail("it has relocations without addends");
      if (h.sh_type != SHT_RELA)
        continue;
      if (h.sh_info >= object.sections.size())
        fail("relocations are for a section that does not exist");
      Section &section = object.sections[h.sh_info];
      for (std::uint32_t at = 0; at + sizeof(Elf32_Rela) <= h.sh_size;
           at += sizeof(Elf32_Rela))
        section.relocations.push_back(
            readRelocation(this->at<Elf32_Rela>(std::uint64_t(h.sh_offset) + at,
                                                "a relocation"),
                           section));
    }
  }

  Relocation readRelocation(const Elf32_Rela &source,
                            const Section &section) const {
    const unsigned type = ELF32_R_TYPE(source.r_info);
    Relocation relocation;
    relocation.offset = source.r_offset;
    relocation.symbol = ELF32_R_SYM(source.r_info);
    relocation.addend = source.r_addend;
    const std::string where = "a relocation of section '" + section.name + "'";
    if (relocation.symbol >= object.symbols.size())
      fail(where + " names a symbol that does not exist");
    // Sections that are not loaded (debug information) may have relocation
    // types of their own.
    if (type >= std::size(runtime::elf::Relocations)) {
      if (section.allocated)
        fail(where + " has the unknown type " + std::to_string(type));
      relocation.type = &runtime::elf::Relocations[runtime::elf::R_IPU_NONE];
      return relocation;
    }
    relocation.type = &runtime::elf::Relocations[type];
    if (std::uint64_t(relocation.offset) + relocation.type->bytes >
        section.bytes.size())
      fail(where + " lies behind its end");
    return relocation;
  }

  std::span<const std::uint8_t> bytes;
  ObjectFile object;
  Elf32_Ehdr header = {};
  std::vector<Elf32_Shdr> headers;
};

} // namespace

ObjectFile ObjectFile::parse(const std::string &name,
                             std::span<const std::uint8_t> bytes) {
  return Reader(name, bytes).read();
}

} // namespace populus::link
