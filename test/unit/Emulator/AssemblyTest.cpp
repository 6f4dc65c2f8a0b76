// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text of instructions. That it is what the disassembler of the code
// generator prints is checked in test/runtime/trace.test; here are the forms.

#include "Assembler.h"

#include "runtime/Emulator/Code/Assembly.h"
#include "runtime/Emulator/Code/DecodeTable.h"

#include <gtest/gtest.h>

using namespace populus::runtime;
using namespace populus::runtime::test;
using namespace populus::runtime::emulator;

namespace {

std::string textOf(const std::string &row,
                   std::initializer_list<std::int64_t> operands) {
  Assembler code;
  code(row, operands);
  return assemblyOf(code.words.at(0));
}

TEST(AssemblyTest, OperandForms) {
  EXPECT_EQ(textOf("ADD_rr", {1, 2, 3}), "add $m1, $m2, $m3");
  EXPECT_EQ(textOf("ADD_rs", {1, 2, -4}), "add $m1, $m2, -4");
  EXPECT_EQ(textOf("OR_m_rh", {1, 15, 0x800}), "or $m1, $m15, 0x80000000");
  EXPECT_EQ(textOf("LD64_bdi", {2, 0, 15, 3}), "ld64 $a2:3, $m0, $m15, 3");
  EXPECT_EQ(textOf("LD64STEP_i", {0, 15, 1, -1}),
            "ld64step $a0:1, $m15, $m1+=, -1");
  EXPECT_EQ(textOf("LD128_bdi", {4, 0, 15, 0}), "ld128 $a4:7, $m0, $m15, 0");
  EXPECT_EQ(textOf("BRI", {0x4c010 / 4}), "bri 0x4c010");
}

TEST(AssemblyTest, BundlesAndOtherWords) {
  Assembler code;
  code.bundle("SETZI_m", {1, 5}, "SETZI_a", {2, 6});
  EXPECT_EQ(assemblyOf(code.words.at(0), code.words.at(1)),
            "{ setzi $m1, 5; setzi $a2, 6 }");
  EXPECT_EQ(assemblyOf(0), ".word 0x0");
}

TEST(AssemblyTest, EveryRowHasAText) {
  for (const RowInfo &row : rows()) {
    const std::string text = assemblyOf(row.value);
    EXPECT_EQ(text.rfind(row.mnemonic, 0), 0u) << row.name;
    EXPECT_EQ(text.find('%'), std::string::npos) << text;
    EXPECT_EQ(text.find("$d"), std::string::npos) << text;
  }
}

} // namespace
