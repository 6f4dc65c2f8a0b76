// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Texts of single values.

#include "lib/PopART/IR/Literal.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>

namespace populus::popir {

namespace {

constexpr std::string_view Base64 =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr std::array<std::int8_t, 256> base64Values() {
  std::array<std::int8_t, 256> values{};
  values.fill(-1);
  for (std::size_t i = 0; i != Base64.size(); ++i)
    values[static_cast<unsigned char>(Base64[i])] = static_cast<std::int8_t>(i);
  return values;
}

template <class T> std::string shortest(T value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".en") == std::string::npos) // inf and nan have an n
    text += ".0";
  return text;
}

} // namespace

std::string floatText(float value) { return shortest(value); }
std::string floatText(double value) { return shortest(value); }

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      (result += '\\') += c;
    else if (code < 0x20 || code == 0x7f)
      result += fmt::format("\\x{:02x}", code);
    else
      result += c;
  }
  return result + '"';
}

std::string toBase64(std::span<const std::byte> bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t k = 0; k != 3; ++k)
      group =
          group << 8 | (i + k < bytes.size() ? std::uint32_t(bytes[i + k]) : 0);
    for (std::size_t k = 0; k != 4; ++k)
      text += i + k > bytes.size() ? '=' : Base64[group >> (18 - 6 * k) & 63];
  }
  return text;
}

std::optional<std::vector<std::byte>> fromBase64(std::string_view text) {
  static constexpr std::array<std::int8_t, 256> Values = base64Values();
  std::vector<std::byte> bytes;
  if (text.size() % 4 != 0)
    return std::nullopt;
  bytes.reserve(text.size() / 4 * 3);
  for (std::size_t i = 0; i != text.size(); i += 4) {
    const std::string_view digits = text.substr(i, 4);
    // Only the end of the text may be filled up.
    const std::size_t filled = i + 4 != text.size() ? 0
                               : digits[2] == '='   ? 2
                                                    : digits[3] == '=';
    std::uint32_t group = 0;
    for (std::size_t k = 0; k != 4; ++k) {
      const int value = k >= 4 - filled && digits[k] == '='
                            ? 0
                            : Values[static_cast<unsigned char>(digits[k])];
      if (value < 0)
        return std::nullopt;
      group = group << 6 | static_cast<std::uint32_t>(value);
    }
    for (std::size_t k = 0; k != 3 - filled; ++k)
      bytes.push_back(static_cast<std::byte>(group >> (16 - 8 * k)));
  }
  return bytes;
}

} // namespace populus::popir
