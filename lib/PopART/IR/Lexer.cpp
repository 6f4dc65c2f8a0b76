// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scanning of the IR's text.

#include "lib/PopART/IR/Lexer.h"

#include "lib/PopART/Support/Error.h"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace populus::popir {

namespace {

bool isWordCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) ||
         std::string_view("_./-$").find(c) != std::string_view::npos;
}

} // namespace

void Lexer::skipBlanks() {
  for (;;) {
    while (place < text.size() &&
           std::isspace(static_cast<unsigned char>(text[place])))
      ++place;
    if (text.substr(place, 2) != "//")
      break;
    place = std::min(text.find('\n', place), text.size());
  }
  tokenStart = place;
}

bool Lexer::atEnd() { return peek() == 0 && place == text.size(); }

char Lexer::peek() {
  skipBlanks();
  return place < text.size() ? text[place] : '\0';
}

bool Lexer::take(std::string_view sign) {
  skipBlanks();
  if (text.substr(place, sign.size()) != sign)
    return false;
  place += sign.size();
  return true;
}

void Lexer::expect(std::string_view sign) {
  if (!take(sign))
    fail(fmt::format("expected '{}'", sign));
}

bool Lexer::takeWord(std::string_view wanted) {
  skipBlanks();
  const std::size_t end = place + wanted.size();
  if (text.substr(place, wanted.size()) != wanted ||
      (end < text.size() && isWordCharacter(text[end])))
    return false;
  place = end;
  return true;
}

std::string_view Lexer::word(std::string_view what) {
  skipBlanks();
  std::size_t end = place;
  while (end < text.size() && isWordCharacter(text[end]))
    ++end;
  if (end == place)
    fail(fmt::format("expected {}", what));
  const std::string_view result = text.substr(place, end - place);
  place = end;
  return result;
}

std::string Lexer::name(std::string_view what) {
  return peek() == '"' ? quotedString() : std::string(word(what));
}

std::string Lexer::quotedString() {
  if (peek() != '"')
    fail("expected a string in quotes");
  ++place;
  std::string result;
  for (;;) {
    if (place == text.size())
      fail("the string has no end");
    const char c = text[place++];
    if (c == '"')
      return result;
    if (c == '\\')
      appendEscaped(result);
    else
      result += c;
  }
}

void Lexer::appendEscaped(std::string &result) {
  const std::string_view rest = text.substr(place);
  if (!rest.empty() && (rest[0] == '"' || rest[0] == '\\')) {
    result += rest[0];
    ++place;
    return;
  }
  unsigned code = 0;
  if (rest.size() < 3 || rest[0] != 'x' ||
      std::from_chars(rest.data() + 1, rest.data() + 3, code, 16).ptr !=
          rest.data() + 3)
    fail("after a backslash there has to be '\"', '\\' or x and two digits");
  result += static_cast<char>(code);
  place += 3;
}

std::int64_t Lexer::integer(std::string_view what) {
  const std::string_view digits = word(what);
  std::int64_t value = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size())
    fail(fmt::format("expected {}, not '{}'", what, digits));
  return value;
}

void Lexer::fail(const std::string &message) const {
  const std::string_view before = text.substr(0, tokenStart);
  const std::size_t line =
      1 + static_cast<std::size_t>(std::ranges::count(before, '\n'));
  const std::size_t lineStart = before.rfind('\n') + 1; // npos + 1 is 0
  failInput("{}:{}:{}: {}", file, line, tokenStart - lineStart + 1, message);
}

} // namespace populus::popir
