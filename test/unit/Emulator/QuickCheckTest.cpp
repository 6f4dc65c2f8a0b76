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

// A tile whose vertices are disjoint proves nothing about another tile that
// begins with the same vertex.
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

// ---- Vertices that run again ------------------------------------------------

/// Words of the input: the offset of bytes that all workers load, and a mask of
/// workers that store to an address of their own.
constexpr std::uint32_t OffsetWord = 0, MaskWord = 1, ValueWord = 2;
constexpr Address UnknownAt = ResultAt + 0x400;

/// A vertex of six workers that program 0 executes; program 1 copies what
/// nothing has written to what it loads.
Executable workersThatLoad() {
  Assembler code;
  code("SETZI_m", {2, InAt})("LD32_m_bdi", {3, 2, 15, OffsetWord});
  code("ADD_rr", {3, 2, 3})("LD32_a_bdi", {0, 3, 15, 0});
  code("GET", {1, 1})("AND_m_rz", {1, 1, 7});
  code("LD32_m_bdi", {5, 2, 15, MaskWord})("AND_m_rr", {1, 1, 5});
  code("SHL_rz", {1, 1, 2})("SETZI_m", {6, OutAt})("ADD_rr", {6, 6, 1});
  code("ST32_a_bdi", {0, 6, 15, 0})("EXITZ", {15});
  Executable exe = oneVertex(code, VertexKind::Multi);
  exe.vertexTypes[0].fields = {{"in", 0, 4, FieldAccess::Input, 4, 8, false},
                               {"out", 0, 4, FieldAccess::Output, 4, 4, false}};
  exe.regions = {{InAt, EdgeBytes, 0}, {OutAt, EdgeBytes, 1}};
  exe.firstRegion = {0};
  exe.segments[0].bytes = EdgeBytes;
  exe.tensors[0].shape = {EdgeBytes / 4};
  exe.copyPieces = {{0, UnknownAt, 0, InAt + 4 * ValueWord, 4}};
  exe.exchanges = {{"forget", {0, 1}}};
  exe.steps.push_back({StepKind::Exchange, 0, None, "", {}, {}});
  exe.programs.push_back(1);
  return exe;
}

/// Collects the findings of runs with some words, after runs without findings.
class RunAgain {
public:
  explicit RunAgain(Engine engine) {
    SessionOptions options;
    options.threads = 1;
    options.engine = engine;
    options.watch.checks = *CheckOptions::parse("all");
    session = Session::create(std::make_shared<Executable>(workersThatLoad()),
                              options);
    // Often enough for it to be known.
    for (std::uint32_t i = 0; i != 5; ++i)
      run({4 * ValueWord, 7, i});
  }

  std::size_t numFound() const { return session->findings().size(); }
  void run(std::vector<std::uint32_t> words) {
    words.resize(EdgeBytes / 4);
    session->writeTensor(0, words.data());
    session->run(0);
  }
  void runWithUnknown() {
    session->run(1);
    session->run(0);
  }
  std::vector<std::string> findings() const {
    std::vector<std::string> messages;
    for (const Finding &finding : session->findings())
      messages.push_back(finding.message());
    return messages;
  }

private:
  std::unique_ptr<Session> session;
};

/// Nothing is found at first, and then something of a kind, by both engines.
template <typename Change> void changes(const char *what, Change change) {
  RunAgain slotBySlot(Engine::Interpreter), quick(Engine::Translated);
  EXPECT_EQ(quick.numFound(), 0u);
  change(slotBySlot);
  change(quick);
  EXPECT_EQ(quick.findings(), slotBySlot.findings());
  ASSERT_NE(quick.numFound(), 0u);
  EXPECT_NE(quick.findings()[0].find(what), std::string::npos)
      << quick.findings()[0];
}

TEST(QuickCheckTest, GoodVerticesThatLeaveTheirEdges) {
  changes("which is not the vertex's",
          [](RunAgain &runs) { runs.run({EdgeBytes, 7, 1}); });
}

TEST(QuickCheckTest, GoodVerticesThatBeginToRace) {
  changes("races with",
          [](RunAgain &runs) { runs.run({4 * ValueWord, 1, 1}); });
}

TEST(QuickCheckTest, GoodVerticesWhoseInputIsLost) {
  changes("which nothing has written",
          [](RunAgain &runs) { runs.runWithUnknown(); });
}

// Input may become undefined, be valid again, and become undefined again.
TEST(QuickCheckTest, GoodVerticesWhoseInputIsLostLater) {
  changes("which nothing has written", [](RunAgain &runs) {
    runs.run({4 * ValueWord, 7, 1});
    runs.run({4 * MaskWord, 7, 1});
    for (std::uint32_t i = 0; i != 5; ++i)
      runs.run({4 * ValueWord, 7, i});
    EXPECT_EQ(runs.numFound(), 0u);
    runs.runWithUnknown();
  });
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
