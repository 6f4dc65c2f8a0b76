// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bytes of a relocatable ELF32 object.

#include "test/unit/Link/ElfWriter.h"

#include <cstring>

namespace populus::test {

unsigned ElfWriter::section(const std::string &name, std::uint32_t flags,
                            std::vector<std::uint8_t> bytes,
                            std::uint32_t align, std::uint32_t type) {
  Section section;
  section.name = name;
  section.header.sh_type = type;
  section.header.sh_flags = flags;
  section.header.sh_addralign = align;
  section.header.sh_size = static_cast<std::uint32_t>(bytes.size());
  if (type != SHT_NOBITS)
    section.bytes = std::move(bytes);
  sections.push_back(std::move(section));
  return static_cast<unsigned>(sections.size() - 1);
}

unsigned ElfWriter::text(const std::string &function,
                         const std::vector<std::uint32_t> &words) {
  std::vector<std::uint8_t> bytes(words.size() * 4);
  std::memcpy(bytes.data(), words.data(), bytes.size());
  return section(".text." + function, SHF_ALLOC | SHF_EXECINSTR,
                 std::move(bytes));
}

unsigned ElfWriter::symbol(const std::string &name, unsigned section,
                           std::uint32_t value, unsigned bind, unsigned type) {
  Symbol symbol;
  symbol.name = name;
  symbol.entry.st_shndx = static_cast<Elf32_Half>(section);
  symbol.entry.st_value = value;
  symbol.entry.st_info = static_cast<unsigned char>(ELF32_ST_INFO(bind, type));
  symbols.push_back(std::move(symbol));
  return static_cast<unsigned>(symbols.size() - 1);
}

void ElfWriter::relocate(unsigned section, std::uint32_t offset,
                         std::uint8_t type, unsigned symbol,
                         std::int32_t addend) {
  sections[section].relocations.push_back(
      {offset, static_cast<Elf32_Word>(ELF32_R_INFO(symbol, type)), addend});
}

void ElfWriter::stackSize(unsigned functionSymbol, std::uint8_t bytes) {
  const unsigned id = section(".stack_sizes", 0, {0, 0, 0, 0, bytes}, 1);
  relocate(id, 0, runtime::elf::R_IPU_32, functionSymbol);
}

std::vector<std::uint8_t> ElfWriter::write() const {
  std::vector<Section> all = sections;
  std::string names(1, '\0'), symbolNames(1, '\0');

  Section table;
  table.name = ".symtab";
  table.header.sh_type = SHT_SYMTAB;
  for (const Symbol &symbol : symbols) {
    Elf32_Sym entry = symbol.entry;
    if (!symbol.name.empty()) {
      entry.st_name = static_cast<Elf32_Word>(symbolNames.size());
      symbolNames += symbol.name + '\0';
    }
    const auto *bytes = reinterpret_cast<const std::uint8_t *>(&entry);
    table.bytes.insert(table.bytes.end(), bytes, bytes + sizeof(entry));
  }
  const auto symbolTable = static_cast<Elf32_Word>(all.size());
  table.header.sh_link = symbolTable + 1;
  all.push_back(table);
  Section strings;
  strings.name = ".strtab";
  strings.header.sh_type = SHT_STRTAB;
  strings.bytes.assign(symbolNames.begin(), symbolNames.end());
  all.push_back(strings);
  for (unsigned i = 0; i != sections.size(); ++i) {
    if (sections[i].relocations.empty())
      continue;
    Section relocations;
    relocations.name = ".rela" + sections[i].name;
    relocations.header.sh_type = SHT_RELA;
    relocations.header.sh_info = i;
    relocations.header.sh_link = symbolTable;
    const auto *bytes =
        reinterpret_cast<const std::uint8_t *>(sections[i].relocations.data());
    relocations.bytes.assign(bytes, bytes + sections[i].relocations.size() *
                                                sizeof(Elf32_Rela));
    all.push_back(std::move(relocations));
  }
  Section sectionNames;
  sectionNames.name = ".shstrtab";
  sectionNames.header.sh_type = SHT_STRTAB;
  all.push_back(sectionNames);
  for (unsigned i = 1; i != all.size(); ++i) {
    all[i].header.sh_name = static_cast<Elf32_Word>(names.size());
    names += all[i].name + '\0';
  }
  all.back().bytes.assign(names.begin(), names.end());

  Elf32_Ehdr header = {};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS32;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_REL;
  header.e_machine = machine;
  header.e_version = EV_CURRENT;
  header.e_ehsize = sizeof(header);
  header.e_shentsize = sizeof(Elf32_Shdr);
  header.e_shnum = static_cast<Elf32_Half>(all.size());
  header.e_shstrndx = static_cast<Elf32_Half>(all.size() - 1);

  std::vector<std::uint8_t> result(sizeof(header));
  for (unsigned i = 1; i != all.size(); ++i) {
    all[i].header.sh_offset = static_cast<Elf32_Off>(result.size());
    if (all[i].header.sh_type != SHT_NOBITS)
      all[i].header.sh_size = static_cast<Elf32_Word>(all[i].bytes.size());
    result.insert(result.end(), all[i].bytes.begin(), all[i].bytes.end());
  }
  header.e_shoff = static_cast<Elf32_Off>(result.size());
  for (const Section &section : all) {
    const auto *bytes = reinterpret_cast<const std::uint8_t *>(&section.header);
    result.insert(result.end(), bytes, bytes + sizeof(Elf32_Shdr));
  }
  std::memcpy(result.data(), &header, sizeof(header));
  return result;
}

} // namespace populus::test
