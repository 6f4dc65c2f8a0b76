// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sections of the same name are joined. A reference to another debug section is
// an offset in the joined one; a reference to code that was left out becomes
// the highest address, by which DWARF says that there is no such code (DWARF
// issue 200609.1; LLVM and GNU tools know it). In the lists of DWARF 4 and
// older that address means something else, and 1 stands for it: a range of no
// bytes.

#include "lib/Link/DebugSections.h"

#include <cstring>

namespace populus::link {

namespace {

std::uint32_t noAddress(const std::string &section) {
  return section == ".debug_ranges" || section == ".debug_loc"
             ? 1
             : ~std::uint32_t(0);
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
