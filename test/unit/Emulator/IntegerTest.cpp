// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integer instructions, operand by operand, against values worked out from the
// reference.

#include "Assembler.h"

#include <gtest/gtest.h>

using namespace populus::runtime::test;

namespace {

using u32 = std::uint32_t;

/// Loads a 32-bit constant.
void constant(Assembler &code, unsigned reg, u32 value) {
  code("SETZI_m", {reg, value & 0xfffff});
  code("OR_m_rh", {reg, reg, value >> 20});
}

u32 binary(const char *row, u32 x, u32 y) {
  Assembler code;
  constant(code, 1, x);
  constant(code, 2, y);
  code(row, {3, 1, 2})("ST32_m_bdi", {3, 0, 15, 0});
  const Outcome outcome = runWorkerCode(code);
  EXPECT_EQ(outcome.fault, "") << row;
  return outcome.results[0];
}

u32 unary(const char *row, u32 x) {
  Assembler code;
  constant(code, 1, x);
  code(row, {3, 1})("ST32_m_bdi", {3, 0, 15, 0});
  return runWorkerCode(code).results[0];
}

u32 immediate(const char *row, u32 x, std::int64_t imm) {
  Assembler code;
  constant(code, 1, x);
  code(row, {3, 1, imm})("ST32_m_bdi", {3, 0, 15, 0});
  return runWorkerCode(code).results[0];
}

TEST(IntegerTest, Arithmetic) {
  EXPECT_EQ(binary("ADD_rr", 0xffffffff, 2), 1u);
  EXPECT_EQ(binary("SUB_rr", 1, 3), 0xfffffffeu);
  EXPECT_EQ(binary("MUL_rr", 0x10001, 0x10001), 0x20001u);
  EXPECT_EQ(binary("MAX_rr", 0xffffffff, 1), 1u);
  EXPECT_EQ(binary("MIN_rr", 0xffffffff, 1), 0xffffffffu);
  EXPECT_EQ(immediate("ADD_rs", 10, -3), 7u);
  EXPECT_EQ(immediate("ADD_rz", 10, 0xfffd), 0x10007u);
  EXPECT_EQ(immediate("MUL_rs", 10, -3), u32(-30));
  EXPECT_EQ(immediate("MAX_rz", 5, 0x8000), 0x8000u);
  EXPECT_EQ(immediate("MIN_rs", 5, -1), 0xffffffffu);
  EXPECT_EQ(unary("ABS", u32(-5)), 5u);
  EXPECT_EQ(unary("ABS", 0x80000000), 0u);
}

TEST(IntegerTest, ImmediateMinusRegister) {
  Assembler code;
  constant(code, 1, 3);
  code("SUB_sr", {3, -10, 1})("ST32_m_bdi", {3, 0, 15, 0});
  code("SUB_zr", {3, 0xffff, 1})("ST32_m_bdi", {3, 0, 15, 1});
  const Outcome outcome = runWorkerCode(code);
  EXPECT_EQ(outcome.results[0], u32(-13));
  EXPECT_EQ(outcome.results[1], 0xfffcu);
}

TEST(IntegerTest, LogicAndShifts) {
  EXPECT_EQ(binary("AND_m_rr", 0xff00ff00, 0x0ff00ff0), 0x0f000f00u);
  EXPECT_EQ(binary("ANDC_m_rr", 0xff00ff00, 0x0ff00ff0), 0xf000f000u);
  EXPECT_EQ(binary("OR_m_rr", 0xf0000000, 0xf), 0xf000000fu);
  EXPECT_EQ(binary("XOR_rr", 0xff, 0x0f), 0xf0u);
  EXPECT_EQ(binary("XNOR_rr", 0xff, 0x0f), 0xffffff0fu);
  EXPECT_EQ(immediate("OR_m_rh", 1, 0xfff), 0xfff00001u);
  EXPECT_EQ(immediate("ANDC_m_rz", 0xff, 0xf0), 0x0fu);
  EXPECT_EQ(binary("SHL_rr", 1, 31), 0x80000000u);
  EXPECT_EQ(binary("SHL_rr", 1, 32), 0u);
  EXPECT_EQ(binary("SHR_rr", 0x80000000, 31), 1u);
  EXPECT_EQ(immediate("SHR_rz", 0x80000000, 32), 0u);
  EXPECT_EQ(binary("SHRS_rr", 0x80000000, 31), 0xffffffffu);
  EXPECT_EQ(immediate("SHRS_rz", 0x80000000, 4000), 0xffffffffu);
}

TEST(IntegerTest, Compares) {
  EXPECT_EQ(binary("CMPEQ_rr", 7, 7), 1u);
  EXPECT_EQ(binary("CMPNE_rr", 7, 7), 0u);
  EXPECT_EQ(binary("CMPSLT_rr", 0xffffffff, 0), 1u);
  EXPECT_EQ(binary("CMPULT_rr", 0xffffffff, 0), 0u);
  EXPECT_EQ(immediate("CMPEQ_rs", 0xffffffff, -1), 1u);
  EXPECT_EQ(immediate("CMPEQ_rz", 0xffff, 0xffff), 1u);
  EXPECT_EQ(immediate("CMPSLT_rs", 0xfffffffe, -1), 1u);
  EXPECT_EQ(immediate("CMPULT_rz", 0x8000, 0x8001), 1u);
}

TEST(IntegerTest, ConditionalMoves) {
  for (u32 condition : {0u, 5u}) {
    Assembler code;
    constant(code, 1, condition);
    constant(code, 2, 111);
    constant(code, 3, 222);
    constant(code, 4, 222);
    code("MOVZ", {3, 1, 2})("ST32_m_bdi", {3, 0, 15, 0});
    code("MOVNZ", {4, 1, 2})("ST32_m_bdi", {4, 0, 15, 1});
    const Outcome outcome = runWorkerCode(code);
    EXPECT_EQ(outcome.results[0], condition == 0 ? 111u : 222u);
    EXPECT_EQ(outcome.results[1], condition != 0 ? 111u : 222u);
  }
}

TEST(IntegerTest, BitsAndPermutes) {
  EXPECT_EQ(unary("CLZ", 0), 32u);
  EXPECT_EQ(unary("CLZ", 0x00010000), 15u);
  EXPECT_EQ(unary("CMS", 0), 31u);
  EXPECT_EQ(unary("CMS", 0xffffffff), 31u);
  EXPECT_EQ(unary("CMS", 1), 30u);
  EXPECT_EQ(unary("POPC", 0xf00f0001), 9u);
  EXPECT_EQ(unary("BITREV8", 0x01020380), 0x8040c001u);
  EXPECT_EQ(unary("SWAP8", 0x11223344), 0x22114433u);
  EXPECT_EQ(unary("SORT8", 0x33221100), 0x33112200u);
  const u32 x = 0x33323130, y = 0x43424140;
  EXPECT_EQ(binary("ROLL8L", x, y), 0x42414033u);
  EXPECT_EQ(binary("ROLL8R", x, y), 0x40333231u);
  EXPECT_EQ(binary("ROLL16_m", x, y), 0x41403332u);
  EXPECT_EQ(binary("SHUF8X8LO", x, y), 0x41314030u);
  EXPECT_EQ(binary("SHUF8X8HI", x, y), 0x43334232u);
  EXPECT_EQ(binary("SORT8X8LO", x, y), 0x42403230u);
  EXPECT_EQ(binary("SORT8X8HI", x, y), 0x43413331u);
  EXPECT_EQ(binary("SORT4X16LO_m", x, y), 0x41403130u);
  EXPECT_EQ(binary("SORT4X16HI_m", x, y), 0x43423332u);
}

TEST(IntegerTest, ReadOnlyRegistersIgnoreWrites) {
  Assembler code;
  for (unsigned reg : {12u, 13u, 14u, 15u}) {
    code("SETZI_m", {reg, 0x123});
    code("ST32_m_bdi", {reg, 0, 15, reg});
  }
  const Outcome outcome = runWorkerCode(code);
  EXPECT_EQ(outcome.results[12], DataBase + 0x1000);
  EXPECT_EQ(outcome.results[13], StateAt);
  EXPECT_EQ(outcome.results[14], 0u);
  EXPECT_EQ(outcome.results[15], 0u);
}

} // namespace
