// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads and writes `ar` archives. A member is a header of 60 printable
// characters followed by its bytes, padded to an even offset; names of more
// than 15 characters lie in a member "//" and are referred to by offset.

#include "lib/Archive/Ar.h"

#include "lib/Archive/Archive.h"

#include <charconv>
#include <cstring>
#include <string_view>

namespace populus::archive {

namespace {

constexpr std::string_view Magic = "!<arch>\n";
constexpr std::string_view HeaderEnd = "`\n";
constexpr std::size_t HeaderBytes = 60;
constexpr std::size_t NameBytes = 16;
constexpr std::size_t SizeOffset = 48;
constexpr std::size_t SizeBytes = 10;

std::string_view text(std::span<const std::uint8_t> bytes) {
  return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

std::string_view trimBlanks(std::string_view field) {
  std::size_t end = field.find_last_not_of(' ');
  return end == field.npos ? std::string_view() : field.substr(0, end + 1);
}

bool parseNumber(std::string_view field, std::uint64_t &value) {
  field = trimBlanks(field);
  auto [end, error] =
      std::from_chars(field.data(), field.data() + field.size(), value);
  return error == std::errc() && end == field.data() + field.size();
}

[[noreturn]] void fail(const std::string &file, const std::string &what) {
  throw ArchiveError(file + ": not a valid codelet archive: " + what +
                     "; build it again with popc");
}

/// The name in a header: "name/", or "/12" for one at offset 12 of `longNames`.
std::string memberName(std::string_view field, std::string_view longNames,
                       const std::string &file) {
  field = trimBlanks(field);
  if (!field.starts_with('/')) {
    return std::string(field.substr(0, field.find('/')));
  }
  std::uint64_t offset = 0;
  if (!parseNumber(field.substr(1), offset) || offset >= longNames.size())
    fail(file, "bad member name");
  std::string_view rest = longNames.substr(offset);
  std::size_t end = rest.find('/');
  if (end == rest.npos)
    fail(file, "bad member name");
  return std::string(rest.substr(0, end));
}

void append(std::vector<std::uint8_t> &out, std::string_view bytes) {
  out.insert(out.end(), bytes.begin(), bytes.end());
}

std::string padded(std::string text, std::size_t width) {
  text.resize(width, ' ');
  return text;
}

void appendMember(std::vector<std::uint8_t> &out, const std::string &name,
                  std::span<const std::uint8_t> bytes) {
  append(out, padded(name, NameBytes));
  append(out, padded("0", 12) + padded("0", 6) + padded("0", 6));
  append(out, padded("100644", 8));
  append(out, padded(std::to_string(bytes.size()), SizeBytes));
  append(out, HeaderEnd);
  out.insert(out.end(), bytes.begin(), bytes.end());
  if (out.size() % 2)
    out.push_back('\n');
}

} // namespace

std::vector<ArMember> readAr(std::span<const std::uint8_t> bytes,
                             const std::string &file) {
  if (!text(bytes).starts_with(Magic))
    fail(file, bytes.empty() ? "the file is empty" : "wrong first bytes");
  std::vector<ArMember> members;
  std::string_view longNames;
  std::size_t offset = Magic.size();
  while (offset < bytes.size()) {
    if (bytes.size() - offset < HeaderBytes)
      fail(file, "it is cut off in a member header");
    std::string_view header = text(bytes.subspan(offset, HeaderBytes));
    offset += HeaderBytes;
    std::uint64_t size = 0;
    if (!header.ends_with(HeaderEnd) ||
        !parseNumber(header.substr(SizeOffset, SizeBytes), size))
      fail(file, "bad member header");
    if (size > bytes.size() - offset)
      fail(file, "it is cut off in a member");
    std::span<const std::uint8_t> contents = bytes.subspan(offset, size);
    offset += size + size % 2;
    std::string_view name = header.substr(0, NameBytes);
    if (trimBlanks(name) == "//")
      longNames = text(contents);
    else if (trimBlanks(name) != "/") // a symbol index, which ranlib may add
      members.push_back({memberName(name, longNames, file), contents});
  }
  return members;
}

std::vector<std::uint8_t> writeAr(std::span<const ArMember> members) {
  std::string longNames;
  std::vector<std::string> headerNames;
  for (const ArMember &member : members) {
    if (member.name.size() < NameBytes) {
      headerNames.push_back(member.name + "/");
      continue;
    }
    headerNames.emplace_back("/").append(std::to_string(longNames.size()));
    longNames += member.name + "/\n";
  }

  std::vector<std::uint8_t> out(Magic.begin(), Magic.end());
  if (!longNames.empty())
    appendMember(out, "//",
                 {reinterpret_cast<const std::uint8_t *>(longNames.data()),
                  longNames.size()});
  for (std::size_t i = 0; i != members.size(); ++i)
    appendMember(out, headerNames[i], members[i].bytes);
  return out;
}

} // namespace populus::archive
