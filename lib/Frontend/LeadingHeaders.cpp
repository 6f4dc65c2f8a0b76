// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads by line. Anything unusual ends the search, which costs time when the
// source is compiled but is never wrong: a continued line, a comment within a
// directive, a directive after a comment in its line.

#include "lib/Frontend/LeadingHeaders.h"

#include <algorithm>

namespace populus::frontend {

namespace {

constexpr std::string_view Blanks = " \t\r";

std::string_view firstLine(std::string_view text) {
  return text.substr(0, text.find('\n'));
}

std::string_view withoutBlanks(std::string_view text,
                               std::string_view blanks = Blanks) {
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  return text;
}

bool isBlank(std::string_view text) { return withoutBlanks(text).empty(); }

bool consume(std::string_view &text, std::string_view start) {
  if (!text.starts_with(start))
    return false;
  text.remove_prefix(start.size());
  return true;
}

/// Whether the next line belongs to this one: blanks may follow the backslash,
/// and a trigraph may stand for it.
bool isContinued(std::string_view line) {
  line = line.substr(0, line.find_last_not_of(Blanks) + 1);
  return line.ends_with("\\") || line.ends_with("\?\?/");
}

/// Removes blanks and whole comments from the start. False if a comment has no
/// end.
bool skipBlanksAndComments(std::string_view &text) {
  for (;;) {
    text = withoutBlanks(text, " \t\r\n");
    if (text.starts_with("//")) {
      if (isContinued(firstLine(text)))
        return false;
      text.remove_prefix(firstLine(text).size());
    } else if (text.starts_with("/*")) {
      const std::size_t end = text.find("*/", 2);
      if (end == std::string_view::npos)
        return false;
      text.remove_prefix(end + 2);
      // What follows in the line is not at the line's start.
      if (!isBlank(firstLine(text)))
        return false;
    } else {
      return true;
    }
  }
}

/// The name in a line `#include <name>`; empty if it is anything else.
std::string_view includedName(std::string_view line) {
  if (isContinued(line) || !consume(line, "#"))
    return {};
  line = withoutBlanks(line);
  if (!consume(line, "include"))
    return {};
  line = withoutBlanks(line);
  const std::size_t end = line.find('>');
  if (!consume(line, "<") || end == std::string_view::npos)
    return {};
  const std::string_view rest = withoutBlanks(line.substr(end));
  return rest.empty() || rest.starts_with("//") ? line.substr(0, end - 1)
                                                : std::string_view();
}

} // namespace

std::vector<std::string> leadingHeaders(std::string_view source) {
  std::vector<std::string> names;
  while (skipBlanksAndComments(source)) {
    const std::string_view line = firstLine(source);
    const std::string_view name = includedName(line);
    if (name.empty())
      break;
    names.emplace_back(name);
    source.remove_prefix(line.size());
  }
  return names;
}

} // namespace populus::frontend
