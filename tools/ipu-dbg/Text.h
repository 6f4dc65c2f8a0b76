// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splitting commands.

#ifndef POPULUS_TOOLS_IPU_DBG_TEXT_H
#define POPULUS_TOOLS_IPU_DBG_TEXT_H

#include "lib/Debugger/Value.h"

#include <charconv>
#include <optional>
#include <string>
#include <utility>

namespace populus::dbg {

inline std::string trimmed(const std::string &text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string::npos)
    return "";
  return text.substr(begin, text.find_last_not_of(" \t\r") + 1 - begin);
}

/// The first word and what is behind it.
inline std::pair<std::string, std::string> firstWord(const std::string &text) {
  const std::string all = trimmed(text);
  const std::size_t end = all.find_first_of(" \t");
  if (end == std::string::npos)
    return {all, ""};
  return {all.substr(0, end), trimmed(all.substr(end))};
}

inline std::optional<std::uint64_t> numberIn(const std::string &text) {
  const bool isHex = text.starts_with("0x");
  const char *begin = text.data() + (isHex ? 2 : 0);
  const char *end = text.data() + text.size();
  std::uint64_t number = 0;
  const auto result = std::from_chars(begin, end, number, isHex ? 16 : 10);
  if (begin == end || result.ec != std::errc() || result.ptr != end)
    return std::nullopt;
  return number;
}

/// Throws DebugError if the text is no number; `what` names it.
inline std::uint64_t number(const std::string &text, const char *what) {
  if (const auto value = numberIn(text))
    return *value;
  throw debugger::DebugError("'" + text + "' is not " + what);
}

} // namespace populus::dbg

#endif
