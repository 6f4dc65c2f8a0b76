// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Branches, calls, loops, bundles: where control goes and what it costs.

#include "Assembler.h"

#include <gtest/gtest.h>

using namespace populus::runtime;
using namespace populus::runtime::test;

namespace {

constexpr std::uint64_t Launch = 11;

/// The code of a worker from its first word, for tests that use addresses.
Assembler begin() {
  Assembler code;
  code("LD32_m_bdi", {0, 13, 15, 0});
  return code;
}

TEST(ControlTest, CyclesAreSixPerInstruction) {
  Assembler code = begin();
  code("EXITZ", {15});
  const Outcome outcome = run(oneVertex(code));
  EXPECT_EQ(outcome.fault, "");
  EXPECT_EQ(outcome.bundles, 2u);
  EXPECT_EQ(outcome.cycles, Launch + 2 * 6);
}

struct BranchCase {
  const char *row;
  std::uint32_t value;
  bool taken;
};

class BranchTest : public testing::TestWithParam<BranchCase> {};
INSTANTIATE_TEST_SUITE_P(Each, BranchTest,
                         testing::Values(BranchCase{"BRZ", 0, true},
                                         BranchCase{"BRZ", 1, false},
                                         BranchCase{"BRNZ", 0, false},
                                         BranchCase{"BRNZ", 1, true},
                                         BranchCase{"BRPOS", 0, true},
                                         BranchCase{"BRPOS", 1u << 31, false},
                                         BranchCase{"BRNEG", 0, false},
                                         BranchCase{"BRNEG", 1u << 31, true}));

TEST_P(BranchTest, GoesWhereItShould) {
  for (bool bundled : {false, true}) {
    Assembler code = begin();
    code("OR_m_rh", {1, 15, GetParam().value >> 20});
    code("OR_m_rz", {1, 1, GetParam().value & 0xfff});
    code("SETZI_m", {2, 1});
    const std::int64_t target = code.hereWord() + (bundled ? 3 : 2);
    if (bundled)
      code.bundle(GetParam().row, {1, target}, "SETZI_a", {0, 77});
    else
      code(GetParam().row, {1, target});
    code("SETZI_m", {2, 2}); // skipped if taken
    code("ST32_m_bdi", {2, 0, 15, 0});
    code("ST32_a_bdi", {0, 0, 15, 1});
    code("EXITZ", {15});
    const Outcome outcome = run(oneVertex(code));
    EXPECT_EQ(outcome.fault, "");
    EXPECT_EQ(outcome.results[0], GetParam().taken ? 1u : 2u);
    EXPECT_EQ(outcome.results[1], bundled ? 77u : 0u);
    EXPECT_EQ(outcome.bundles, GetParam().taken ? 8u : 9u);
  }
}

TEST(ControlTest, BrnzdecLoops) {
  Assembler code = begin();
  code("SETZI_m", {1, 9})("SETZI_m", {2, 0});
  const std::int64_t loop = code.hereWord();
  code("ADD_rs", {2, 2, 1});
  code("BRNZDEC", {1, loop});
  code("ST32_m_bdi", {2, 0, 15, 0})("ST32_m_bdi", {1, 0, 15, 1});
  code("EXITZ", {15});
  const Outcome outcome = run(oneVertex(code));
  EXPECT_EQ(outcome.results[0], 10u);
  EXPECT_EQ(outcome.results[1], 0u);
  EXPECT_EQ(outcome.bundles, 3u + 2 * 10 + 3);
}

TEST(ControlTest, CallAndReturn) {
  for (bool bundled : {false, true}) {
    Assembler code = begin();
    const std::int64_t function = code.hereWord() + (bundled ? 5 : 4);
    if (bundled)
      code.bundle("CALL", {10, function}, "SETZI_a", {0, 5});
    else
      code("CALL", {10, function});
    const Address back = code.here();
    code("ST32_m_bdi", {10, 0, 15, 0})("ST32_m_bdi", {3, 0, 15, 1});
    code("EXITZ", {15});
    code("SETZI_m", {3, 42})("BR", {10});
    const Outcome outcome = run(oneVertex(code));
    EXPECT_EQ(outcome.fault, "");
    EXPECT_EQ(outcome.results[0], back);
    EXPECT_EQ(outcome.results[1], 42u);
    EXPECT_EQ(outcome.bundles, 7u);
  }
}

TEST(ControlTest, RptRepeatsItsBody) {
  for (std::uint32_t count : {0u, 1u, 5u, 4095u}) {
    Assembler code = begin();
    code("SETZI_m", {2, 0}).align8();
    code.bundle("RPT_i", {count, 1}, "SETZI_a", {1, 9});
    code.bundle("ADD_rs", {2, 2, 1}, "OR_a_rz", {0, 15, 3});
    code.bundle("ADD_rs", {2, 2, 2}, "OR_a_rz", {0, 15, 4});
    code("ST32_m_bdi", {2, 0, 15, 0})("ST32_a_bdi", {1, 0, 15, 1});
    code("EXITZ", {15});
    const Outcome outcome = run(oneVertex(code));
    EXPECT_EQ(outcome.fault, "");
    EXPECT_EQ(outcome.results[0], 3 * count);
    EXPECT_EQ(outcome.results[1], 9u); // beside rpt: once, even if never
    EXPECT_EQ(outcome.bundles, 2u + 1 + 2 * count + 3);
  }
}

TEST(ControlTest, RptByRegisterUsesSixteenBits) {
  Assembler code = begin();
  code("SETZI_m", {1, 0x10003})("SETZI_m", {2, 0});
  code.align8()("OR_m_rz", {15, 15, 0})("RPT_r", {1, 0});
  ASSERT_EQ(code.here() % 8, 0u);
  code.bundle("ADD_rs", {2, 2, 1}, "OR_a_rz", {15, 15, 0});
  code("ST32_m_bdi", {2, 0, 15, 0})("ST32_m_bdi", {1, 0, 15, 1});
  code("EXITZ", {15});
  const Outcome outcome = run(oneVertex(code));
  EXPECT_EQ(outcome.fault, "");
  EXPECT_EQ(outcome.results[0], 3u);
  EXPECT_EQ(outcome.results[1], 0x10003u);
}

TEST(ControlTest, MultiTurnInstructionsCostTheirTurns) {
  Assembler lone = begin();
  lone("F32DIV", {0, 15, 15})("EXITZ", {15});
  EXPECT_EQ(run(oneVertex(lone)).cycles, Launch + (1 + 3 + 1) * 6);
  Assembler bundled = begin();
  bundled.bundle("ADD_rs", {1, 1, 1}, "F32SQRT", {0, 15});
  bundled("EXITZ", {15});
  EXPECT_EQ(run(oneVertex(bundled)).cycles, Launch + (1 + 5 + 1) * 6);
}

TEST(BundleTest, BothHalvesReadOldRegisters) {
  // The load replaces what the other half copies.
  Assembler loads = begin();
  loads("SETZI_m", {1, 7})("ST32_m_bdi", {1, 0, 15, 5})("SETZI_a", {0, 3});
  loads.bundle("LD32_a_bdi", {0, 0, 15, 5}, "OR_a_rz", {1, 0, 0});
  loads("ST32_a_bdi", {0, 0, 15, 0})("ST32_a_bdi", {1, 0, 15, 1});
  loads("EXITZ", {15});
  Outcome outcome = run(oneVertex(loads));
  EXPECT_EQ(outcome.results[0], 7u);
  EXPECT_EQ(outcome.results[1], 3u);
  // The store takes what the other half replaces.
  Assembler stores = begin();
  stores("SETZI_a", {0, 3});
  stores.bundle("ST32_a_bdi", {0, 0, 15, 0}, "SETZI_a", {0, 4});
  stores("ST32_a_bdi", {0, 0, 15, 1})("EXITZ", {15});
  outcome = run(oneVertex(stores));
  EXPECT_EQ(outcome.results[0], 3u);
  EXPECT_EQ(outcome.results[1], 4u);
}

TEST(BundleTest, BothHalvesReadOldRegistersBothWays) {
  // ldst64pace loads a0:1 and stores a2:3; the other half swaps them.
  Assembler code = begin();
  code("SETZI_a", {0, 10})("SETZI_a", {1, 11});
  code("SETZI_a", {2, 12})("SETZI_a", {3, 13});
  code("SETZI_m", {1, 21})("ST32_m_bdi", {1, 0, 15, 0});
  code("SETZI_m", {1, 22})("ST32_m_bdi", {1, 0, 15, 1});
  code("ADD_rs", {2, 0, 16});
  code("TAPACK", {4, 0, 0, 2});
  code.bundle("LDST64PACE", {0, 2, 4, 15, 0}, "OR64", {2, 0, 14});
  code("ST64_bdi", {0, 0, 15, 4})("ST64_bdi", {2, 0, 15, 5});
  code("EXITZ", {15});
  const Outcome outcome = run(oneVertex(code));
  EXPECT_EQ(outcome.fault, "");
  EXPECT_EQ(outcome.results[4], 12u); // stored: the old a2:3
  EXPECT_EQ(outcome.results[5], 13u);
  EXPECT_EQ(outcome.results[8], 21u); // loaded
  EXPECT_EQ(outcome.results[9], 22u);
  EXPECT_EQ(outcome.results[10], 10u); // the old a0:1
  EXPECT_EQ(outcome.results[11], 11u);
}

} // namespace
