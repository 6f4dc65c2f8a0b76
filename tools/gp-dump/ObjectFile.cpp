// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads objects with LLVM's ELF reader. Names of IPU relocations come from our
// own table, for LLVM does not know the machine.

#include "tools/gp-dump/ObjectFile.h"

#include "runtime/Target/ElfIpu.h"
#include "runtime/Target/TargetInfo.h"
#include "tools/gp-dump/Disassembler.h"
#include "tools/gp-dump/Relocated.h"

#include <algorithm>
#include <llvm/ADT/StringExtras.h>
#include <llvm/DebugInfo/DWARF/DWARFContext.h>
#include <llvm/Support/LineIterator.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Path.h>

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

std::vector<std::uint8_t> ObjectFile::relocated() const {
  if (!isIpu())
    return object.bytes; // linked by popc
  std::string base = object.target.substr(0, object.target.find(':'));
  const runtime::TargetInfo *target = runtime::findTarget(base);
  return relocateObject(object.bytes, target ? target->regions[0].begin : 0);
}

namespace {

/// The line of a source, without what stands before it; empty if there is none.
class SourceText {
public:
  std::string line(const std::string &file, unsigned number) {
    auto [known, isNew] = files.try_emplace(file);
    if (isNew)
      if (auto buffer = llvm::MemoryBuffer::getFile(file, /*IsText=*/true))
        for (llvm::line_iterator it(**buffer, /*SkipBlanks=*/false);
             !it.is_at_eof(); ++it)
          known->second.push_back(it->trim().str());
    return number - 1 < known->second.size() ? known->second[number - 1] : "";
  }

private:
  std::map<std::string, std::vector<std::string>> files;
};

llvm::Expected<std::unique_ptr<llvm::object::ObjectFile>>
openElf(const std::vector<std::uint8_t> &bytes) {
  return llvm::object::ObjectFile::createELFObjectFile(llvm::MemoryBufferRef(
      llvm::StringRef(reinterpret_cast<const char *>(bytes.data()),
                      bytes.size()),
      ""));
}

/// Maps each address at which a new source line begins to that line.
std::map<std::uint64_t, std::string>
sourceLines(const std::vector<std::uint8_t> &bytes) {
  std::map<std::uint64_t, std::string> lines;
  auto file = openElf(bytes);
  if (!file) {
    llvm::consumeError(file.takeError());
    return lines;
  }
  auto ignore = [](llvm::Error error) { llvm::consumeError(std::move(error)); };
  std::unique_ptr<llvm::DWARFContext> context = llvm::DWARFContext::create(
      **file, llvm::DWARFContext::ProcessDebugRelocations::Ignore, nullptr, "",
      ignore, ignore);
  SourceText text;
  for (const auto &unit : context->compile_units()) {
    const auto *table = context->getLineTableForUnit(unit.get());
    if (!table)
      continue;
    for (const auto &row : table->Rows) {
      std::string path;
      if (row.EndSequence || row.Line == 0 || !row.IsStmt ||
          !table->getFileNameByIndex(
              row.File, unit->getCompilationDir(),
              llvm::DILineInfoSpecifier::FileLineInfoKind::AbsoluteFilePath,
              path))
        continue;
      std::string place = llvm::sys::path::filename(path).str() + ":" +
                          std::to_string(row.Line);
      const std::string source = text.line(path, row.Line);
      if (!source.empty())
        place.append(": ").append(source);
      lines[row.Address.Address] = std::move(place);
    }
  }
  return lines;
}

/// The addresses of sections, by their numbers.
std::map<unsigned, std::uint64_t>
sectionStarts(const std::vector<std::uint8_t> &bytes) {
  std::map<unsigned, std::uint64_t> starts;
  auto file = openElf(bytes);
  if (file)
    for (const llvm::object::SectionRef &section : (*file)->sections())
      starts[section.getIndex()] = section.getAddress();
  llvm::consumeError(file.takeError());
  return starts;
}

} // namespace

std::string ObjectFile::disassemble() const {
  Disassembler disassembler(elf->makeTriple().str(), object.target);
  if (!disassembler.isAvailable())
    return "  (no disassembler for this machine)\n";

  std::vector<SymbolInfo> all = symbols();
  const std::vector<std::uint8_t> linked = relocated();
  const std::map<std::uint64_t, std::string> lines = sourceLines(linked);
  const std::map<unsigned, std::uint64_t> starts = sectionStarts(linked);
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
    if (auto start = starts.find(section.getIndex()); start != starts.end())
      for (auto line = lines.lower_bound(start->second);
           line != lines.end() && line->first < start->second + bytes->size();
           ++line)
        code.lines[line->first - start->second + code.address] = line->second;
    for (const SymbolInfo &symbol : all)
      if (symbol.section == sectionText)
        code.labels[symbol.address].push_back(symbol.name);
    // The relocations of a section are a section of their own.
    for (const llvm::object::SectionRef &other : elf->sections()) {
      auto target = valueOf(other.getRelocatedSection());
      if (!target || *target == elf->section_end() || **target != section)
        continue;
      for (const llvm::object::RelocationRef &relocation : other.relocations())
        code.notes[relocation.getOffset()] =
            relocationName(relocation, isIpu()) + " " +
            relocationTarget(relocation, *elf);
    }
    text += "  section " + sectionText + "\n" + disassembler.print(code);
  }
  return text;
}

} // namespace populus::gpdump
