// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Profile/Format.h"

#include <fmt/format.h>

#include <iterator>

namespace populus::profile {

std::string grouped(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t i = text.size(); i > 3; i -= 3)
    text.insert(i - 3, ",");
  return text;
}

std::string bytes(std::uint64_t number) {
  constexpr const char *Units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  if (number < 1024)
    return fmt::format("{} bytes", number);
  double value = static_cast<double>(number);
  std::size_t unit = 0;
  for (; value >= 1024 && unit + 1 != std::size(Units); ++unit)
    value /= 1024;
  return fmt::format("{:.1f} {}", value, Units[unit]);
}

std::string percent(std::uint64_t part, std::uint64_t whole) {
  const double value =
      whole == 0 ? 0
                 : 100 * static_cast<double>(part) / static_cast<double>(whole);
  return value < 9.95 ? fmt::format("{:.1f} %", value)
                      : fmt::format("{:.0f} %", value);
}

std::string count(std::uint64_t number, const char *what) {
  return fmt::format("{} {}{}", grouped(number), what, number == 1 ? "" : "s");
}

std::string time(double seconds) {
  return seconds >= 1      ? fmt::format("{:.3f} s", seconds)
         : seconds >= 1e-3 ? fmt::format("{:.3f} ms", seconds * 1e3)
                           : fmt::format("{:.3f} us", seconds * 1e6);
}

std::string printable(std::string_view name) {
  std::string text(name);
  for (char &character : text)
    if (static_cast<unsigned char>(character) < ' ' || character == 0x7f)
      character = '?';
  return text;
}

std::string quoted(std::string_view name) {
  return "'" + printable(name) + "'";
}

} // namespace populus::profile
