// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first generation has one set of accumulators and 32 weight registers:
// what names the second one stops the run there, and only there.

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

} // namespace
