// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each check on a vertex that makes the mistake and on one that does not. The
// vertex has 16 bytes of input and 16 bytes of output.

#include "Assembler.h"

#include "runtime/Session/FaultReport.h"

#include <gtest/gtest.h>

using namespace populus::runtime;
using namespace populus::runtime::test;

namespace {

constexpr Address InAt = ResultAt;
constexpr Address OutAt = ResultAt + 32;

/// $m0 is the input, $m1 the output; the code need not exit.
Executable vertexOf(const Assembler &body) {
  Assembler code;
  code("SETZI_m", {0, InAt})("SETZI_m", {1, OutAt});
  for (std::uint32_t word : body.words)
    code.word(word);
  code("EXITZ", {15});
  Executable exe = oneVertex(code);
  exe.vertexTypes[0].fields = {{"in", 0, 4, FieldAccess::Input, 4, 8, false},
                               {"out", 0, 4, FieldAccess::Output, 4, 4, false}};
  exe.regions = {{InAt, 16, 0}, {OutAt, 16, 1}};
  exe.firstRegion = {0};
  exe.payloads.push_back({"input", std::vector<std::uint8_t>(16, 1)});
  exe.data.push_back({0, InAt, 1, 16, 0});
  return exe;
}

std::vector<Finding> findingsOf(const Executable &exe, const char *checks,
                                Engine engine) {
  SessionOptions options;
  options.engine = engine;
  options.watch.checks = *CheckOptions::parse(checks);
  auto session = Session::create(std::make_shared<Executable>(exe), options);
  try {
    session->run(0);
  } catch (const FaultError &) {
  }
  return session->findings();
}

/// The findings, which must be the same for both engines.
std::vector<Finding> findingsOf(const Executable &exe,
                                const char *checks = "all") {
  std::vector<Finding> found = findingsOf(exe, checks, Engine::Interpreter);
  const std::vector<Finding> quick =
      findingsOf(exe, checks, Engine::Translated);
  EXPECT_EQ(quick.size(), found.size());
  for (std::size_t i = 0; i != std::min(quick.size(), found.size()); ++i)
    EXPECT_EQ(quick[i].message(), found[i].message());
  return found;
}

void expectIn(const std::string &text, const std::string &part) {
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST(CheckerTest, ListsOfChecks) {
  EXPECT_TRUE((*CheckOptions::parse("bounds,races"))[Check::Races]);
  EXPECT_FALSE((*CheckOptions::parse("bounds,races"))[Check::Uninit]);
  EXPECT_TRUE((*CheckOptions::parse("all"))[Check::DeadStores]);
  EXPECT_TRUE((*CheckOptions::parse("mistakes"))[Check::Alignment]);
  EXPECT_FALSE((*CheckOptions::parse("mistakes"))[Check::DeadStores]);
  EXPECT_FALSE(CheckOptions::parse("bound"));
  EXPECT_FALSE(CheckOptions::parse("")->any());
}

TEST(CheckerTest, AGoodVertexIsSilent) {
  Assembler code;
  for (int i : {0, 1, 2, 3})
    code("LD32_m_bdi", {2, 0, 15, i})("ST32_m_bdi", {2, 1, 15, i});
  // Its stack, its scratch and its state.
  code("ST32_m_bdi", {2, 12, 15, 0})("LD32_m_bdi", {2, 12, 15, 0});
  code("ADD_rs", {3, 12, -8})("ST32_m_bdi", {2, 3, 15, 0});
  code("LD32_m_bdi", {2, 3, 15, 0})("LD32_m_bdi", {2, 13, 15, 0});
  EXPECT_EQ(findingsOf(vertexOf(code)).size(), 0u);
}

TEST(CheckerTest, Bounds) {
  Assembler load;
  load("LD32_m_bdi", {2, 0, 15, 4});
  std::vector<Finding> found = findingsOf(vertexOf(load));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].check, Check::Bounds);
  EXPECT_EQ(found[0].address, InAt + 16);
  EXPECT_EQ(found[0].place.what, "just behind the end of field 'in'");
  EXPECT_EQ(found[0].message(),
            "tile 0, compute set 'cs': vertex 'Test' with state at 0x50000 at "
            "pc 0x4c008 (entry+0x8): load of 4 bytes at 0x50110, which is not "
            "the vertex's: it is just behind the end of field 'in'");
  expectIn(found[0].json(), "\"finding\":\"bounds\"");

  Assembler store;
  store("ST32_m_bdi", {2, 1, 15, 4});
  EXPECT_EQ(findingsOf(vertexOf(store)).size(), 1u);
  EXPECT_EQ(findingsOf(vertexOf(store), "races").size(), 0u);

  Assembler intoInput;
  intoInput("ST32_m_bdi", {2, 0, 15, 1});
  found = findingsOf(vertexOf(intoInput));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].place.what, "in field 'in' at byte 4");

  Assembler othersStack; // of worker 1
  othersStack("ST32_m_bdi", {2, 12, 15, 64});
  found = findingsOf(vertexOf(othersStack));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].place.what, "the stack of worker 1");
}

TEST(CheckerTest, OneMistakeInALoopIsOneFinding) {
  Assembler code;
  code("SETZI_m", {2, 16})("RPT_i", {6, 0});
  code.bundle("LD32STEP_a_i", {0, 0, 2, 1}, "SETZI_a", {1, 0});
  EXPECT_EQ(findingsOf(vertexOf(code), "bounds").size(), 1u);
}

TEST(CheckerTest, MemoryThatNothingHasWritten) {
  Assembler code;
  code("LD32_m_bdi", {2, 1, 15, 1});
  Executable exe = vertexOf(code);
  std::vector<Finding> found = findingsOf(exe);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].check, Check::Uninit);
  EXPECT_EQ(found[0].place.what, "in field 'out' at byte 4");

  // Memory is defined if the host or a vertex wrote it; an exchange copies this
  // state from its source.
  Assembler stored;
  stored("ST32_m_bdi", {0, 1, 15, 1})("LD32_m_bdi", {2, 1, 15, 1});
  EXPECT_EQ(findingsOf(vertexOf(stored)).size(), 0u);
  exe.copyPieces = {{0, InAt, 0, OutAt, 16}};
  exe.exchanges = {{"copy", {0, 1}}};
  exe.steps = {{StepKind::Exchange, 0, None, "", {}, {}},
               {StepKind::Execute, 0, None, "", {}, {}},
               {StepKind::Sequence, 0, None, "", {0, 1}, {}}};
  exe.programs = {2};
  EXPECT_EQ(findingsOf(exe).size(), 0u);
  exe.copyPieces = {{0, OutAt + 64, 0, OutAt, 16}};
  EXPECT_EQ(findingsOf(exe).size(), 1u);
}

TEST(CheckerTest, StacksAreForgotten) {
  Assembler code;
  code("LD32_m_bdi", {2, 12, 15, 0})("ST32_m_bdi", {0, 12, 15, 0});
  Executable exe = vertexOf(code);
  exe.vertices.push_back(exe.vertices[0]);
  exe.firstRegion = {0, 0};
  exe.tileVertices[0].vertices.count = 2;
  // Nothing is done with what is loaded, which is no mistake.
  EXPECT_EQ(findingsOf(exe).size(), 0u);
  Assembler used; // by the second vertex: the first one's store does not count
  used("LD32_m_bdi", {2, 12, 15, 0})("ST32_m_bdi", {0, 12, 15, 0});
  used("ADD_rs", {2, 2, 1});
  exe = vertexOf(used);
  exe.vertices.push_back(exe.vertices[0]);
  exe.firstRegion = {0, 0};
  exe.tileVertices[0].vertices.count = 2;
  std::vector<Finding> found = findingsOf(exe);
  ASSERT_EQ(found.size(), 1u); // both make the same mistake
  EXPECT_EQ(found[0].place.what, "the stack of worker 0");
  EXPECT_EQ(found[0].place.pc, CodeBase + 8);
}

/// Findings of a vertex that loads from its stack, of which nothing is set but
/// the words at 8 and 12.
std::size_t findingsOnStack(const Assembler &body) {
  Assembler code; // $m3 is the end of a free part of the stack
  code("ADD_rs", {3, 12, -32})("SETZI_m", {4, 7});
  code("ST32_m_bdi", {4, 3, 15, 2})("ST32_m_bdi", {4, 3, 15, 3});
  for (std::uint32_t word : body.words)
    code.word(word);
  return findingsOf(vertexOf(code), "uninit").size();
}

TEST(CheckerTest, CopiesOfWhatIsNotSetAreNoMistakes) {
  Assembler copy; // from 0 to 16 on the stack, by way of another register
  copy("LD64_bdi", {0, 3, 15, 0})("OR64", {2, 0, 14});
  copy("ST64_bdi", {2, 3, 15, 2});
  EXPECT_EQ(findingsOnStack(copy), 0u);
  Assembler used = copy; // the copy is not set either
  used("LD32_m_bdi", {5, 3, 15, 5})("ADD_rs", {5, 5, 1});
  EXPECT_EQ(findingsOnStack(used), 1u);
  Assembler branch = copy;
  branch("LD32_m_bdi", {5, 3, 15, 4});
  branch("BRZ", {5, CodeBase / 4 + 11}); // to the next one

  EXPECT_EQ(findingsOnStack(branch), 1u);
  Assembler address = copy;
  address("LD32_m_bdi", {5, 3, 15, 4})("LD32_m_bdi", {5, 0, 5, 0});
  EXPECT_EQ(findingsOnStack(address), 1u);
  Assembler set; // half of what is copied is set, and only that is used
  set("LD64_bdi", {0, 3, 15, 1})("ST64_bdi", {0, 3, 15, 2});
  set("LD32_m_bdi", {5, 3, 15, 4})("ADD_rs", {5, 5, 1});
  EXPECT_EQ(findingsOnStack(set), 0u);
  Assembler overwritten;
  overwritten("LD32_m_bdi", {5, 3, 15, 0})("SETZI_m", {5, 1});
  overwritten("ADD_rs", {5, 5, 1});
  EXPECT_EQ(findingsOnStack(overwritten), 0u);
}

TEST(CheckerTest, BytesOfAWordMayBeSet) {
  Assembler byte; // the one at 1: load, put it in, store
  byte("LD32_m_bdi", {5, 3, 15, 0})("SETZI_m", {6, 0xff00});
  byte("ANDC_m_rr", {5, 5, 6})("OR_m_rz", {5, 5, 0x300});
  byte("ST32_m_bdi", {5, 3, 15, 0});
  byte("LDZ8_bdi", {5, 3, 15, 1})("ADD_rs", {5, 5, 1});
  EXPECT_EQ(findingsOnStack(byte), 0u);
  Assembler tested; // a bit that is not set decides
  tested("LD32_m_bdi", {5, 3, 15, 0})("AND_m_rz", {5, 5, 1});
  tested("BRZ", {5, CodeBase / 4 + 9}); // to the next one

  EXPECT_EQ(findingsOnStack(tested), 1u);
}

TEST(CheckerTest, StacksOfDamagedProgramsDoNoHarm) {
  Assembler code;
  code("LD32_m_bdi", {2, 0, 15, 0});
  for (Address begin : {0u, 0x4bff0u, 0xe7ff0u, 0xfffffff0u})
    for (Address base : {0u, 0x50000u, 0xfffffffcu}) {
      Executable exe = vertexOf(code);
      exe.tileSetups[0].stackBegin = begin;
      exe.tileSetups[0].workerBase.fill(base);
      exe.tileSetups[0].supervisorStack = base;
      findingsOf(exe);
    }
}

TEST(CheckerTest, APartOfAWordMayBeStored) {
  Assembler code;
  code("LD32_m_bdi", {2, 1, 15, 0})("OR_m_rz", {2, 2, 5});
  code("ST32_m_bdi", {2, 1, 15, 0});
  EXPECT_EQ(findingsOf(vertexOf(code)).size(), 0u);
}

/// Two vertices with the same code; the second one has its own regions.
Executable twoVertices(const Assembler &body,
                       std::vector<VertexRegion> regions) {
  Executable exe = vertexOf(body);
  exe.vertices.push_back(exe.vertices[0]);
  exe.vertices[1].state = StateAt + 16;
  exe.payloads.push_back({"state", std::vector<std::uint8_t>(4, 0)});
  exe.data.push_back({0, StateAt + 16, 2, 4, 0});
  exe.tileVertices[0].vertices.count = 2;
  exe.firstRegion = {0, 2};
  exe.regions.insert(exe.regions.end(), regions.begin(), regions.end());
  return exe;
}

TEST(CheckerTest, Races) {
  Assembler store;
  store("ST32_m_bdi", {0, 1, 15, 0});
  const std::vector<Finding> found =
      findingsOf(twoVertices(store, {{InAt, 16, 0}, {OutAt, 16, 1}}), "races");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].place.state, StateAt + 16);
  ASSERT_TRUE(found[0].other);
  EXPECT_EQ(found[0].other->state, StateAt);
  EXPECT_EQ(found[0].other->what, "in field 'out' at byte 0");
  EXPECT_EQ(found[0].other->pc, CodeBase + 8);

  Assembler load; // two readers are no race
  load("LD32_m_bdi", {2, 0, 15, 0});
  EXPECT_EQ(
      findingsOf(twoVertices(load, {{InAt, 16, 0}, {OutAt, 16, 1}}), "races")
          .size(),
      0u);

  // The one reads what the other writes: found in the second vertex, which is
  // the one that reads here and the one that writes there.
  Assembler both;
  both("LD32_m_bdi", {2, 1, 15, 0})("ST32_m_bdi", {0, 1, 15, 0});
  EXPECT_EQ(
      findingsOf(twoVertices(both, {{InAt, 16, 0}, {OutAt, 16, 1}}), "races")
          .size(),
      2u);
}

TEST(CheckerTest, AStoreBeyondItsEdgesMayBeARace) {
  // The second vertex has another 'out', but stores to that of the first one.
  Assembler store;
  store("ST32_m_bdi", {0, 1, 15, 0});
  const std::vector<VertexRegion> own = {{InAt, 16, 0}, {OutAt + 64, 16, 1}};
  const std::vector<Finding> found =
      findingsOf(twoVertices(store, own), "races");
  ASSERT_EQ(found.size(), 1u);
  ASSERT_TRUE(found[0].other);
  EXPECT_EQ(found[0].other->what, "in field 'out' at byte 0");
  EXPECT_EQ(findingsOf(twoVertices(store, own), "bounds,races").size(), 2u);
}

TEST(CheckerTest, ARaceHasBothPlaces) {
  // The first vertex reads what the second one, of another type, writes.
  Assembler code;
  code("LD32_m_bdi", {2, 1, 15, 0})("EXITZ", {15});
  code("SETZI_m", {1, OutAt})("ST32_m_bdi", {0, 1, 15, 0});
  Executable exe = twoVertices(code, {{InAt, 16, 0}, {OutAt, 16, 1}});
  exe.vertices[1].entry = CodeBase + 16;
  const std::vector<Finding> found = findingsOf(exe, "races");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0].store);
  EXPECT_EQ(found[0].place.pc, CodeBase + 20);
  ASSERT_TRUE(found[0].other);
  EXPECT_EQ(found[0].other->pc, CodeBase + 8);
}

TEST(CheckerTest, VerticesOfSeparateComputeSetsDoNotRace) {
  Assembler store;
  store("ST32_m_bdi", {0, 1, 15, 0});
  Executable exe = vertexOf(store);
  exe.steps.push_back({StepKind::Sequence, 0, None, "", {0, 0}, {}});
  exe.programs = {1};
  EXPECT_EQ(findingsOf(exe, "races").size(), 0u);
}

/// A vertex whose workers run `worker`, with their number in $m2 and the output
/// in $m1.
Executable workersOf(VertexKind kind, const Assembler &supervisor,
                     const Assembler &worker) {
  constexpr std::size_t Start = 32; // word of the worker's code
  Assembler code;
  if (kind == VertexKind::Supervisor) {
    code("SETZI_m", {1, OutAt})("SETZI_m", {4, CodeBase + 4 * Start});
    for (std::uint32_t word : supervisor.words)
      code.word(word);
    code("BR", {10});
    while (code.words.size() != Start)
      code("TRAP", {0});
  }
  code("SETZI_m", {1, OutAt})("GET", {2, 1})("AND_m_rz", {2, 2, 7});
  for (std::uint32_t word : worker.words)
    code.word(word);
  code("EXITZ", {15});
  Executable exe = oneVertex(code, kind);
  exe.vertexTypes[0].fields = {{"out", 0, 4, FieldAccess::Output, 4, 4, false}};
  exe.regions = {{OutAt, 32, 0}};
  exe.firstRegion = {0};
  return exe;
}

Executable multiOf(const Assembler &worker) {
  return workersOf(VertexKind::Multi, Assembler(), worker);
}

TEST(CheckerTest, RacesOfTheWorkersOfAVertex) {
  Assembler own; // each stores to a word of its own
  own("STM32", {2, 1, 2});
  EXPECT_EQ(findingsOf(multiOf(own), "races").size(), 0u);
  Assembler sides; // bytes side by side: half of a word each
  sides("SHR_rz", {3, 2, 1})("LD32_m_bdr", {5, 1, 15, 3});
  sides("STM32", {5, 1, 3});
  std::vector<Finding> found = findingsOf(multiOf(sides), "races");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0].store);
  EXPECT_EQ(found[0].place.pc, CodeBase + 20);
  EXPECT_EQ(found[0].place.context, "worker 0");
  ASSERT_TRUE(found[0].other);
  EXPECT_EQ(found[0].other->context, "worker 1");
  EXPECT_EQ(found[0].other->pc, CodeBase + 16);
  expectIn(found[0].message(),
           "races with a context of the same vertex: vertex 'Test' with state "
           "at 0x50000, worker 1, at pc 0x4c010 (entry+0x10), in field 'out' "
           "at byte 0");
  expectIn(found[0].json(), "\"context\":\"worker 1\"");
  Assembler shared; // two readers, of which the first one writes in the end
  shared("LD32_m_bdi", {5, 1, 15, 0})("BRNZ", {2, CodeBase / 4 + 7});
  shared("SETZI_m", {5, 1})("ST32_m_bdi", {5, 1, 15, 0});
  found = findingsOf(multiOf(shared), "races");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].place.context, "worker 0");
}

TEST(CheckerTest, ASupervisorAndItsWorkersAreOrdered) {
  Assembler worker; // reads a word that is there for all, stores its own
  worker("LD32_m_bdi", {5, 1, 15, 7})("STM32", {5, 1, 2});
  Assembler good; // two rounds, with something to do before, between, after
  good("ST32_m_bdi", {15, 1, 15, 7})("RUNALL", {4, 1, 0})("SYNC", {2});
  good("LD32_m_bdi", {5, 1, 15, 3})("ST32_m_bdi", {5, 1, 15, 7});
  good("RUNALL", {4, 1, 0})("SYNC", {2})("LD32_m_bdi", {5, 1, 15, 3});
  EXPECT_EQ(findingsOf(workersOf(VertexKind::Supervisor, good, worker), "races")
                .size(),
            0u);
  Assembler early; // it does not wait
  early("RUNALL", {4, 1, 0})("LD32_m_bdi", {5, 1, 15, 3})("SYNC", {2});
  std::vector<Finding> found =
      findingsOf(workersOf(VertexKind::Supervisor, early, worker), "races");
  ASSERT_EQ(found.size(), 1u);
  ASSERT_TRUE(found[0].other);
  EXPECT_TRUE(found[0].place.context == "supervisor" ||
              found[0].other->context == "supervisor");
  // A supervisor's access before it starts a worker precedes that worker, but
  // is concurrent with others.
  Assembler one;
  one("SETZI_m", {6, 0})("RUN", {4, 6, 0})("ST32_m_bdi", {15, 1, 15, 6});
  one("RUN", {4, 6, 0})("SYNC", {2});
  Assembler second; // of two workers
  second("BRZ", {2, CodeBase / 4 + 37})("LD32_m_bdi", {5, 1, 15, 6});
  EXPECT_EQ(findingsOf(workersOf(VertexKind::Supervisor, one, second), "races")
                .size(),
            0u);
  Assembler both;
  both("LD32_m_bdi", {5, 1, 15, 6});
  EXPECT_EQ(
      findingsOf(workersOf(VertexKind::Supervisor, one, both), "races").size(),
      1u);
}

TEST(CheckerTest, TranslatedWorkersAreCheckedWhileTheirSupervisorGoesOn) {
  Assembler worker;
  worker("STM32", {2, 1, 2});
  Assembler supervisor; // has no cycle before the workers end
  supervisor("RUNALL", {4, 1, 0})("LD32_m_bdi", {5, 1, 15, 7});
  for (int i = 0; i != 8; ++i)
    supervisor("ADD_rs", {5, 5, 1});
  supervisor("SYNC", {2});
  const Executable exe = workersOf(VertexKind::Supervisor, supervisor, worker);
  EXPECT_EQ(findingsOf(exe, "races").size(), 0u);
  SessionOptions options;
  options.engine = Engine::Translated;
  options.watch.checks = *CheckOptions::parse("races");
  auto session = Session::create(std::make_shared<Executable>(exe), options);
  session->run(0);
  EXPECT_GT(session->stats().translatedBundles, 0u);
}

TEST(CheckerTest, Alignment) {
  Assembler in; // promises eight bytes
  in("LD64_bdi", {0, 0, 15, 0});
  EXPECT_EQ(findingsOf(vertexOf(in), "alignment").size(), 0u);
  Assembler out; // promises four bytes, and has eight by chance
  out("ST64_bdi", {0, 1, 15, 0});
  const std::vector<Finding> found = findingsOf(vertexOf(out), "alignment");
  ASSERT_EQ(found.size(), 1u);
  expectIn(found[0].message(), "in field 'out' at byte 0, which is aligned "
                               "only by chance");
  Assembler tested; // looks at the address first
  tested("AND_m_rz", {2, 1, 7})("ST64_bdi", {0, 1, 15, 0});
  EXPECT_EQ(findingsOf(vertexOf(tested), "alignment").size(), 0u);
  Assembler odd; // whether it is that of an odd word
  odd("AND_m_rz", {2, 1, 4})("ST64_bdi", {0, 1, 15, 0});
  EXPECT_EQ(findingsOf(vertexOf(odd), "alignment").size(), 0u);
  Assembler whole; // whether it is that of a whole word: says nothing
  whole("AND_m_rz", {2, 1, 3})("ST64_bdi", {0, 1, 15, 0});
  EXPECT_EQ(findingsOf(vertexOf(whole), "alignment").size(), 1u);
}

TEST(CheckerTest, AlignmentIsTestedByField) {
  Assembler other; // looks at the other field's address
  other("AND_m_rz", {2, 0, 7})("ST64_bdi", {0, 1, 15, 0});
  EXPECT_EQ(findingsOf(vertexOf(other), "alignment").size(), 1u);
  Assembler together; // at both at once
  together("OR_m_rr", {2, 0, 1})("AND_m_rz", {2, 2, 7});
  together("ST64_bdi", {0, 1, 15, 0});
  EXPECT_EQ(findingsOf(vertexOf(together), "alignment").size(), 0u);
  Assembler alike; // whether both are aligned alike, then at one
  alike("XOR_rr", {2, 0, 1})("AND_m_rz", {2, 2, 7})("AND_m_rz", {2, 0, 4});
  alike("ST64_bdi", {0, 1, 15, 0});
  EXPECT_EQ(findingsOf(vertexOf(alike), "alignment").size(), 0u);
  Assembler elsewhere; // at an address that is computed from the field's
  elsewhere("ADD_rs", {2, 1, -64})("AND_m_rz", {2, 2, 7});
  elsewhere("ST64_bdi", {0, 1, 15, 0});
  EXPECT_EQ(findingsOf(vertexOf(elsewhere), "alignment").size(), 0u);
  Assembler end; // at where it ends
  end("ADD_rs", {2, 1, 16})("AND_m_rz", {2, 2, 7})("ST64_bdi", {0, 1, 15, 0});
  EXPECT_EQ(findingsOf(vertexOf(end), "alignment").size(), 0u);
}

TEST(CheckerTest, DeadStores) {
  Assembler twice;
  twice("ST32_m_bdi", {0, 1, 15, 0})("ST32_m_bdi", {15, 1, 15, 0});
  const std::vector<Finding> found = findingsOf(vertexOf(twice));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].check, Check::DeadStores);
  EXPECT_EQ(found[0].place.pc, CodeBase + 12);
  EXPECT_EQ(found[0].other->pc, CodeBase + 8);
  Assembler read;
  read("ST32_m_bdi", {0, 1, 15, 0})("LD32_m_bdi", {2, 1, 15, 0});
  read("ST32_m_bdi", {15, 1, 15, 0});
  EXPECT_EQ(findingsOf(vertexOf(read)).size(), 0u);
}

TEST(CheckerTest, ResultsCyclesAndFaultsAreThoseOfARunWithoutIt) {
  Assembler code;
  code("LD32_m_bdi", {2, 0, 15, 0})("SETZI_m", {3, InAt});
  code("ST32_m_bdi", {2, 0, 15, 2}).align8()("RPT_i", {3, 0});
  code.bundle("LD32STEP_a_i", {0, 15, 3, 1}, "SETZI_a", {1, 0});
  code("ST32_a_bdi", {0, 0, 15, 3});
  Assembler bad = code;
  bad("LD32_m_bdi", {2, 15, 15, 1});
  for (const Assembler &body : {code, bad})
    for (VertexKind kind : {VertexKind::Worker, VertexKind::Multi}) {
      Executable exe = vertexOf(body);
      exe.vertexTypes[0].kind = kind;
      SessionOptions options;
      const Outcome plain = run(exe, options);
      options.watch.checks = *CheckOptions::parse("all");
      const Outcome checked = run(exe, options);
      EXPECT_EQ(checked.results, plain.results);
      EXPECT_EQ(checked.cycles, plain.cycles);
      EXPECT_EQ(checked.bundles, plain.bundles);
      EXPECT_EQ(checked.fault, plain.fault);
    }
}

TEST(CheckerTest, FindingsDoNotDependOnTheThreads) {
  Assembler code;
  code("LD32_m_bdi", {2, 0, 15, 4});
  Executable exe = vertexOf(code);
  exe.tilesPerIpu = 32;
  exe.tileSetup.assign(32, 0);
  exe.memoryEnd.clear();
  exe.tileVertices.clear();
  for (std::uint32_t tile = 5; tile != 32; ++tile) {
    exe.tileVertices.push_back({tile, {0, 1}});
    exe.data.push_back({tile, StateAt, 0, 4, 0});
  }
  exe.computeSets[0].tiles = {0, 27};
  for (unsigned threads : {1u, 4u}) {
    SessionOptions options;
    options.threads = threads;
    options.watch.checks = *CheckOptions::parse("all");
    auto session = Session::create(std::make_shared<Executable>(exe), options);
    session->run(0);
    ASSERT_EQ(session->findings().size(), 1u);
    EXPECT_EQ(session->findings()[0].tile, 5u);
  }
}

} // namespace
