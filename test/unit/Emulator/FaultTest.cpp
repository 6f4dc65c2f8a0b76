// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every fault stops the run with a message that names tile, compute set,
// vertex, worker, place and cause; nothing crashes the host.

#include "Assembler.h"

#include "runtime/Session/FaultReport.h"

#include <gtest/gtest.h>

using namespace populus::runtime;
using namespace populus::runtime::test;

namespace {

std::string faultOf(const Assembler &body) { return runWorkerCode(body).fault; }

void expectIn(const std::string &text, const std::string &part) {
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST(FaultTest, TheMessageIsComplete) {
  Assembler code;
  code("ADD_rs", {1, 0, 2})("LD32_m_bdi", {2, 1, 15, 0});
  EXPECT_EQ(faultOf(code),
            "tile 0, compute set 'cs': vertex 'Test' with state at 0x50000, "
            "worker 0: misaligned access to 0x50102 at pc 0x4c008 "
            "(entry+0x8), ld32");
}

/// The report of a program that faults.
FaultReport reportOf(const Executable &executable) {
  auto session = Session::create(std::make_shared<Executable>(executable));
  try {
    session->run(0);
  } catch (const FaultError &error) {
    return error.report();
  }
  ADD_FAILURE() << "there was no fault";
  return {};
}

TEST(FaultTest, TheReportHasRegistersAndTheLastInstructions) {
  Assembler code;
  code("SETZI_m", {3, 77}).bundle("SETZI_m", {1, 0x50102}, "SETZI_a", {2, 9});
  code("LD32_m_bdi", {2, 1, 15, 0});
  const FaultReport report = reportOf(oneVertex(code));
  EXPECT_EQ(report.kind, "misaligned");
  EXPECT_EQ(report.registers.m[3], 77u);
  EXPECT_EQ(report.registers.m[1], 0x50102u);
  EXPECT_EQ(report.registers.a[2], 9u);
  ASSERT_EQ(report.last.size(), 3u);
  EXPECT_EQ(report.last[0].place.assembly, "setzi $m3, 77");
  EXPECT_EQ(report.last[1].place.assembly,
            "{ setzi $m1, 327938; setzi $a2, 9 }");
  EXPECT_EQ(report.last[2].place.pc, CodeBase + 12);
  expectIn(report.details(), "$m3  0x0000004d");
  expectIn(report.json(), "\"fault\":\"misaligned\"");
}

TEST(FaultTest, TheLastInstructionsAreThoseInsideALoop) {
  Assembler code;
  code("SETZI_m", {1, 0xe7ff0})("RPT_i", {5, 0});
  code.bundle("LD64STEP_i", {0, 15, 1, 1}, "SETZI_a", {4, 0});
  const FaultReport report = reportOf(oneVertex(code));
  ASSERT_EQ(report.last.size(), 5u);
  EXPECT_EQ(report.last[2].place.pc, report.last[4].place.pc);
}

TEST(FaultTest, AVertexThatDestroysItsInputHasNoHistoryOfItsOwn) {
  // It faults only the first time: the load is misaligned until the store.
  Assembler code;
  code("SETZI_m", {1, StateAt + 64})("LD32_m_bdi", {2, 1, 15, 0});
  code("ST32_m_bdi", {1, 1, 15, 0})("LD32_m_bdi", {3, 2, 15, 0});
  Executable exe = oneVertex(code);
  exe.payloads.push_back({"odd", {1, 0, 5, 0}});
  exe.data.push_back({0, StateAt + 64, 1, 4, 0});
  // The memory as it was loaded has the old value.
  EXPECT_EQ(reportOf(exe).last.size(), 4u);
  // A run that has succeeded before leaves another one.
  exe.payloads[1].bytes = {0, 0, 5, 0};
  exe.regions = {};
  Assembler twice;
  twice("SETZI_m", {1, StateAt + 64})("LD32_m_bdi", {2, 1, 15, 0});
  twice("LD32_m_bdi", {3, 2, 15, 0})("SETZI_m", {4, 0x50001});
  twice("ST32_m_bdi", {4, 1, 15, 0})("EXITZ", {15});
  Executable second = oneVertex(twice);
  second.payloads.push_back({"even", {0, 0, 5, 0}});
  second.data.push_back({0, StateAt + 64, 1, 4, 0});
  auto session = Session::create(std::make_shared<Executable>(second));
  session->run(0);
  EXPECT_THROW(session->run(0), FaultError);
}

TEST(FaultTest, AnAddressIsDescribedByTheFieldBesideIt) {
  Assembler code;
  code("SETZI_m", {1, ResultAt + 18})("LD32_m_bdi", {2, 1, 15, 0});
  Executable exe = oneVertex(code);
  exe.vertexTypes[0].fields = {{"data", 0, 4, FieldAccess::Input, 4, 4, false}};
  exe.regions = {{ResultAt, 16, 0}};
  exe.firstRegion = {0};
  EXPECT_EQ(reportOf(exe).field, "2 bytes behind the end of field 'data'");
  exe.regions = {{ResultAt, 24, 0}};
  EXPECT_EQ(reportOf(exe).field, "in field 'data' at byte 18");
  exe.regions = {{ResultAt + 24, 24, 0}};
  EXPECT_EQ(reportOf(exe).field, "6 bytes before field 'data'");
  exe.regions = {{ResultAt + 16, 24, 0},
                 {ResultAt + 1024, 4, 0},
                 {ResultAt - 64, 8, 0 | VertexRegion::ArrayFlag}};
  EXPECT_EQ(reportOf(exe).field, "in field 'data'[0] at byte 2");
}

TEST(FaultTest, SourceLinesAreNamed) {
  Assembler code;
  code("SETZI_m", {1, 2})("LD32_m_bdi", {2, 1, 15, 0});
  Executable exe = oneVertex(code);
  exe.images[0].files = {"a.cpp"};
  exe.images[0].lines = {{CodeBase, 0, 3}, {CodeBase + 4, 0, 7}};
  expectIn(run(exe).fault, "ld32, a.cpp:7");
  exe.images[0].lines = {{CodeBase, 0, 3}, {CodeBase + 4, None, 0}};
  EXPECT_EQ(run(exe).fault.find("a.cpp"), std::string::npos);
}

TEST(FaultTest, AddressesOutsideOfMemory) {
  for (std::uint32_t high : {0x000u, 0x001u, 0x800u, 0xfffu}) {
    Assembler code;
    code("OR_m_rh", {1, 15, high})("LD32_m_bdi", {2, 1, 15, 0});
    expectIn(faultOf(code), "not in the tile's memory");
    Assembler stores;
    stores("OR_m_rh", {1, 15, high})("ST64_bdi", {0, 1, 15, 0});
    expectIn(faultOf(stores), "not in the tile's memory");
  }
  // The last word is memory, the next one is not.
  Assembler last;
  last("SETZI_m", {1, 0xe7ffc})("LD32_m_bdi", {2, 1, 15, 0});
  EXPECT_EQ(faultOf(last), "");
  last("LD32_m_bdi", {2, 1, 15, 1});
  expectIn(faultOf(last), "0xe8000");
  Assembler first;
  first("SETZI_m", {1, 0x4c000})("LD32_m_bdi", {2, 1, 15, 0});
  EXPECT_EQ(faultOf(first), "");
  Assembler before;
  before("SETZI_m", {1, 0x4bffc})("LD32_m_bdi", {2, 1, 15, 0});
  expectIn(faultOf(before), "0x4bffc");
}

TEST(FaultTest, CodeCannotBeStoredTo) {
  Assembler code;
  code("SETZI_m", {1, CodeBase})("ST32_m_bdi", {15, 1, 15, 0});
  for (unsigned i = 0; i != 8; ++i) // the protected part ends aligned
    code("OR_m_rz", {15, 15, 0});
  expectIn(faultOf(code), "holds code");
}

TEST(FaultTest, WideLoadsNeedInterleavedMemory) {
  Assembler code;
  code("LD128_bdi", {0, 0, 15, 0});
  expectIn(faultOf(code), "not in interleaved memory");
}

TEST(FaultTest, IllegalInstructions) {
  Assembler zero;
  zero.word(0);
  expectIn(faultOf(zero), "illegal instruction 0x0");
  Assembler odd; // an odd register as a pair
  odd("LD64_bdi", {1, 0, 15, 0});
  expectIn(faultOf(odd), "illegal instruction");
  Assembler notBundle; // exit cannot be bundled
  notBundle.bundle("EXITZ", {15}, "SETZI_a", {0, 0});
  expectIn(faultOf(notBundle), "illegal instruction");
  Assembler twoMain;
  twoMain.bundle("SETZI_m", {1, 0}, "SETZI_m", {2, 0});
  expectIn(faultOf(twoMain), "illegal instruction");
  Assembler sameRegister;
  sameRegister.bundle("LD32_a_bdi", {0, 0, 15, 0}, "SETZI_a", {0, 0});
  expectIn(faultOf(sameRegister), "illegal instruction");
}

TEST(FaultTest, ControlLeavesTheCode) {
  Assembler jump;
  jump("SETZI_m", {1, DataBase})("BR", {1});
  expectIn(faultOf(jump), "branch to 0x50000, which is not code at pc 0x4c008");
  Assembler misaligned;
  misaligned("SETZI_m", {1, CodeBase + 2})("BR", {1});
  expectIn(faultOf(misaligned), "branch to 0x4c002");
  Assembler direct;
  direct("BRI", {DataBase / 4});
  expectIn(faultOf(direct), "branch to 0x50000, which is not code");
  Assembler end; // no exit
  end("SETZI_m", {1, 0});
  expectIn(run(oneVertex(end)).fault, "branch to 0x4c004");
}

TEST(FaultTest, SupervisorInstructionsInAWorker) {
  Assembler code;
  code("SYNC", {2});
  expectIn(faultOf(code), "sync is not allowed in a worker");
}

TEST(FaultTest, RptBodiesAreChecked) {
  Assembler lone;
  lone.align8()("OR_m_rz", {15, 15, 0})("RPT_i", {2, 0});
  lone("SETZI_m", {1, 0})("SETZI_m", {1, 0});
  expectIn(faultOf(lone), "body of rpt");
  Assembler branch;
  branch("RPT_i", {2, 0}).bundle("BRI", {CodeBase / 4}, "SETZI_a", {0, 0});
  expectIn(faultOf(branch), "body of rpt");
  Assembler misaligned; // the body begins at 0x4c00c
  misaligned("OR_m_rz", {15, 15, 0})("RPT_i", {2, 0});
  misaligned.bundle("SETZI_m", {1, 0}, "SETZI_a", {0, 0});
  expectIn(faultOf(misaligned), "body of rpt");
}

TEST(FaultTest, AFaultInAnRptBodyIsAtItsBundle) {
  Assembler aligned;
  aligned("SETZI_m", {1, 0xe7ff8});
  aligned("SETZI_m", {2, 0});
  aligned("RPT_i", {5, 1}); // at 0x4c00c, the body at 0x4c010
  aligned.bundle("ADD_rs", {2, 2, 1}, "SETZI_a", {4, 0});
  aligned.bundle("LD64STEP_i", {0, 15, 1, 1}, "SETZI_a", {4, 0});
  expectIn(faultOf(aligned), "access to 0xe8000, which is not in the tile's "
                             "memory at pc 0x4c018 (entry+0x18), ld64step");
}

TEST(FaultTest, TrapsAndControlRegisters) {
  Assembler trap;
  trap("TRAP", {3});
  expectIn(faultOf(trap), "trap 3");
  Assembler get;
  get("GET", {1, 77});
  expectIn(faultOf(get), "control register 77");
  Assembler put;
  put("PUT", {32, 1});
  expectIn(faultOf(put), "control register 32");
}

TEST(FaultTest, EndlessLoopsStopAtTheLimit) {
  Assembler code;
  code("BRI", {CodeBase / 4});
  SessionOptions options;
  options.maxCycles = 100000;
  expectIn(run(oneVertex(code), options).fault,
           "still running at the limit of cycles");
  expectIn(run(oneVertex(code, VertexKind::Supervisor), options).fault,
           "still running at the limit of cycles");
}

TEST(FaultTest, AListWithoutVerticesNeedsNoCode) {
  Assembler code;
  code("EXITZ", {15});
  Executable exe = oneVertex(code);
  exe.tileVertices[0].vertices.count = 0;
  exe.tileSetup = {None};
  EXPECT_EQ(run(exe).fault, "");
}

TEST(FaultTest, TheFirstTileIsReportedForAnyNumberOfThreads) {
  Assembler code;
  code("TRAP", {1});
  Executable exe = oneVertex(code);
  exe.tilesPerIpu = 64;
  exe.tileSetup.assign(64, 0);
  exe.memoryEnd.clear();
  exe.tileVertices.clear();
  for (std::uint32_t tile = 3; tile != 64; ++tile)
    exe.tileVertices.push_back({tile, {0, 1}});
  exe.computeSets[0].tiles = {0, 61};
  for (unsigned threads : {1u, 2u, 4u}) {
    SessionOptions options;
    options.threads = threads;
    EXPECT_EQ(run(exe, options).fault.substr(0, 7), "tile 3,");
  }
}

} // namespace
