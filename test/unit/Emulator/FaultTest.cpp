// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every fault stops the run with a message that names tile, compute set,
// vertex, worker, place and cause; nothing crashes the host.

#include "Assembler.h"

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
