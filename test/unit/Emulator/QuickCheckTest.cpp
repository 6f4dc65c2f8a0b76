// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The checker while translated code runs: it finds the same as slot by slot, in
// random vertices that walk over their edges in lines and hardware loops, here
// and there not as they should.

#include "Assembler.h"
#include "RandomCode.h"

#include "runtime/Emulator/Checks/QuickCheck.h"
#include "runtime/Session/FaultReport.h"

#include <gtest/gtest.h>

#include <set>

using namespace populus::runtime;
using namespace populus::runtime::emulator;
using namespace populus::runtime::test;

namespace {

constexpr Address InAt = ResultAt, OutAt = ResultAt + 0x80;
constexpr std::uint32_t EdgeBytes = 64;

/// $m2 and $m3 point to something of the vertex.
void addPointers(Assembler &code, Generator &random) {
  for (int pointer : {2, 3}) {
    const Address edge = random.below(2) == 0 ? InAt : OutAt;
    const std::uint32_t word = random.oneOf<std::uint32_t>({0, 0, 0, 2, 4, 5});
    if (random.below(6) == 0) // on the stack
      code("ADD_rs", {pointer, 12, -256});
    else
      code("SETZI_m", {pointer, edge + 4 * word});
  }
}

/// Loads and stores one after the other.
void addLine(Assembler &code, Generator &random) {
  for (std::uint32_t i = 1 + random.below(6); i != 0; --i) {
    const int pointer = random.oneOf({2, 3});
    const int word = static_cast<int>(random.below(4));
    switch (random.below(6)) {
    case 0:
    case 1:
      code("LD32_m_bdi", {5, pointer, 15, word});
      break;
    case 2:
      code("LD64_bdi", {2, pointer, 15, word});
      break;
    case 3:
      code("ST32_m_bdi", {5, 3, 15, word});
      break;
    case 4:
      code("AND_m_rz", {6, pointer, 7});
      break;
    case 5:
      code("ADD_rs", {5, 5, 1});
      break;
    }
  }
}

/// A hardware loop over what the pointers point to, which move on.
void addLoop(Assembler &code, Generator &random) {
  const auto bundles = static_cast<int>(1 + random.below(3));
  code.align8()("OR_m_rz", {7, 15, 0})(
      "RPT_i", {random.oneOf({1, 2, 3, 4, 7}), bundles - 1});
  for (int i = 0; i != bundles; ++i) {
    const std::string access = random.oneOf<const char *>(
        {"LD32STEP_a_i", "LD64STEP_i", "ST32STEP_a_i", "ST64STEP_i"});
    const int pointer = access[0] == 'S' ? 3 : random.oneOf({2, 3});
    code.bundle(access, {0, 15, pointer, random.oneOf({1, 1, 1, 2, 0})},
                "SETZI_a", {7, 0});
  }
}

Executable randomVertices(std::uint64_t seed) {
  Generator random(seed);
  Assembler code;
  for (std::uint32_t i = 1 + random.below(4); i != 0; --i) {
    addPointers(code, random);
    random.below(2) == 0 ? addLine(code, random) : addLoop(code, random);
  }
  code("EXITZ", {15});
  Executable exe = oneVertex(code);
  exe.vertexTypes[0].fields = {{"in", 0, 4, FieldAccess::Input, 4, 8, false},
                               {"out", 0, 4, FieldAccess::Output, 4, 4, false}};
  exe.regions = {{InAt, EdgeBytes, 0}, {OutAt, EdgeBytes, 1}};
  exe.firstRegion = {0};
  exe.payloads.push_back({"input", std::vector<std::uint8_t>(0x100, 1)});
  exe.data.push_back({0, InAt, 1, EdgeBytes, 0});
  if (random.below(4) != 0) // else it is not known what is there
    exe.data.push_back({0, OutAt, 1, EdgeBytes, 0});
  if (random.below(3) == 0) { // two that write the same
    exe.vertices.push_back(exe.vertices[0]);
    exe.tileVertices[0].vertices.count = 2;
  }
  if (random.below(4) == 0)
    exe.vertexTypes[0].kind = VertexKind::Multi;
  if (random.below(3) == 0) // the input reaches into the output
    exe.regions[0].bytes = OutAt - InAt + EdgeBytes / 2;
  if (exe.vertices.size() == 2) {
    exe.regions = {exe.regions[0], exe.regions[1], exe.regions[0],
                   exe.regions[1]};
    exe.firstRegion = {0, 2};
  }
  return exe;
}

struct Checked {
  std::vector<std::string> findings;
  std::string fault;
  std::uint64_t cycles = 0;
  std::vector<std::uint32_t> results;
};

Checked check(const Executable &executable, Engine engine,
              std::set<Check> &found) {
  SessionOptions options;
  options.threads = 1;
  options.engine = engine;
  options.watch.checks = *CheckOptions::parse("all");
  auto session =
      Session::create(std::make_shared<Executable>(executable), options);
  Checked result;
  try {
    session->run(0);
  } catch (const FaultError &error) {
    result.fault = error.what();
  }
  for (const Finding &finding : session->findings()) {
    found.insert(finding.check);
    result.findings.push_back(finding.message());
  }
  result.cycles = session->stats().cycles.total;
  result.results.resize(ResultWords);
  session->readTensor(0, result.results.data());
  return result;
}

TEST(QuickCheckTest, FindsTheSameAsSlotBySlot) {
  std::set<Check> found;
  unsigned numGood = 0;
  for (std::uint64_t seed = 0; seed != 24; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Executable exe = randomVertices(seed);
    const Checked slotBySlot = check(exe, Engine::Interpreter, found);
    const Checked quick = check(exe, Engine::Translated, found);
    EXPECT_EQ(quick.findings, slotBySlot.findings);
    EXPECT_EQ(quick.fault, slotBySlot.fault);
    EXPECT_EQ(quick.cycles, slotBySlot.cycles);
    EXPECT_EQ(quick.results, slotBySlot.results);
    numGood += quick.findings.empty();
  }
  EXPECT_GT(numGood, 1u);
  EXPECT_LT(numGood, 21u);
  EXPECT_EQ(found.size(), std::size(CheckNames));
}

// That one tile's are apart says nothing about another's that begin with the
// same vertex.
TEST(QuickCheckTest, TilesShareTheFirstVertex) {
  Executable exe = oneVertex(Assembler()("SETZI_m", {1, OutAt})(
      "ST32_m_bdi", {15, 1, 15, 0})("EXITZ", {15}));
  exe.vertexTypes[0].fields = {{"out", 0, 4, FieldAccess::Output, 4, 4, false}};
  exe.regions = {{OutAt, EdgeBytes, 0}, {OutAt, EdgeBytes, 0}};
  exe.firstRegion = {0, 1};
  exe.vertices.push_back(exe.vertices[0]);
  exe.tilesPerIpu = 2;
  exe.tileSetup = {0, 0};
  exe.memoryEnd.assign(2, exe.memoryEnd[0]);
  exe.tileVertices = {{0, {0, 1}}, {1, {0, 2}}};
  exe.computeSets[0].tiles = {0, 2};
  std::set<Check> found;
  const Checked quick = check(exe, Engine::Translated, found);
  EXPECT_TRUE(found.contains(Check::Races));
  EXPECT_EQ(quick.findings, check(exe, Engine::Interpreter, found).findings);
}

TEST(QuickCheckTest, VerticesAreApartIfNoneWritesWhatAnotherHas) {
  Executable exe = oneVertex(Assembler()("EXITZ", {15}));
  exe.vertexTypes[0].fields = {{"in", 0, 4, FieldAccess::Input, 4, 8, false},
                               {"out", 0, 4, FieldAccess::Output, 4, 4, false}};
  exe.vertices.push_back(exe.vertices[0]);
  exe.vertices[1].state += 4;
  const auto areApartAt = [&](Address in, Address out) {
    exe.regions = {{InAt, 16, 0}, {OutAt, 6, 1}, {in, 16, 0}, {out, 16, 1}};
    exe.firstRegion = {0, 2};
    return areApart(exe, {0, 2});
  };
  EXPECT_TRUE(areApartAt(InAt, OutAt + 8));
  EXPECT_TRUE(areApartAt(InAt + 8, OutAt + 64));
  EXPECT_FALSE(areApartAt(InAt, OutAt + 6)); // a word of both
  EXPECT_FALSE(areApartAt(OutAt + 4, OutAt + 8));
  EXPECT_FALSE(areApartAt(InAt, InAt + 12));
  exe.vertices[1].state -= 4;
  EXPECT_FALSE(areApartAt(InAt, OutAt + 8));
  EXPECT_TRUE(areApart(exe, {0, 1}));
}

} // namespace
