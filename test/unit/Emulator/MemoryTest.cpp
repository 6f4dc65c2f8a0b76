// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads and stores: widths, extension, addressing, post-increments, packed
// addresses.

#include "Assembler.h"

#include <gtest/gtest.h>

using namespace populus::runtime;
using namespace populus::runtime::test;

namespace {

/// Stores a constant in result word `index`.
void put(Assembler &code, std::uint32_t value, unsigned index) {
  code("SETZI_m", {1, value & 0xfffff})("OR_m_rh", {1, 1, value >> 20});
  code("ST32_m_bdi", {1, 0, 15, index});
}

TEST(MemoryTest, NarrowLoadsExtend) {
  Assembler code;
  put(code, 0x8182f3f4, 8);
  code("SETZI_m", {2, 32})("SETZI_m", {3, 2});
  code("LDZ8_bdi", {4, 0, 2, 3})("ST32_m_bdi", {4, 0, 15, 0});
  code("LDS8_bdi", {4, 0, 2, 3})("ST32_m_bdi", {4, 0, 15, 1});
  code("LDZ16_bdi", {4, 0, 2, 1})("ST32_m_bdi", {4, 0, 15, 2});
  code("LDS16_bdi", {4, 0, 2, 1})("ST32_m_bdi", {4, 0, 15, 3});
  code("LDZ8_bdr", {4, 0, 2, 3})("ST32_m_bdi", {4, 0, 15, 4});
  code("LDB16_bdi", {0, 0, 2, 0})("ST32_a_bdi", {0, 0, 15, 5});
  code("SETZI_m", {3, 8});
  code("LD32_m_bdr", {4, 0, 15, 3})("ST32_m_bdi", {4, 0, 15, 6});
  const Outcome outcome = runWorkerCode(code);
  EXPECT_EQ(outcome.fault, "");
  const std::vector<std::uint32_t> expected = {
      0x81, 0xffffff81, 0x8182, 0xffff8182, 0x82, 0xf3f4f3f4, 0x8182f3f4};
  EXPECT_EQ(std::vector<std::uint32_t>(outcome.results.begin(),
                                       outcome.results.begin() + 7),
            expected);
}

TEST(MemoryTest, StepsIncrementAfterTheAccess) {
  Assembler code;
  for (unsigned i = 0; i != 4; ++i)
    put(code, 100 + i, 8 + i);
  code("SETZI_m", {2, 32})("SETZI_m", {5, 2});
  code("LD32STEP_m_i", {3, 0, 2, 2})("ST32_m_bdi", {3, 0, 15, 0});
  code("LD32STEP_m_i", {3, 0, 2, -1})("ST32_m_bdi", {3, 0, 15, 1});
  code("LD32STEP_m_r", {3, 0, 2, 5})("ST32_m_bdi", {3, 0, 15, 2});
  code("ST32_m_bdi", {2, 0, 15, 3}); // 32 + 8 - 4 + 8
  code("SETZI_m", {2, 16})("SETZI_m", {4, 55});
  code("ST32STEP_m_i", {4, 0, 2, 1})("ST32_m_bdi", {2, 0, 15, 5});
  // Into the register that is incremented: the loaded value stays.
  code("SETZI_m", {2, 32});
  code("LD32STEP_m_i", {2, 0, 2, 1})("ST32_m_bdi", {2, 0, 15, 6});
  const Outcome outcome = runWorkerCode(code);
  EXPECT_EQ(outcome.fault, "");
  EXPECT_EQ(outcome.results[0], 100u);
  EXPECT_EQ(outcome.results[1], 102u);
  EXPECT_EQ(outcome.results[2], 101u);
  EXPECT_EQ(outcome.results[3], 44u);
  EXPECT_EQ(outcome.results[4], 55u);
  EXPECT_EQ(outcome.results[5], 20u);
  EXPECT_EQ(outcome.results[6], 100u);
}

TEST(MemoryTest, PairsQuadsAndRegisterOffsets) {
  Assembler code;
  for (unsigned i = 0; i != 4; ++i)
    put(code, 100 + i, 8 + i);
  code("SETZI_m", {2, InterleavedBase})("SETZI_m", {3, 1});
  code("LD64_bdi", {0, 0, 15, 4})("ST64_bdi", {0, 2, 15, 0});
  code("LD64_bdr", {2, 0, 15, 3}); // words 2 and 3: still zero
  code("LD64_bdi", {2, 0, 15, 5})("ST64_bdr", {2, 2, 15, 3});
  code("LD128_bdi", {4, 2, 15, 0});
  code("ST64_bdi", {4, 0, 15, 0})("ST64_bdi", {6, 0, 15, 1});
  code("STM32", {3, 0, 3});
  const Outcome outcome = runWorkerCode(code);
  EXPECT_EQ(outcome.fault, "");
  EXPECT_EQ(outcome.results[0], 100u);
  EXPECT_EQ(outcome.results[1], 1u); // by stm32
  EXPECT_EQ(outcome.results[2], 102u);
  EXPECT_EQ(outcome.results[3], 103u);
}

TEST(MemoryTest, PacedTriplesStepByTheirSelectors) {
  Assembler code;
  for (unsigned i = 0; i != 8; ++i)
    put(code, 100 + i, 16 + i);
  // A0 at word 16, A1 at word 20, A2 at word 32; strides 2 and -1 elements.
  code("ADD_rs", {2, 0, 64})("ADD_rs", {3, 0, 80})("ADD_rs", {4, 0, 128});
  code("TAPACK", {6, 2, 3, 4});
  code("SETZI_m", {5, (2 | (0x3ff << 10)) & 0xfffff});
  code("LD2X64PACE", {0, 2, 6, 5, 0b1000}); // A0 += 1, A1 += -1
  code("ST64_bdi", {0, 0, 15, 0})("ST64_bdi", {2, 0, 15, 1});
  code("LD2XST64PACE", {4, 0, 6, 5, 0b000001}); // A0 += 2, A1 += 1, A2 += 1
  code("ST64_bdi", {4, 0, 15, 2})("ST64_bdi", {6, 0, 15, 3});
  code("ST64PACE", {2, 6, 5, 0});
  code("ST32_m_bdi", {6, 0, 15, 50})("ST32_m_bdi", {7, 0, 15, 51});
  const Outcome outcome = runWorkerCode(code);
  EXPECT_EQ(outcome.fault, "");
  const std::vector<std::uint32_t> loads = {100, 101, 104, 105,
                                            102, 103, 102, 103};
  EXPECT_EQ(std::vector<std::uint32_t>(outcome.results.begin(),
                                       outcome.results.begin() + 8),
            loads);
  EXPECT_EQ(outcome.results[32], 100u);
  EXPECT_EQ(outcome.results[33], 101u);
  EXPECT_EQ(outcome.results[34], 104u);
  EXPECT_EQ(outcome.results[35], 105u);
  const std::uint32_t a2 = ResultAt + 128 + 8 + 8;
  EXPECT_EQ(outcome.results[50], (ResultAt + 64 + 8 + 16) | a2 << 21);
  EXPECT_EQ(outcome.results[51], (ResultAt + 80 - 8 + 8) | (a2 >> 11) << 21);
}

// $m12 is the worker's base, $m13 its vertex: as a triple, two addresses to
// load from that stay where they are.
TEST(MemoryTest, TriplesInReadOnlyRegistersStay) {
  Assembler code;
  code("RPT_i", {40, 0}); // behind a first instruction
  code.bundle("LD64A32PACE", {0, 2, 12, 15, 0}, "F32ADD", {3, 3, 2});
  code("ST32_m_bdi", {12, 0, 15, 0})("ST32_m_bdi", {13, 0, 15, 1});
  code("ST32_a_bdi", {2, 0, 15, 2});
  const Outcome outcome = runWorkerCode(code);
  EXPECT_EQ(outcome.fault, "");
  EXPECT_EQ(outcome.results[0], DataBase + 0x1000);
  EXPECT_EQ(outcome.results[1], StateAt);
  EXPECT_EQ(outcome.results[2], ResultAt); // the state's only word
}

} // namespace
