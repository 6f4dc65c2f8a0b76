// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reading line tables: one made by hand, and what is left of it when it is
// damaged. Those of compilers are read in test/tile/faults.test.

#include "lib/Link/LineTable.h"

#include <gtest/gtest.h>

#include <random>

using namespace populus::link;

namespace {

/// A table of DWARF 5 for a.c, which is in the folder of the compilation, and
/// h/b.h: lines 3 and 7 of the one, 20 of the other, from offset 16 on of
/// section 1.
ObjectFile tableObject() {
  const std::vector<std::uint8_t> program = {
      0, 5, 2, 0,  0, 0, 0, // set the address, which is relocated
      3, 2, 1,              // line += 2, a row
      3, 4, 2, 1,  1,       // line += 4, one instruction on, a row
      4, 2, 3, 13, 2, 2, 1, // the other file, line += 13, two on, a row
      2, 1, 0, 1,  1,       // one on, the end
  };
  const std::vector<std::uint8_t> header = {
      4,
      1,
      1,
      0xfb,
      14,
      13, // instructions, lines, opcodes
      0,
      1,
      1,
      1,
      1,
      0,
      0,
      0,
      1,
      0,
      0,
      1, // operands of
         // opcodes
      1,
      1,
      8,
      2,
      '/',
      's',
      0,
      'h',
      0, // two folders, as texts
      2,
      1,
      8,
      2,
      11,
      3, // files: text and folder
      'a',
      '.',
      'c',
      0,
      0,
      'a',
      '.',
      'c',
      0,
      0,
      'b',
      '.',
      'h',
      0,
      1,
  };
  std::vector<std::uint8_t> bytes = {0, 0, 0, 0, 5, 0, 4, 0};
  const auto word = [&](std::size_t at, std::size_t value) {
    for (int i = 0; i != 4; ++i)
      bytes[at + i] = static_cast<std::uint8_t>(value >> 8 * i);
  };
  bytes.resize(12);
  word(8, header.size());
  bytes.insert(bytes.end(), header.begin(), header.end());
  const std::size_t programAt = bytes.size();
  bytes.insert(bytes.end(), program.begin(), program.end());
  word(0, bytes.size() - 4);

  ObjectFile object;
  Section code;
  code.name = ".text.f";
  code.size = 64;
  Section lines;
  lines.name = ".debug_line";
  lines.size = static_cast<std::uint32_t>(bytes.size());
  lines.bytes = bytes;
  lines.relocations.push_back(
      {static_cast<std::uint32_t>(programAt + 3), 0, 16, nullptr});
  object.sections = {Section(), code, lines};
  Symbol symbol;
  symbol.section = 1;
  object.symbols = {symbol};
  return object;
}

TEST(LineTableTest, RowsOfTwoFiles) {
  const LineTable table = LineTable::read(tableObject());
  ASSERT_EQ(table.files.size(), 3u);
  EXPECT_EQ(table.files[1], "a.c");
  EXPECT_EQ(table.files[2], "h/b.h");
  ASSERT_EQ(table.rows.size(), 4u);
  const std::uint32_t offsets[] = {16, 20, 28, 32};
  const std::uint32_t lines[] = {3, 7, 20, 20};
  for (std::size_t i = 0; i != 4; ++i) {
    EXPECT_EQ(table.rows[i].section, 1u);
    EXPECT_EQ(table.rows[i].offset, offsets[i]);
    EXPECT_EQ(table.rows[i].line, lines[i]);
    EXPECT_EQ(table.rows[i].file, i < 2 ? 1u : 2u);
    EXPECT_EQ(table.rows[i].isEnd, i == 3);
  }
}

TEST(LineTableTest, DamagedTablesDoNoHarm) {
  const ObjectFile good = tableObject();
  for (std::size_t size = 0; size != good.sections[2].bytes.size(); ++size) {
    ObjectFile cut = good;
    cut.sections[2].bytes.resize(size);
    EXPECT_TRUE(LineTable::read(cut).rows.empty()) << size;
  }
  std::mt19937 random(1);
  for (int i = 0; i != 20000; ++i) {
    ObjectFile damaged = good;
    std::vector<std::uint8_t> &bytes = damaged.sections[2].bytes;
    for (int k = 0; k != 3; ++k)
      bytes[random() % bytes.size()] = static_cast<std::uint8_t>(random());
    for (const LineRow &row : LineTable::read(damaged).rows)
      EXPECT_EQ(row.section, 1u);
  }
}

} // namespace
