// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads objects with LLVM's ELF reader. Names of IPU relocations come from our
// own table, for LLVM does not know the machine.

#include "tools/gp-dump/ObjectFile.h"

#include "runtime/Target/ElfIpu.h"
#include "tools/gp-dump/Disassembler.h"

#include <algorithm>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/MemoryBuffer.h>

namespace populus::gpdump {

namespace {

/// The value, or nothing where a damaged object has none; gp-dump shows what
/// there is.
template <typename T> std::optional<T> valueOf(llvm::Expected<T> expected) {
  if (expected)
    return std::move(*expected);
  llvm::consumeError(expected.takeError());
  return std::nullopt;
}

std::string sectionName(const llvm::object::SectionRef &section) {
  return valueOf(section.getName()).value_or("").str();
}

bool isLoaded(const llvm::object::SectionRef &section) {
  return llvm::object::ELFSectionRef(section).getFlags() & llvm::ELF::SHF_ALLOC;
}

std::string relocationName(const llvm::object::RelocationRef &relocation,
                           bool isIpu) {
  std::uint64_t type = relocation.getType();
  if (isIpu && type < std::size(runtime::elf::Relocations))
    return std::string(runtime::elf::Relocations[type].name);
  llvm::SmallString<32> name;
  relocation.getTypeName(name);
  return std::string(name);
}

std::string relocationTarget(const llvm::object::RelocationRef &relocation,
                             const llvm::object::ObjectFile &file) {
  std::string text;
  auto symbol = relocation.getSymbol();
  if (symbol != file.symbol_end()) {
    text = valueOf(symbol->getName()).value_or("").str();
    if (text.empty())
      if (auto section = valueOf(symbol->getSection());
          section && *section != file.section_end())
        text = sectionName(**section);
  }
  auto addend = valueOf(llvm::object::ELFRelocationRef(relocation).getAddend());
  if (addend && *addend > 0)
    text += '+';
  if (addend && *addend != 0)
    text += std::to_string(*addend);
  return text;
}

} // namespace

ObjectFile::ObjectFile(const archive::Object &object, const std::string &file)
    : object(object), name(object.source + " for " + object.target) {
  llvm::StringRef bytes(reinterpret_cast<const char *>(object.bytes.data()),
                        object.bytes.size());
  auto parsed = llvm::object::ObjectFile::createELFObjectFile(
      llvm::MemoryBufferRef(bytes, name));
  if (!parsed)
    throw archive::ArchiveError(
        file + ": the object of " + name + " is damaged: " +
        llvm::toString(parsed.takeError()) + "; build it again with popc");
  elf = std::move(*parsed);
}

std::vector<SectionInfo> ObjectFile::sections() const {
  std::vector<SectionInfo> list;
  for (const llvm::object::SectionRef &section : elf->sections())
    if (std::string text = sectionName(section); !text.empty())
      list.push_back({text, section.getAddress(), section.getSize(),
                      section.isText(), isLoaded(section)});
  return list;
}

std::vector<SymbolInfo> ObjectFile::symbols() const {
  auto elfObject = llvm::cast<llvm::object::ELFObjectFileBase>(elf.get());
  // A shared object need not have the table that linkers use.
  bool isShared = elfObject->getEType() == llvm::ELF::ET_DYN;
  auto range =
      isShared ? elfObject->getDynamicSymbolIterators() : elfObject->symbols();
  std::vector<SymbolInfo> list;
  for (const llvm::object::ELFSymbolRef &symbol : range) {
    std::string text = valueOf(symbol.getName()).value_or("").str();
    std::uint8_t type = symbol.getELFType();
    if (text.empty() || type == llvm::ELF::STT_SECTION ||
        type == llvm::ELF::STT_FILE)
      continue;
    SymbolInfo info{text, valueOf(symbol.getValue()).value_or(0),
                    symbol.getSize(), ""};
    if (auto section = valueOf(symbol.getSection());
        section && *section != elf->section_end())
      info.section = sectionName(**section);
    list.push_back(std::move(info));
  }
  std::sort(list.begin(), list.end(),
            [](const SymbolInfo &a, const SymbolInfo &b) {
              return std::tie(a.section, a.address, a.name) <
                     std::tie(b.section, b.address, b.name);
            });
  return list;
}

SizeInfo ObjectFile::size() const {
  SizeInfo total;
  for (const SectionInfo &section : sections())
    if (section.isLoaded)
      (section.isCode ? total.code : total.data) += section.bytes;
  return total;
}

std::string ObjectFile::disassemble() const {
  bool isIpu = !object.target.starts_with("cpu");
  Disassembler disassembler(elf->makeTriple().str(), object.target);
  if (!disassembler.isAvailable())
    return "  (no disassembler for this machine)\n";

  std::vector<SymbolInfo> all = symbols();
  std::string text;
  for (const llvm::object::SectionRef &section : elf->sections()) {
    if (!section.isText() || section.getSize() == 0)
      continue;
    auto bytes = valueOf(section.getContents());
    if (!bytes)
      continue;
    std::string sectionText = sectionName(section);
    Code code;
    code.bytes = llvm::arrayRefFromStringRef(*bytes);
    code.address = section.getAddress();
    for (const SymbolInfo &symbol : all)
      if (symbol.section == sectionText)
        code.labels[symbol.address].push_back(symbol.name);
    // The relocations of a section are a section of their own.
    for (const llvm::object::SectionRef &other : elf->sections()) {
      auto target = valueOf(other.getRelocatedSection());
      if (!target || *target == elf->section_end() || **target != section)
        continue;
      for (const llvm::object::RelocationRef &relocation : other.relocations())
        code.notes[relocation.getOffset()] = relocationName(relocation, isIpu) +
                                             " " +
                                             relocationTarget(relocation, *elf);
    }
    text += "  section " + sectionText + "\n" + disassembler.print(code);
  }
  return text;
}

} // namespace populus::gpdump
