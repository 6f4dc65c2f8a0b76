// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first generation has one set of accumulators and 32 weight registers:
// what names the second one stops the run there, and only there. Its `rpt`
// counts fewer bits.

#include "Assembler.h"

#include <gtest/gtest.h>

#include <cstring>

using namespace populus::runtime;
using namespace populus::runtime::test;

namespace {

/// The program at the addresses of ipu1, whose memory begins later.
Executable forIpu1(Executable exe) {
  constexpr Address Moved = 0x60000 - CodeBase;
  exe.target = "ipu1";
  exe.images[0].base += Moved;
  exe.images[0].symbols[0].address += Moved;
  exe.images[0].accumulatorSets = 1;
  TileSetup &setup = exe.tileSetups[0];
  for (Address &base : setup.workerBase)
    base += Moved;
  setup.supervisorStack += Moved;
  setup.stackBegin += Moved;
  exe.memoryEnd[0] += Moved;
  exe.data[0].address += Moved;
  exe.vertices[0].entry += Moved;
  exe.vertices[0].state += Moved;
  exe.segments[0].address += Moved;
  const Address results = ResultAt + Moved;
  std::memcpy(exe.payloads[0].bytes.data(), &results, sizeof(results));
  return exe;
}

struct Case {
  const char *row;
  std::vector<std::int64_t> operands;
  VertexKind kind;
  const char *fault; // on ipu1; empty: none
};

const Case Cases[] = {
    {"F16V4HIHOAMP", {0, 2, 4, 0}, VertexKind::Worker, ""},
    {"F32SISOAMP", {0, 2, 4, 0}, VertexKind::Worker, ""},
    {"F16V4HIHOV4AMP", {0, 2, 4, 0}, VertexKind::Worker, "illegal instruction"},
    {"F32SISOV2AMP", {0, 2, 4, 0}, VertexKind::Worker, "illegal instruction"},
    {"F16V4HIHOV4SLIC",
     {0, 2, 4, 0},
     VertexKind::Worker,
     "illegal instruction"},
    {"F32V2GINA", {0, 2, 1}, VertexKind::Worker, ""},
    {"F32V2GINA", {0, 2, 2}, VertexKind::Worker, "operand 2"},
    {"F16V2GINA", {0, 2, 3}, VertexKind::Worker, "operand 3"},
    {"LD64PUTCS", {31}, VertexKind::Supervisor, ""},
    {"LD64PUTCS", {32}, VertexKind::Supervisor, "register"},
    {"LD128PUTCS", {30}, VertexKind::Supervisor, ""},
    {"LD128PUTCS", {31}, VertexKind::Supervisor, "register"},
};

TEST(GenerationTest, TheFirstOneHasOneSetOfAccumulatorsAndWeights) {
  for (const Case &test : Cases) {
    Assembler code;
    if (test.kind == VertexKind::Supervisor)
      code("SETZI_m", {1, InterleavedBase})("PUT", {80, 1});
    code(test.row, test.operands);
    if (test.kind == VertexKind::Supervisor)
      code("BR", {10});
    else
      code("EXITZ", {15});
    const Executable program = oneVertex(code, test.kind);
    const std::string second = run(program).fault;
    const std::string first = run(forIpu1(program)).fault;
    EXPECT_EQ(second, "") << test.row;
    if (*test.fault)
      EXPECT_NE(first.find(test.fault), std::string::npos)
          << test.row << ": " << first;
    else
      EXPECT_EQ(first, "") << test.row;
  }
}

/// `rpt` by a register of that value; how often its body ran, which is added up
/// in the results.
std::uint32_t repeats(std::uint32_t count, bool first) {
  Assembler code;
  code("LD32_m_bdi", {0, 13, 15, 0});
  code("SETZI_m", {1, count})("SETZI_m", {2, 0});
  code.align8()("OR_m_rz", {15, 15, 0})("RPT_r", {1, 0});
  code.bundle("ADD_rs", {2, 2, 1}, "OR_a_rz", {15, 15, 0});
  code("ST32_m_bdi", {2, 0, 15, 0})("EXITZ", {15});
  const Executable program = oneVertex(code);
  const Outcome outcome = run(first ? forIpu1(program) : program);
  EXPECT_EQ(outcome.fault, "");
  return outcome.results[0];
}

TEST(GenerationTest, TheFirstOneRepeatsByTwelveBits) {
  for (std::uint32_t count :
       {0u, 1u, 4094u, 4095u, 4096u, 4097u, 8191u, 65535u, 65536u, 65537u}) {
    EXPECT_EQ(repeats(count, false), count & 0xffff) << count;
    EXPECT_EQ(repeats(count, true), count & 0xfff) << count;
  }
}

} // namespace
