// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sections of the same name are joined. A reference to another debug section is
// an offset in the joined one; a reference to code that was left out becomes
// the highest address, by which DWARF says that there is no such code (DWARF
// issue 200609.1; LLVM and GNU tools know it). In the lists of DWARF 4 and
// older that address means something else, and 1 stands for it: a range of no
// bytes. There it announces the address from which the ranges that follow
// count, as assembly sources have it; if that was left out, they are emptied.

#include "lib/Link/DebugSections.h"

#include <cstring>

namespace populus::link {

namespace {

std::uint32_t noAddress(const std::string &section) {
  return section == ".debug_ranges" || section == ".debug_loc"
             ? 1
             : ~std::uint32_t(0);
}

/// Empties the ranges of a list that count from the address at `place`.
void emptyRanges(std::uint8_t *section, std::size_t size, std::size_t place) {
  struct Range {
    std::uint32_t begin, end;
  } range;
  constexpr std::uint32_t Announcement = ~std::uint32_t(0);
  for (std::size_t at = place + sizeof(std::uint32_t);
       at + sizeof(range) <= size; at += sizeof(range)) {
    std::memcpy(&range, section + at, sizeof(range));
    if (range.begin == Announcement || (range.begin == 0 && range.end == 0))
      return;
    range.begin = range.end; // not both 0, the end of a list
    std::memcpy(section + at, &range, sizeof(range));
  }
}

bool isAnnounced(const std::uint8_t *section, std::size_t place) {
  std::uint32_t word = 0;
  if (place >= sizeof(word))
    std::memcpy(&word, section + place - sizeof(word), sizeof(word));
  return word == ~std::uint32_t(0);
}

bool isDebug(const Section &section) {
  return !section.allocated && section.name.starts_with(".debug_");
}

} // namespace

void DebugSections::add(const ObjectFile &object, const AddressOf &addressOf) {
  starts.clear();
  for (std::uint32_t i = 0; i != object.sections.size(); ++i) {
    const Section &section = object.sections[i];
    if (!isDebug(section))
      continue;
    std::vector<std::uint8_t> &joined = bytes[section.name];
    starts[i] = static_cast<std::uint32_t>(joined.size());
    joined.insert(joined.end(), section.bytes.begin(), section.bytes.end());
  }
  for (const auto &[section, start] : starts)
    relocate(object, section, addressOf);
}

void DebugSections::relocate(const ObjectFile &object, std::uint32_t section,
                             const AddressOf &addressOf) {
  const Section &source = object.sections[section];
  std::uint8_t *place = bytes[source.name].data() + starts[section];
  for (const Relocation &relocation : source.relocations) {
    if (relocation.type->bytes == 0)
      continue;
    const Symbol &symbol = object.symbols[relocation.symbol];
    std::optional<std::uint32_t> base;
    if (const auto start = starts.find(symbol.section); start != starts.end())
      base = start->second + symbol.value;
    else
      base = addressOf(relocation.symbol);
    const std::uint32_t value =
        base ? *base + static_cast<std::uint32_t>(relocation.addend)
             : noAddress(source.name);
    std::memcpy(place + relocation.offset, &value, relocation.type->bytes);
    if (!base && source.name == ".debug_ranges" &&
        isAnnounced(place, relocation.offset))
      emptyRanges(place, source.bytes.size(), relocation.offset);
  }
}

std::vector<runtime::DebugSection> DebugSections::take() {
  std::vector<runtime::DebugSection> sections;
  sections.reserve(bytes.size());
  for (auto &[name, content] : bytes)
    sections.push_back({name, std::move(content)});
  return sections;
}

} // namespace populus::link
