// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the sections and the table of dynamic symbols of an ELF file for 64
// bits.

#include "runtime/Native/HostOrder.h"

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <optional>
#include <string_view>
#include <vector>

namespace populus::runtime {

namespace {

/// Functions that use the C library's shared state: its streams, and the state
/// of its random numbers.
constexpr std::string_view SharedNames[] = {
    "printf", "puts",   "putchar",   "putc",      "fputc",     "fputs",
    "fwrite", "write",  "fprintf",   "vfprintf",  "vprintf",   "fflush",
    "stdout", "stderr", "_ZSt4cout", "_ZSt4cerr", "_ZSt4clog", "rand",
    "srand",  "random", "drand48",   "lrand48",   "mrand48",   "strtok"};

class ElfReader {
public:
  explicit ElfReader(std::span<const std::uint8_t> bytes) : bytes(bytes) {}

  template <typename T>
  std::optional<std::vector<T>> table(std::uint64_t at,
                                      std::uint64_t count) const {
    if (at > bytes.size() || count > (bytes.size() - at) / sizeof(T))
      return std::nullopt;
    std::vector<T> entries(count);
    if (count != 0)
      std::memcpy(entries.data(), bytes.data() + at, count * sizeof(T));
    return entries;
  }

  std::string_view text(std::uint64_t at) const {
    if (at >= bytes.size())
      return {};
    const char *begin = reinterpret_cast<const char *>(bytes.data() + at);
    return {begin, strnlen(begin, bytes.size() - at)};
  }

private:
  std::span<const std::uint8_t> bytes;
};

bool isShared(std::string_view name) {
  return std::find(std::begin(SharedNames), std::end(SharedNames), name) !=
         std::end(SharedNames);
}

/// Data that functions can write, and not only the loader.
bool isVariable(const Elf64_Shdr &section, std::string_view name) {
  const bool holdsData =
      section.sh_type == SHT_PROGBITS || section.sh_type == SHT_NOBITS;
  return holdsData && (section.sh_flags & SHF_WRITE) != 0 &&
         section.sh_size != 0 && !name.starts_with(".data.rel.ro") &&
         !name.starts_with(".got");
}

} // namespace

bool needsOrder(std::span<const std::uint8_t> object) {
  const ElfReader reader(object);
  const auto header = reader.table<Elf64_Ehdr>(0, 1);
  if (!header)
    return true;
  const auto sections = reader.table<Elf64_Shdr>(header->front().e_shoff,
                                                 header->front().e_shnum);
  if (!sections || header->front().e_shstrndx >= sections->size())
    return true;
  const std::uint64_t names = (*sections)[header->front().e_shstrndx].sh_offset;
  for (const Elf64_Shdr &section : *sections)
    if (isVariable(section, reader.text(names + section.sh_name)))
      return true;
  for (const Elf64_Shdr &section : *sections) {
    if (section.sh_type != SHT_DYNSYM)
      continue;
    const auto symbols = reader.table<Elf64_Sym>(
        section.sh_offset, section.sh_size / sizeof(Elf64_Sym));
    if (!symbols || section.sh_link >= sections->size())
      return true;
    const std::uint64_t texts = (*sections)[section.sh_link].sh_offset;
    return std::any_of(symbols->begin(), symbols->end(),
                       [&](const Elf64_Sym &symbol) {
                         return symbol.st_shndx == SHN_UNDEF &&
                                isShared(reader.text(texts + symbol.st_name));
                       });
  }
  return true;
}

} // namespace populus::runtime
