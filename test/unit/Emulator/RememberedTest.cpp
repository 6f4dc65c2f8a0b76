// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vertices that run again and again, remembered, against turns in the
// interpreter: with other data they go the same way and need no records; with
// another word that their way depends on they do what they would have done
// without memory. Random ones are in WindowTest.cpp.

#include "Assembler.h"

#include "runtime/Emulator/Semantics/FloatEnvironment.h"
#include "runtime/Emulator/Tile/Launch.h"
#include "runtime/Emulator/Translation/Translations.h"
#include "runtime/Emulator/Windows/Remembered.h"
#include "runtime/Target/TargetInfo.h"

#include <gtest/gtest.h>

using namespace populus::runtime;
using namespace populus::runtime::emulator;
using namespace populus::runtime::test;

namespace {

constexpr std::uint64_t CycleLimit = 1 << 20;

/// Words of the vertex's state behind the address of the results.
constexpr Address RoundsAt = StateAt + 4, MaskAt = StateAt + 8,
                  PointerAt = StateAt + 12, DataAt = StateAt + 64;

/// A tile with a vertex that begins at the start of the code.
struct Machine {
  explicit Machine(const Executable &executable)
      : executable(executable), code(executable.images[0]),
        memory(findTarget("ipu2")->regions[1].end - CodeBase),
        tile(makeTile(executable, 0, &code, memory.data(), nullptr)) {
    const CodeImage &image = executable.images[0];
    std::copy(image.bytes.begin(), image.bytes.end(), memory.begin());
    set(StateAt, ResultAt);
    set(RoundsAt, 3);
    set(MaskAt, 7);
    set(PointerAt, DataAt);
    set(DataAt, asBits(1.5f));
  }

  void set(Address address, std::uint32_t value) {
    std::memcpy(&memory[address - CodeBase], &value, sizeof(value));
  }
  std::uint32_t at(Address address) const {
    std::uint32_t value;
    std::memcpy(&value, &memory[address - CodeBase], sizeof(value));
    return value;
  }

  const Executable &executable;
  Code code;
  std::vector<std::uint8_t> memory;
  std::unique_ptr<Tile> tile;
};

class RememberedTest : public testing::Test {
protected:
  void load(const Assembler &code, VertexKind kind) {
    executable = oneVertex(code, kind);
    service.emplace(true);
    translations.emplace(*service, executable.images[0]);
    turns.emplace(executable);
    again.emplace(executable);
    again->tile->translations = &*translations;
  }

  void set(Address address, std::uint32_t value) {
    turns->set(address, value);
    again->set(address, value);
  }

  /// Runs the vertex in both ways; gives what it stopped by.
  FaultKind run() {
    startAlone(*turns->tile, executable, executable.vertices[0]);
    startAlone(*again->tile, executable, executable.vertices[0]);
    const Context *x = runInterleaved(*turns->tile, CycleLimit);
    const Context *y = memory.run(*again->tile, 0, CycleLimit);
    EXPECT_EQ(x == nullptr, y == nullptr);
    EXPECT_TRUE(turns->memory == again->memory);
    EXPECT_EQ(turns->tile->now, again->tile->now);
    EXPECT_EQ(turns->tile->turns, again->tile->turns);
    for (std::size_t i = 0; i != turns->tile->contexts.size(); ++i)
      EXPECT_TRUE(std::equal(std::begin(turns->tile->contexts[i].m),
                             std::end(turns->tile->contexts[i].m),
                             again->tile->contexts[i].m))
          << "context " << i;
    if (!x || !y)
      return FaultKind::None;
    EXPECT_EQ(x->faultKind, y->faultKind);
    EXPECT_EQ(x->faultAddress, y->faultAddress);
    return x->faultKind;
  }
  void runTimes(unsigned times) {
    for (unsigned i = 0; i != times; ++i) {
      set(DataAt, asBits(0.5f * static_cast<float>(i)));
      EXPECT_EQ(run(), FaultKind::None);
    }
  }
  std::uint32_t recalls() const { return memory.numRecalls(0); }

  Executable executable;
  std::optional<TranslationService> service;
  std::optional<Translations> translations;
  std::optional<Machine> turns, again;
  VertexMemory memory{1};
};

/// A worker that adds data to a result of its own, as often as the state says:
/// `count` leaves the number of rounds in $m2.
void addWorker(Assembler &code, const Assembler &count) {
  code("LD32_m_bdi", {0, 13, 15, 0})("GET", {1, 1})("AND_m_rz", {1, 1, 7});
  for (std::uint32_t word : count.words)
    code.word(word);
  code("LD32_m_bdi", {3, 13, 15, 2})("LD32_m_bdi", {5, 13, 15, 3});
  code("AND_m_rr", {4, 1, 3})("SHL_rz", {4, 4, 2})("ADD_rr", {6, 0, 4});
  code("LD32_a_bdi", {0, 5, 15, 0})("LD32_a_bdi", {1, 6, 15, 0});
  const std::int64_t loop = code.hereWord();
  code("F32ADD", {1, 1, 0})("BRNZDEC", {2, loop});
  code("ST32_a_bdi", {1, 6, 15, 0})("EXITZ", {15});
}

Assembler worker(const Assembler &count) {
  Assembler code;
  addWorker(code, count);
  return code;
}

Assembler loadedCount() { return Assembler()("LD32_m_bdi", {2, 13, 15, 1}); }

Assembler usualWorker() { return worker(loadedCount()); }

TEST_F(RememberedTest, OtherDataIsNoOtherWay) {
  load(usualWorker(), VertexKind::Multi);
  runTimes(2);
  EXPECT_EQ(recalls(), 0u);
  runTimes(5);
  EXPECT_EQ(recalls(), 5u);
  EXPECT_TRUE(service->available());
}

TEST_F(RememberedTest, MoreRounds) {
  load(usualWorker(), VertexKind::Multi);
  runTimes(3);
  set(RoundsAt, 70);
  runTimes(1);
  EXPECT_EQ(recalls(), 1u);
  // It learns again, after a while.
  runTimes(4);
  EXPECT_EQ(recalls(), 3u);
}

TEST_F(RememberedTest, WorkersThatBeginToConflict) {
  load(usualWorker(), VertexKind::Multi);
  runTimes(3);
  set(MaskAt, 0);
  runTimes(2);
  EXPECT_EQ(recalls(), 1u);
  set(MaskAt, 7);
  runTimes(8);
  EXPECT_GT(recalls(), 1u);
}

TEST_F(RememberedTest, FaultsOfAnotherAddress) {
  load(usualWorker(), VertexKind::Multi);
  runTimes(3);
  set(PointerAt, 6);
  EXPECT_EQ(run(), FaultKind::Misaligned);
  EXPECT_EQ(recalls(), 1u);
}

TEST_F(RememberedTest, AWayThatKeepsChanging) {
  load(usualWorker(), VertexKind::Multi);
  for (unsigned i = 1; i != 40; ++i) {
    set(RoundsAt, i);
    runTimes(1);
  }
  EXPECT_EQ(recalls(), 0u);
}

TEST_F(RememberedTest, FewerCyclesThanItTakes) {
  load(usualWorker(), VertexKind::Multi);
  runTimes(3);
  startAlone(*again->tile, executable, executable.vertices[0]);
  const Context *stopped = memory.run(*again->tile, 0, 50);
  ASSERT_TRUE(stopped);
  EXPECT_EQ(stopped->faultKind, FaultKind::CycleLimit);
}

TEST_F(RememberedTest, EnabledExceptions) {
  load(usualWorker(), VertexKind::Multi);
  turns->tile->fpInitialControl = FpOverflow;
  again->tile->fpInitialControl = FpOverflow;
  runTimes(4);
  EXPECT_EQ(recalls(), 0u);
  set(DataAt, 0x7f7fffff);
  EXPECT_EQ(run(), FaultKind::FloatOverflow);
}

TEST_F(RememberedTest, ExceptionsEnabledAfterwards) {
  load(usualWorker(), VertexKind::Multi);
  runTimes(3);
  turns->tile->fpInitialControl = FpOverflow;
  again->tile->fpInitialControl = FpOverflow;
  set(DataAt, 0x7f7fffff);
  EXPECT_EQ(run(), FaultKind::FloatOverflow);
}

TEST_F(RememberedTest, DataThatSaysHowOften) {
  load(worker(Assembler()("LD32_a_bdi", {2, 13, 15, 1})("ATOM", {2, 2})),
       VertexKind::Multi);
  for (unsigned i = 1; i != 6; ++i) {
    set(RoundsAt, i);
    runTimes(1);
  }
  EXPECT_EQ(recalls(), 0u);
}

TEST_F(RememberedTest, DataThatGoesThroughMemory) {
  // $a2 to a word of the worker's own, and from there to $m2.
  load(worker(Assembler()("LD32_a_bdi", {2, 13, 15, 1})(
           "ST32_a_bdi", {2, 12, 15, 0})("LD32_m_bdi", {2, 12, 15, 0})),
       VertexKind::Multi);
  for (unsigned i = 1; i != 6; ++i) {
    set(RoundsAt, i);
    runTimes(1);
  }
  EXPECT_EQ(recalls(), 0u);
}

TEST_F(RememberedTest, TheTime) {
  load(worker(Assembler()("GET", {2, 96})("AND_m_rz", {2, 2, 31})),
       VertexKind::Multi);
  runTimes(5);
  EXPECT_EQ(recalls(), 0u);
}

TEST_F(RememberedTest, RegistersThatAreLeftBehind) {
  load(worker(Assembler()("OR_m_rr", {2, 9, 15})), VertexKind::Multi);
  for (const std::uint32_t rounds : {2, 2, 2, 9, 9, 9, 9, 9}) {
    turns->tile->contexts[4].m[9] = rounds;
    again->tile->contexts[4].m[9] = rounds;
    runTimes(1);
  }
  EXPECT_EQ(recalls(), 3u);
}

/// Starts workers twice, with the number of rounds that `first` and `second`
/// leave in $m2; $m7 is the state.
Assembler supervisor(const Assembler &first, const Assembler &second) {
  constexpr unsigned Worker = 32;
  Assembler code;
  code("SETZI_m", {4, CodeBase + 4 * Worker})("OR_m_rr", {7, 0, 15});
  for (const Assembler *rounds : {&first, &second}) {
    for (std::uint32_t word : rounds->words)
      code.word(word);
    code("ST32_m_bdi", {2, 7, 15, 1})("RUNALL", {4, 7, 0})("SYNC", {2});
  }
  code("BR", {10});
  while (code.words.size() != Worker)
    code("TRAP", {0});
  addWorker(code, loadedCount());
  return code;
}

/// Supervisors load numbers from here: in words behind the state, and the
/// address.
constexpr std::int64_t FirstWord = 4;
constexpr Address FirstAt = StateAt + 4 * FirstWord;

TEST_F(RememberedTest, WhatSupervisorsHaveStored) {
  load(supervisor(Assembler()("LD32_m_bdi", {2, 7, 15, FirstWord}),
                  Assembler()("ADD_rs", {2, 2, 5})),
       VertexKind::Supervisor);
  set(FirstAt, 3);
  runTimes(5);
  EXPECT_EQ(recalls(), 3u);
  set(FirstAt, 8);
  runTimes(5);
  EXPECT_EQ(recalls(), 5u);
}

TEST_F(RememberedTest, SupervisorsThatReadResults) {
  // A result decides on the number of rounds.
  load(supervisor(Assembler()("LD32_m_bdi", {2, 7, 15, FirstWord}),
                  Assembler()("LD32_m_bdi", {3, 7, 15, 0})(
                      "LD32_m_bdi", {2, 3, 15, 0})("SHR_rz", {2, 2, 26})),
       VertexKind::Supervisor);
  set(FirstAt, 3);
  runTimes(6);
  EXPECT_EQ(recalls(), 0u);
}

TEST_F(RememberedTest, SupervisorsThatCount) {
  // The number is another one each time.
  load(supervisor(Assembler()("LD32_m_bdi", {2, 7, 15, FirstWord})(
                      "ADD_rs", {2, 2, 1})("ST32_m_bdi", {2, 7, 15, FirstWord}),
                  Assembler()),
       VertexKind::Supervisor);
  set(FirstAt, 3);
  runTimes(6);
  EXPECT_EQ(recalls(), 0u);
}

TEST_F(RememberedTest, SupervisorsThatLookAtTheTime) {
  load(supervisor(Assembler()("GET", {2, 96})("AND_m_rz", {2, 2, 7}),
                  Assembler()),
       VertexKind::Supervisor);
  runTimes(6);
  EXPECT_EQ(recalls(), 0u);
}

} // namespace
