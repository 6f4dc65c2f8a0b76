// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tar archive is a header of 512 bytes for each file, its content filled up
// to such blocks, and two empty blocks at the end. Numbers are octal text.

#include "lib/PopART/Support/Archive.h"

#include "lib/PopART/Support/OutputFile.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

namespace populus::popir {

namespace {

constexpr std::size_t Block = 512;

std::string header(const std::string &name, std::size_t size) {
  std::string bytes(Block, '\0');
  auto put = [&](std::size_t place, const std::string &text) {
    std::copy(text.begin(), text.end(), bytes.begin() + place);
  };
  put(0, name.substr(0, 99));
  put(100, "0000644");
  put(108, "0000000");
  put(116, "0000000");
  put(124, fmt::format("{:011o}", size));
  put(136, "00000000000");
  put(148, "        "); // the sum is made with spaces in its place
  put(156, "0");
  put(257, std::string("ustar\0", 6) + "00");
  unsigned sum = 0;
  for (char c : bytes)
    sum += static_cast<unsigned char>(c);
  put(148, fmt::format("{:06o}", sum) + std::string("\0 ", 2));
  return bytes;
}

} // namespace

void writeArchive(
    const std::string &path,
    const std::vector<std::pair<std::string, std::string>> &files) {
  writeFile(path, [&](std::ostream &out) {
    for (const auto &[name, content] : files) {
      out << header(name, content.size()) << content;
      out << std::string((Block - content.size() % Block) % Block, '\0');
    }
    out << std::string(2 * Block, '\0');
  });
}

} // namespace populus::popir
