// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The generated tables: encodings do not collide, handlers and rows agree, and
// the instructions without semantics are those that are known to have none.

#include "runtime/Emulator/Code.h"
#include "runtime/Emulator/DecodeTable.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

using namespace populus::runtime::emulator;

namespace {

TEST(TableTest, NoWordIsTwoInstructions) {
  for (const RowInfo &a : rows())
    for (const RowInfo &b : rows()) {
      const bool differ = ((a.value ^ b.value) & a.mask & b.mask) != 0;
      EXPECT_TRUE(&a == &b || differ) << a.name << " and " << b.name;
    }
}

TEST(TableTest, RowsNeverUseTheBundleBit) {
  for (const RowInfo &row : rows()) {
    EXPECT_EQ(row.mask >> 31, 1u) << row.name;
    EXPECT_EQ(row.value >> 31, 0u) << row.name;
    EXPECT_EQ(row.value >> 30 & 1, row.isAux) << row.name;
  }
}

TEST(TableTest, TheMissingInstructionsAreTheKnownOnes) {
  std::set<std::string> missing;
  for (std::size_t i = 0; i != rows().size(); ++i)
    if (!isSupported(i))
      missing.insert(rows()[i].mnemonic);
  const std::set<std::string> expected = {
      "f16v2grand",      "f16v4hihoamp", "f16v4hihoslic", "f16v4hihov4amp",
      "f16v4hihov4slic", "f16v4istacc",  "f16v4rmask",    "f16v4sihoamp",
      "f16v4sihoslic",   "f16v4sisoamp", "f16v4sisoslic", "f16v4stacc",
      "f32sisoamp",      "f32sisoslic",  "f32sisov2amp",  "f32v2aop",
      "f32v2grand",      "f32v2rmask"};
  EXPECT_EQ(missing, expected);
}

} // namespace
