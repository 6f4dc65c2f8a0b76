// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sections of an image follow the header, then come the section headers. An
// image knows no more of its sections than where the instructions end.

#include "tools/gp-dump/ImageFile.h"

#include "runtime/Target/ElfIpu.h"

#include <algorithm>
#include <elf.h>
#include <span>

namespace populus::gpdump {

namespace {

using runtime::CodeImage;

/// The section numbers that symbols refer to.
enum : std::uint16_t { TextSection = 1, DataSection = 2 };

class Strings {
public:
  std::uint32_t add(const std::string &text) {
    const auto offset = static_cast<std::uint32_t>(bytes.size());
    bytes.insert(bytes.end(), text.c_str(), text.c_str() + text.size() + 1);
    return offset;
  }
  std::vector<std::uint8_t> bytes = {0};
};

class Writer {
public:
  explicit Writer(const CodeImage &image) : image(image) {}

  std::vector<std::uint8_t> write() {
    file.resize(sizeof(Elf32_Ehdr));
    headers.emplace_back(); // section 0 is none
    addImage();
    for (const runtime::DebugSection &section : image.debugSections)
      add(section.name, SHT_PROGBITS, 0, 1, section.bytes);
    addSymbols();
    const std::uint32_t namesOfSections = names.add(".shstrtab");
    headers.push_back(
        header(namesOfSections, SHT_STRTAB, 0, 1, names.bytes.size()));
    append(names.bytes);
    writeHeaders();
    return std::move(file);
  }

private:
  template <typename T> void append(const T &value) {
    const auto *bytes = reinterpret_cast<const std::uint8_t *>(&value);
    file.insert(file.end(), bytes, bytes + sizeof(T));
  }
  void append(std::span<const std::uint8_t> bytes) {
    file.insert(file.end(), bytes.begin(), bytes.end());
  }
  void append(const std::vector<std::uint8_t> &bytes) {
    append(std::span(bytes));
  }

  /// Header of a section whose bytes are appended next.
  Elf32_Shdr header(std::uint32_t name, std::uint32_t type, std::uint32_t flags,
                    std::uint32_t align, std::size_t bytes) {
    while (file.size() % align)
      file.push_back(0);
    Elf32_Shdr header = {};
    header.sh_name = name;
    header.sh_type = type;
    header.sh_flags = flags;
    header.sh_offset = static_cast<std::uint32_t>(file.size());
    header.sh_size = static_cast<std::uint32_t>(bytes);
    header.sh_addralign = align;
    return header;
  }

  Elf32_Shdr &add(const std::string &name, std::uint32_t type,
                  std::uint32_t flags, std::uint32_t align,
                  std::span<const std::uint8_t> bytes) {
    headers.push_back(
        header(names.add(name), type, flags, align, bytes.size()));
    append(bytes);
    return headers.back();
  }

  void addImage() {
    const std::span<const std::uint8_t> bytes(image.bytes);
    const std::size_t text =
        std::min<std::size_t>(image.textBytes, bytes.size());
    add(".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 8, bytes.first(text))
        .sh_addr = image.base;
    add(".data", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 4, bytes.subspan(text))
        .sh_addr = image.base + static_cast<std::uint32_t>(text);
  }

  void addSymbols() {
    Strings strings;
    std::vector<Elf32_Sym> symbols(1); // symbol 0 is none
    for (const runtime::Symbol &symbol : image.symbols) {
      const bool isCode = symbol.address - image.base < image.textBytes;
      Elf32_Sym entry = {};
      entry.st_name = strings.add(symbol.name);
      entry.st_value = symbol.address;
      entry.st_size = symbol.size;
      entry.st_info = ELF32_ST_INFO(STB_GLOBAL, isCode ? STT_FUNC : STT_OBJECT);
      entry.st_shndx = isCode ? TextSection : DataSection;
      symbols.push_back(entry);
    }
    Elf32_Shdr &table =
        add(".symtab", SHT_SYMTAB, 0, 4,
            {reinterpret_cast<const std::uint8_t *>(symbols.data()),
             symbols.size() * sizeof(Elf32_Sym)});
    table.sh_entsize = sizeof(Elf32_Sym);
    table.sh_info = 1; // the first symbol that is not local
    table.sh_link = static_cast<std::uint32_t>(headers.size());
    add(".strtab", SHT_STRTAB, 0, 1, strings.bytes);
  }

  void writeHeaders() {
    while (file.size() % 4)
      file.push_back(0);
    Elf32_Ehdr start = {};
    std::copy_n(ELFMAG, SELFMAG, start.e_ident);
    start.e_ident[EI_CLASS] = ELFCLASS32;
    start.e_ident[EI_DATA] = ELFDATA2LSB;
    start.e_ident[EI_VERSION] = EV_CURRENT;
    start.e_type = ET_EXEC;
    start.e_machine = runtime::elf::Machine;
    start.e_version = EV_CURRENT;
    start.e_shoff = static_cast<std::uint32_t>(file.size());
    start.e_ehsize = sizeof(Elf32_Ehdr);
    start.e_shentsize = sizeof(Elf32_Shdr);
    start.e_shnum = static_cast<std::uint16_t>(headers.size());
    start.e_shstrndx = static_cast<std::uint16_t>(headers.size() - 1);
    for (const Elf32_Shdr &header : headers)
      append(header);
    std::copy_n(reinterpret_cast<const std::uint8_t *>(&start), sizeof start,
                file.begin());
  }

  const CodeImage &image;
  std::vector<std::uint8_t> file;
  std::vector<Elf32_Shdr> headers;
  Strings names;
};

} // namespace

std::vector<std::uint8_t> imageFile(const CodeImage &image) {
  return Writer(image).write();
}

} // namespace populus::gpdump
