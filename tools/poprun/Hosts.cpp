// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Hosts.h"

#include "Options.h"
#include "Words.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <set>

namespace populus::poprun {

namespace {

[[noreturn]] void fail(const std::string &list, const std::string &problem) {
  throw UsageError("--host: '" + list + "': " + problem);
}

/// The parts between commas that are in no brackets.
std::vector<std::string> partsOf(const std::string &list) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (char c : list) {
    depth += (c == '[') - (c == ']');
    if (depth < 0 || depth > 1)
      fail(list, "brackets do not match");
    if (c == ',' && depth == 0)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  if (depth != 0)
    fail(list, "brackets do not match");
  return parts;
}

unsigned numberOf(const std::string &list, const std::string &text) {
  unsigned number = 0;
  const char *end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  constexpr unsigned Most = 1 << 16;
  if (error != std::errc() || rest != end || number > Most)
    fail(list, "'" + text + "' is no number");
  return number;
}

/// The numbers of "0-2,4", with the zeros in front that the first one has.
std::vector<std::string> numbersOf(const std::string &list,
                                   const std::string &text) {
  std::vector<std::string> numbers;
  for (const std::string &part : partsOf(text)) {
    const std::size_t dash = part.find('-');
    const std::string first = part.substr(0, dash);
    const unsigned begin = numberOf(list, first);
    const unsigned end = dash == std::string::npos
                             ? begin
                             : numberOf(list, part.substr(dash + 1));
    if (end < begin)
      fail(list, "'" + part + "' is an empty range");
    for (unsigned i = begin; i <= end; ++i) {
      std::string number = std::to_string(i);
      if (number.size() < first.size())
        number.insert(0, first.size() - number.size(), '0');
      numbers.push_back(number);
    }
  }
  return numbers;
}

} // namespace

std::vector<std::string> hostsOf(const std::string &list) {
  std::vector<std::string> hosts;
  for (const std::string &part : partsOf(list)) {
    const std::size_t open = part.find('['), close = part.find(']');
    if (part.empty())
      fail(list, "a name is empty");
    if (open == std::string::npos) {
      hosts.push_back(part);
      continue;
    }
    for (const std::string &number :
         numbersOf(list, part.substr(open + 1, close - open - 1)))
      hosts.push_back(part.substr(0, open) + number + part.substr(close + 1));
  }
  std::set<std::string> names;
  for (const std::string &host : hosts)
    if (!names.insert(host).second)
      fail(list, "'" + host + "' is there twice");
  return hosts;
}

std::vector<std::string> hostsOfFile(const std::string &path) {
  std::ifstream file(path);
  if (!file)
    throw UsageError("cannot read the host file '" + path +
                     "': " + std::strerror(errno));
  std::string list;
  for (std::string line; std::getline(file, line);) {
    line.erase(std::min(line.find('#'), line.size()));
    for (const std::string &word : wordsOf(line))
      list += (list.empty() ? "" : ",") + word;
  }
  if (list.empty())
    throw UsageError("the host file '" + path + "' has no machines");
  return hostsOf(list);
}

std::vector<std::string> wordsOf(std::string_view text) {
  std::vector<std::string> words;
  bool isInside = false; // of a word
  char quote = 0;
  for (std::size_t i = 0; i != text.size(); ++i) {
    const char c = text[i];
    if (!isInside && !quote && std::isspace(static_cast<unsigned char>(c)))
      continue;
    if (!isInside)
      words.emplace_back();
    isInside = true;
    if (quote ? c == quote : c == '"' || c == '\'')
      quote = quote ? 0 : c;
    else if (c == '\\' && quote != '\'' && i + 1 != text.size())
      words.back() += text[++i];
    else if (!quote && std::isspace(static_cast<unsigned char>(c)))
      isInside = false;
    else
      words.back() += c;
  }
  if (quote)
    throw UsageError("a quote is not closed in '" + std::string(text) + "'");
  return words;
}

std::string quoted(const std::vector<std::string> &words) {
  std::string text;
  for (const std::string &word : words) {
    const bool isPlain =
        !word.empty() && std::ranges::all_of(word, [](unsigned char c) {
          return std::isalnum(c) ||
                 std::string_view("-_=./:,@+%").find(char(c)) !=
                     std::string_view::npos;
        });
    std::string safe = word;
    for (std::size_t at = 0; (at = safe.find('\'', at)) != std::string::npos;
         at += 4)
      safe.replace(at, 1, "'\\''");
    text += (text.empty() ? "" : " ") + (isPlain ? word : "'" + safe + "'");
  }
  return text;
}

} // namespace populus::poprun
