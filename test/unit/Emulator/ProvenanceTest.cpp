// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses belong to the field that their pointers came from. The vertex has
// 16 bytes of input, 16 bytes of output right behind them, and their addresses
// in its state.

#include "Assembler.h"

#include "runtime/Emulator/Checks/Provenance.h"

#include <gtest/gtest.h>

#include <cstring>

using namespace populus::runtime;
using namespace populus::runtime::test;
using emulator::Origin;

namespace {

constexpr Address InAt = ResultAt;
constexpr Address OutAt = InAt + 16;
constexpr std::int64_t In = 0, Out = 1; // registers
constexpr std::int64_t Zero = 15, State = 13, Stack = 12;

/// Loads the addresses to their registers, runs the body, and returns the
/// elements of the findings, with "reads" or "writes"; both engines have to
/// agree.
std::vector<std::string> elementsOf(const Assembler &body) {
  Assembler code;
  code("LD32_m_bdi", {In, State, Zero, 0})("LD32_m_bdi", {Out, State, Zero, 1});
  for (std::uint32_t word : body.words)
    code.word(word);
  code("EXITZ", {Zero});
  Executable exe = oneVertex(code);
  exe.vertexTypes[0].stateBytes = 8;
  exe.vertexTypes[0].fields = {{"in", 0, 4, FieldAccess::Input, 4, 8, false},
                               {"out", 4, 4, FieldAccess::Output, 4, 4, false}};
  exe.regions = {{InAt, 16, 0}, {OutAt, 16, 1}};
  exe.firstRegion = {0};
  const Address addresses[] = {InAt, OutAt};
  exe.payloads[0].bytes.resize(sizeof(addresses));
  std::memcpy(exe.payloads[0].bytes.data(), addresses, sizeof(addresses));
  exe.data[0].bytes = sizeof(addresses);
  exe.payloads.push_back({"edges", std::vector<std::uint8_t>(32, 1)});
  exe.data.push_back({0, InAt, 1, 32, 0});

  std::vector<std::string> found[2];
  for (const bool isTranslated : {false, true}) {
    SessionOptions options;
    options.engine = isTranslated ? Engine::Translated : Engine::Interpreter;
    options.watch.checks = *CheckOptions::parse("bounds");
    auto session = Session::create(std::make_shared<Executable>(exe), options);
    session->run(0);
    for (const Finding &finding : session->findings())
      found[isTranslated].push_back((finding.store ? "writes " : "reads ") +
                                    finding.element);
  }
  EXPECT_EQ(found[0], found[1]);
  return found[0];
}

using Elements = std::vector<std::string>;

TEST(ProvenanceTest, SumsOfOrigins) {
  const Origin a(0), b(1), c(2), none;
  EXPECT_EQ(a + none, a);
  EXPECT_TRUE((a - a).isNone());
  EXPECT_EQ(a + (b - a), b);
  EXPECT_EQ((b - a) + a, b);
  EXPECT_EQ((c - b) + (b - a), c - a);
  EXPECT_FALSE((b - a).isPointer());
  EXPECT_TRUE((a + b).isUnknown());
  EXPECT_TRUE((a + b - b).isUnknown());
  EXPECT_EQ((a + none).region(), 0u);
}

TEST(ProvenanceTest, TheNextFieldIsBehindTheEnd) {
  Assembler good, behind, before, moved;
  good("LD32_m_bdi", {2, In, Zero, 3})("LD32_m_bdi", {2, Out, Zero, 0});
  EXPECT_EQ(elementsOf(good), Elements());
  behind("LD32_m_bdi", {2, In, Zero, 4});
  EXPECT_EQ(elementsOf(behind), Elements{"reads in[4] of 4"});
  before("ADD_rs", {3, Out, -8})("LD32_m_bdi", {2, Zero, 3, 0});
  EXPECT_EQ(elementsOf(before), Elements{"reads out[-2] of 4"});
  moved("ADD_rs", {3, In, 12})("LD32STEP_m_i", {2, Zero, 3, 1});
  EXPECT_EQ(elementsOf(moved), Elements());
  moved("ST32_m_bdi", {2, 3, Zero, 0});
  EXPECT_EQ(elementsOf(moved), Elements{"writes in[4] of 4"});
}

// in + (out - in) is out.
TEST(ProvenanceTest, DifferencesOfPointers) {
  Assembler code;
  code("SUB_rr", {2, Out, In})("ADD_rr", {3, In, 2});
  code("ST32_m_bdi", {In, 3, Zero, 0})("ST32_m_bdi", {In, In, 2, 1});
  EXPECT_EQ(elementsOf(code), Elements());
  code("ST32_m_bdi", {In, In, 2, 4});
  EXPECT_EQ(elementsOf(code), Elements{"writes out[4] of 4"});
}

TEST(ProvenanceTest, PointersThroughMemory) {
  Assembler code;
  code("ST32_m_bdi", {In, Stack, Zero, 0})("LD32_m_bdi", {3, Stack, Zero, 0});
  code("LD32_m_bdi", {2, 3, Zero, 4});
  EXPECT_EQ(elementsOf(code), Elements{"reads in[4] of 4"});
}

// The lowest bits of an address, and flags, are numbers.
TEST(ProvenanceTest, NumbersThatWerePointers) {
  Assembler code;
  code("AND_m_rz", {2, In, 15})("CMPULT_rr", {3, In, Out});
  code("ADD_rr", {4, Out, 2})("ADD_rr", {4, 4, 3})("ADD_rs", {4, 4, 15});
  code("ST32_m_bdi", {2, 4, Zero, 0});
  EXPECT_EQ(elementsOf(code), Elements{"writes out[4] of 4"});
}

} // namespace
