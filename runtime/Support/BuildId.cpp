// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ID is a note (elf(5)) in a segment of its own. Looking at what is loaded,
// not at the file, is right even while the file is being replaced.

#include "runtime/Support/BuildId.h"

#include <cstdint>
#include <cstring>
#include <link.h>
#include <string_view>

namespace populus::runtime {

namespace {

struct Search {
  std::uintptr_t address;
  std::string id;
};

bool contains(const dl_phdr_info &object, std::uintptr_t address) {
  for (unsigned i = 0; i != object.dlpi_phnum; ++i) {
    const ElfW(Phdr) &segment = object.dlpi_phdr[i];
    const std::uintptr_t start = object.dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD && address >= start &&
        address - start < segment.p_memsz)
      return true;
  }
  return false;
}

constexpr std::size_t roundedToWords(std::size_t bytes) {
  return (bytes + 3) / 4 * 4;
}

std::string findId(std::string_view notes) {
  ElfW(Nhdr) header;
  while (notes.size() >= sizeof header) {
    std::memcpy(&header, notes.data(), sizeof header);
    notes.remove_prefix(sizeof header);
    const std::size_t nameBytes = roundedToWords(header.n_namesz);
    const std::size_t idBytes = roundedToWords(header.n_descsz);
    if (nameBytes + idBytes > notes.size())
      return {};
    if (header.n_type == NT_GNU_BUILD_ID &&
        notes.substr(0, header.n_namesz) == std::string_view("GNU\0", 4))
      return std::string(notes.substr(nameBytes, header.n_descsz));
    notes.remove_prefix(nameBytes + idBytes);
  }
  return {};
}

int look(dl_phdr_info *object, std::size_t, void *data) {
  auto &search = *static_cast<Search *>(data);
  if (!contains(*object, search.address))
    return 0;
  for (unsigned i = 0; i != object->dlpi_phnum && search.id.empty(); ++i) {
    const ElfW(Phdr) &segment = object->dlpi_phdr[i];
    if (segment.p_type == PT_NOTE)
      search.id = findId(
          {reinterpret_cast<const char *>(object->dlpi_addr + segment.p_vaddr),
           segment.p_memsz});
  }
  return 1; // found: no need to look at other objects
}

} // namespace

std::string buildIdOf(const void *address) {
  Search search{reinterpret_cast<std::uintptr_t>(address), {}};
  ::dl_iterate_phdr(look, &search);
  return std::move(search.id);
}

} // namespace populus::runtime
