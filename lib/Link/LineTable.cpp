// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the line number program of DWARF 5 (section 6.2 of its standard), as
// far as compilers for this machine write it: one file per object, 32-bit
// format. Any other form ends the reading; nothing is read outside of the
// section.

#include "lib/Link/LineTable.h"

#include <algorithm>
#include <map>
#include <string_view>

namespace populus::link {

namespace {

// Numbers of the standard.
enum StandardOpcode {
  Extended = 0,
  Copy = 1,
  AdvancePc = 2,
  AdvanceLine = 3,
  SetFile = 4,
  ConstAddPc = 8,
  FixedAdvancePc = 9,
};
enum ExtendedOpcode { EndSequence = 1, SetAddress = 2 };
enum ContentType { ContentPath = 1, ContentDirectory = 2 };
enum Form {
  FormData2 = 0x05,
  FormString = 0x08,
  FormData1 = 0x0b,
  FormUdata = 0x0f,
  FormData16 = 0x1e,
  FormLineStrp = 0x1f,
};

/// The bytes could not be understood.
struct Unreadable {};

class Reader {
public:
  Reader(const ObjectFile &object, const Section &lines)
      : object(object), lines(lines) {
    for (const Relocation &relocation : lines.relocations)
      relocations[relocation.offset] = &relocation;
    for (const Section &section : object.sections)
      if (section.name == ".debug_line_str")
        strings = &section;
  }

  void readInto(LineTable &table) {
    while (at < lines.bytes.size()) {
      const std::uint64_t length = fixed(4);
      const std::uint64_t end = at + length;
      if (end > lines.bytes.size())
        throw Unreadable();
      limit = end;
      readUnit(table);
      at = end;
      limit = lines.bytes.size();
    }
  }

private:
  struct Header {
    std::uint32_t instructionBytes = 1;
    std::int32_t lineBase = 0;
    std::uint32_t lineRange = 1;
    std::uint32_t opcodeBase = 1;
    std::vector<std::uint8_t> lengths; // operands of standard opcodes
  };
  struct Entry {
    std::string path;
    std::uint64_t directory = 0;
  };

  std::uint64_t fixed(unsigned bytes) {
    if (bytes > limit - at)
      throw Unreadable();
    std::uint64_t value = 0;
    for (unsigned i = 0; i != bytes; ++i)
      value |= std::uint64_t(lines.bytes[at + i]) << 8 * i;
    at += bytes;
    return value;
  }

  std::uint64_t uleb() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const std::uint64_t byte = fixed(1);
      value |= (byte & 0x7f) << shift;
      if (!(byte & 0x80))
        return value;
    }
    throw Unreadable();
  }

  std::int64_t sleb() {
    std::int64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const std::uint64_t byte = fixed(1);
      value |= static_cast<std::int64_t>((byte & 0x7f) << shift);
      if (!(byte & 0x80)) {
        if ((byte & 0x40) && shift + 7 < 64)
          value |= -(std::int64_t(1) << (shift + 7));
        return value;
      }
    }
    throw Unreadable();
  }

  std::string stringIn(const std::vector<std::uint8_t> &bytes,
                       std::uint64_t offset) const {
    std::string text;
    for (; offset < bytes.size() && bytes[offset] != 0; ++offset)
      text += static_cast<char>(bytes[offset]);
    return text;
  }

  std::string lineString() {
    const auto relocation = relocations.find(at);
    std::uint64_t offset = fixed(4);
    if (relocation != relocations.end())
      offset = static_cast<std::uint32_t>(relocation->second->addend);
    if (!strings)
      throw Unreadable();
    return stringIn(strings->bytes, offset);
  }

  void readForm(std::uint64_t content, std::uint64_t form, Entry &entry) {
    std::uint64_t number = 0;
    std::string text;
    switch (form) {
    case FormLineStrp:
      text = lineString();
      break;
    case FormString:
      text = stringIn(lines.bytes, at);
      if (text.size() >= limit - at)
        throw Unreadable();
      at += text.size() + 1;
      break;
    case FormUdata:
      number = uleb();
      break;
    case FormData1:
      number = fixed(1);
      break;
    case FormData2:
      number = fixed(2);
      break;
    case FormData16: // a checksum
      fixed(8);
      fixed(8);
      break;
    default:
      throw Unreadable();
    }
    if (content == ContentPath)
      entry.path = std::move(text);
    else if (content == ContentDirectory)
      entry.directory = number;
  }

  std::vector<Entry> readEntries() {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> formats(fixed(1));
    for (auto &[content, form] : formats) {
      content = uleb();
      form = uleb();
    }
    std::vector<Entry> entries;
    for (std::uint64_t left = uleb(); left != 0; --left) {
      if (formats.empty())
        throw Unreadable();
      entries.emplace_back();
      for (const auto &[content, form] : formats)
        readForm(content, form, entries.back());
    }
    return entries;
  }

  /// A file in the folder of the compilation goes by its name alone.
  static std::string pathOf(const Entry &file,
                            const std::vector<Entry> &directories) {
    if (file.path.starts_with('/') || file.directory >= directories.size() ||
        directories[file.directory].path == directories.front().path)
      return file.path;
    return directories[file.directory].path + "/" + file.path;
  }

  void readUnit(LineTable &table) {
    Header header;
    if (fixed(2) != 5 || fixed(1) != 4 || fixed(1) != 0)
      throw Unreadable();
    const std::uint64_t headerBytes = fixed(4);
    const std::uint64_t program = at + headerBytes;
    header.instructionBytes = static_cast<std::uint32_t>(fixed(1));
    fixed(2); // operations in an instruction, "is statement" at the start
    header.lineBase = static_cast<std::int8_t>(fixed(1));
    header.lineRange = static_cast<std::uint32_t>(fixed(1));
    header.opcodeBase = static_cast<std::uint32_t>(fixed(1));
    if (header.lineRange == 0 || header.opcodeBase == 0)
      throw Unreadable();
    for (std::uint32_t i = 1; i < header.opcodeBase; ++i)
      header.lengths.push_back(static_cast<std::uint8_t>(fixed(1)));
    const std::vector<Entry> directories = readEntries();
    firstFile = static_cast<std::uint32_t>(table.files.size());
    for (const Entry &file : readEntries())
      table.files.push_back(pathOf(file, directories));
    if (program > limit)
      throw Unreadable();
    at = program;
    runProgram(header, table);
  }

  void runProgram(const Header &header, LineTable &table) {
    LineRow row;
    const auto reset = [&] {
      row = {};
      row.file = 1;
      row.line = 1;
    };
    const auto emit = [&] {
      LineRow out = row;
      out.file += firstFile;
      if (out.file >= table.files.size())
        throw Unreadable();
      if (row.section != NoSection)
        table.rows.push_back(out);
    };
    const auto advance = [&](std::uint64_t operations) {
      row.offset +=
          static_cast<std::uint32_t>(operations) * header.instructionBytes;
    };
    reset();
    while (at < limit) {
      const auto opcode = static_cast<std::uint32_t>(fixed(1));
      if (opcode >= header.opcodeBase) {
        const std::uint32_t adjusted = opcode - header.opcodeBase;
        advance(adjusted / header.lineRange);
        row.line += header.lineBase +
                    static_cast<std::int32_t>(adjusted % header.lineRange);
        emit();
        continue;
      }
      switch (opcode) {
      case Extended:
        if (readExtended(row)) {
          row.isEnd = true;
          emit();
          reset();
        }
        break;
      case Copy:
        emit();
        break;
      case AdvancePc:
        advance(uleb());
        break;
      case AdvanceLine:
        row.line += static_cast<std::uint32_t>(sleb());
        break;
      case SetFile:
        row.file = static_cast<std::uint32_t>(uleb());
        break;
      case ConstAddPc:
        advance((255 - header.opcodeBase) / header.lineRange);
        break;
      case FixedAdvancePc:
        row.offset += static_cast<std::uint32_t>(fixed(2));
        break;
      default: // nothing that we keep
        for (unsigned i = 0; i != header.lengths[opcode - 1]; ++i)
          uleb();
      }
    }
  }

  /// Returns whether the sequence ends.
  bool readExtended(LineRow &row) {
    const std::uint64_t length = uleb();
    if (length == 0 || length > limit - at)
      throw Unreadable();
    const std::uint64_t next = at + length;
    const std::uint64_t opcode = fixed(1);
    if (opcode == SetAddress) {
      const auto relocation = relocations.find(at);
      row.section = NoSection;
      if (relocation != relocations.end()) {
        const Symbol &symbol = object.symbols[relocation->second->symbol];
        row.section = symbol.section;
        row.offset = symbol.value +
                     static_cast<std::uint32_t>(relocation->second->addend);
      }
    }
    at = next;
    return opcode == EndSequence;
  }

  const ObjectFile &object;
  const Section &lines;
  const Section *strings = nullptr;
  std::map<std::uint64_t, const Relocation *> relocations;
  std::uint64_t at = 0;
  std::uint64_t limit = lines.bytes.size();
  std::uint32_t firstFile = 0;
};

} // namespace

LineTable LineTable::read(const ObjectFile &object) {
  LineTable table;
  for (const Section &section : object.sections)
    if (section.name == ".debug_line")
      try {
        Reader(object, section).readInto(table);
      } catch (const Unreadable &) {
        return {};
      }
  return table;
}

} // namespace populus::link
