// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Supervisor codelets and multi-vertices: launching, interleaving, waiting.

#include "Assembler.h"

#include <gtest/gtest.h>

using namespace populus::runtime;
using namespace populus::runtime::test;

namespace {

TEST(SupervisorTest, LaunchesSixWorkersAndWaits) {
  // Each worker stores 100 + its number; the supervisor then adds them up.
  Assembler code;
  const unsigned Worker = 16; // word index of the worker's code
  code("LD32_m_bdi", {7, 0, 15, 0});
  code("SETZI_m", {4, CodeBase + 4 * Worker});
  code("RUNALL", {4, 0, 0})("SYNC", {2});
  code("SETZI_m", {1, 0});
  for (unsigned i = 0; i != 3; ++i)
    code("LD32_m_bdi", {2, 7, 15, i})("ADD_rr", {1, 1, 2});
  code("ST32_m_bdi", {1, 7, 15, 8})("BR", {10});
  while (code.words.size() != Worker)
    code("TRAP", {0});
  code("LD32_m_bdi", {0, 13, 15, 0})("GET", {1, 1})("AND_m_rz", {1, 1, 7});
  code("ADD_rs", {2, 1, 100})("STM32", {2, 0, 1})("EXITZ", {15});
  const Outcome outcome = run(oneVertex(code, VertexKind::Supervisor));
  EXPECT_EQ(outcome.fault, "");
  for (unsigned i = 0; i != 6; ++i)
    EXPECT_EQ(outcome.results[i], 100 + i);
  EXPECT_EQ(outcome.results[8], 100u + 101 + 102);
}

TEST(SupervisorTest, RunTakesTheLowestFreeWorkerAndARelativeAddress) {
  Assembler code;
  const unsigned Worker = 12;
  code("SETZI_m", {4, CodeBase + 4 * Worker});
  code("SETZI_m", {5, StateAt - CodeBase}); // region 0 begins at CodeBase
  code("RUN", {4, 5, 0})("RUN", {4, 5, 0})("SYNC", {2})("BR", {10});
  while (code.words.size() != Worker)
    code("TRAP", {0});
  code("LD32_m_bdi", {0, 13, 15, 0})("GET", {1, 1});
  code("SETZI_m", {2, 55})("STM32", {2, 0, 1})("EXITZ", {15});
  const Outcome outcome = run(oneVertex(code, VertexKind::Supervisor));
  EXPECT_EQ(outcome.fault, "");
  EXPECT_EQ(outcome.results[0], 55u);
  EXPECT_EQ(outcome.results[1], 55u);
  EXPECT_EQ(outcome.results[2], 0u);
}

TEST(SupervisorTest, WorkersTakeTurns) {
  // Worker 0 waits for a flag that worker 5 sets: this ends only if they take
  // turns.
  Assembler code;
  code("LD32_m_bdi", {0, 13, 15, 0})("GET", {1, 1});
  const std::int64_t start = code.hereWord();
  code("BRNZ", {1, start + 4});
  code("LD32_m_bdi", {2, 0, 15, 0}); // worker 0
  code("BRZ", {2, start + 1});
  code("BRI", {start + 8});
  code("CMPEQ_rs", {3, 1, 5}); // others
  code("BRZ", {3, start + 8});
  code("SETZI_m", {4, 1})("ST32_m_bdi", {4, 0, 15, 0});
  code("EXITZ", {15});
  SessionOptions options;
  options.maxCycles = 10000;
  const Outcome outcome = run(oneVertex(code, VertexKind::Multi), options);
  EXPECT_EQ(outcome.fault, "");
  EXPECT_EQ(outcome.results[0], 1u);
}

TEST(SupervisorTest, MultiVerticesTakeAsLongAsOneWorker) {
  Assembler code;
  for (unsigned i = 0; i != 9; ++i)
    code("SETZI_m", {1, 0});
  code("EXITZ", {15});
  const Outcome outcome = run(oneVertex(code, VertexKind::Multi));
  EXPECT_EQ(outcome.bundles, 60u);
  EXPECT_EQ(outcome.cycles, 11u + 60u);
}

TEST(SupervisorTest, RptAndMultiTurnInstructionsInterleavedCostTheSame) {
  Assembler code;
  code("SETZI_m", {2, 0})("LD32_m_bdi", {0, 13, 15, 0})("GET", {1, 1});
  code("RPT_i", {3, 1});
  code.bundle("ADD_rs", {2, 2, 1}, "F32DIV", {0, 15, 15});
  code.bundle("ADD_rs", {2, 2, 1}, "OR_a_rz", {0, 15, 1});
  code("STM32", {2, 0, 1})("EXITZ", {15});
  const std::uint64_t turns = 4 + 3 * (3 + 1) + 2;
  const Outcome together = run(oneVertex(code, VertexKind::Multi));
  EXPECT_EQ(together.fault, "");
  EXPECT_EQ(together.results[5], 6u);
  EXPECT_EQ(together.cycles, 11 + turns * 6);
  const Outcome alone = run(oneVertex(code));
  EXPECT_EQ(alone.cycles, 11 + turns * 6);
}

/// Cycles of a supervisor vertex but for its launch and its return.
std::uint64_t cyclesOf(Assembler code) {
  code("BR", {10});
  const Outcome outcome = run(oneVertex(code, VertexKind::Supervisor));
  EXPECT_EQ(outcome.fault, "");
  return outcome.cycles - 11 - 1;
}

TEST(SupervisorTest, InstructionsThatUseNoResultsTakeACycle) {
  Assembler code;
  for (unsigned i = 0; i != 9; ++i)
    code("ADD_rs", {1, 15, std::int64_t(i)});
  EXPECT_EQ(cyclesOf(code), 9u);
}

TEST(SupervisorTest, ResultsCanBeUsedSixCyclesLater) {
  Assembler chain;
  for (unsigned i = 0; i != 9; ++i)
    chain("ADD_rs", {1, 1, 1});
  EXPECT_EQ(cyclesOf(chain), 1 + 8 * 6u);
  // Instructions in between hide the latency, up to five of them.
  for (unsigned others = 0; others != 8; ++others) {
    Assembler code;
    code("SETZI_m", {1, 3});
    for (unsigned i = 0; i != others; ++i)
      code("SETZI_m", {2, 0});
    code("ADD_rr", {3, 15, 1});
    EXPECT_EQ(cyclesOf(code), std::max(6u, others + 1) + 1) << others;
  }
  // A stalled instruction delays those behind it, which do not stall again.
  Assembler both;
  both("SETZI_m", {1, 3})("ADD_rs", {2, 1, 1})("ADD_rs", {3, 1, 1});
  EXPECT_EQ(cyclesOf(both), 8u);
}

TEST(SupervisorTest, BranchesWaitForConditionsAndTargetsForNothing) {
  // Not taken: the code goes on, and so do the waits.
  Assembler through;
  through("SETZI_m", {1, 0})("BRNZ", {1, through.hereWord() + 5});
  through("ADD_rs", {2, 1, 0});
  EXPECT_EQ(cyclesOf(through), 6u + 1 + 1);
  // A round of a loop: its sum is as old as the branch that began the round.
  Assembler loop;
  loop("SETZI_m", {1, 4});
  const std::int64_t start = loop.hereWord();
  loop("ADD_rs", {2, 2, 1})("BRNZDEC", {1, start});
  // Four branches are taken; waits begin anew where they lead.
  EXPECT_EQ(cyclesOf(loop), 1u + 5 * 1 + 4 * 6 + 1);
}

TEST(SupervisorTest, WeightLoadsTakeACycleEach) {
  // Published of kernels: 16 loads 16 cycles, about six to the first one.
  Assembler code;
  code("SETZI_m", {1, 0x80000})("PUT", {80, 1});
  for (unsigned i = 0; i != 16; ++i)
    code("LD64PUTCS", {std::int64_t(i)});
  EXPECT_EQ(cyclesOf(code), 6u + 6 + 16);
}

TEST(SupervisorTest, WorkerInstructionsFault) {
  Assembler code;
  code("ATOM", {1, 0})("BR", {10});
  EXPECT_NE(run(oneVertex(code, VertexKind::Supervisor))
                .fault.find("supervisor: instruction atom is not allowed"),
            std::string::npos);
}

TEST(SupervisorTest, RunallNeedsAllWorkersIdle) {
  // Worker 0 ends at once, which lets the supervisor go on; the others do not.
  Assembler twice;
  twice("SETZI_m", {4, CodeBase + 16})("RUNALL", {4, 0, 0});
  twice("RUNALL", {4, 0, 0})("BR", {10});
  twice("GET", {1, 1});
  const std::int64_t loop = twice.hereWord();
  twice("BRNZ", {1, loop})("EXITZ", {15});
  EXPECT_NE(run(oneVertex(twice, VertexKind::Supervisor))
                .fault.find("workers are still active"),
            std::string::npos);
}

TEST(SupervisorTest, RegistersStayBetweenVerticesOfAContext) {
  // Each run adds 1 to $m5, which nothing sets.
  Assembler code;
  code("LD32_m_bdi", {0, 13, 15, 0})("ADD_rs", {5, 5, 1});
  code("ST32_m_bdi", {5, 0, 15, 0})("EXITZ", {15});
  Executable exe = oneVertex(code);
  exe.steps.push_back({StepKind::Repeat, 3, None, "", {0}, {}});
  exe.programs = {1};
  EXPECT_EQ(run(exe).results[0], 3u);
}

} // namespace
