// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Report of gp-dump on one object of an archive: its sections, its symbols and
// its disassembly.

#ifndef POPULUS_TOOLS_GPDUMP_OBJECTFILE_H
#define POPULUS_TOOLS_GPDUMP_OBJECTFILE_H

#include "lib/Archive/Archive.h"

#include <llvm/Object/ELFObjectFile.h>
#include <memory>

namespace populus::gpdump {

struct SectionInfo {
  std::string name;
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  bool isCode = false;
  bool isLoaded = false;
};

struct SymbolInfo {
  std::string name;
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::string section; // empty: undefined
};

/// Bytes that an object takes in memory.
struct SizeInfo {
  std::uint64_t code = 0;
  std::uint64_t data = 0;
};

/// An object of a .gp file; throws ArchiveError where it is not ELF.
class ObjectFile {
public:
  ObjectFile(const archive::Object &object, const std::string &file);

  std::vector<SectionInfo> sections() const;
  std::vector<SymbolInfo> symbols() const;
  SizeInfo size() const;
  /// Lines of assembly, with labels and relocations and, where the object has
  /// debug information, the lines of the source that they come from.
  std::string disassemble() const;
  /// A file with all addresses in it: see Relocated.h.
  std::vector<std::uint8_t> relocated() const;

private:
  bool isIpu() const { return !object.target.starts_with("cpu"); }

  const archive::Object &object;
  std::string name;
  std::unique_ptr<llvm::object::ObjectFile> elf;
};

} // namespace populus::gpdump

#endif
