// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The generated tables: encodings do not collide, and every row has
// semantics.

#include "runtime/Emulator/Code.h"
#include "runtime/Emulator/DecodeTable.h"

#include <gtest/gtest.h>

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

TEST(TableTest, EveryRowHasSemantics) {
  for (std::size_t i = 0; i != rows().size(); ++i)
    EXPECT_TRUE(isSupported(i)) << rows()[i].name;
}

} // namespace
