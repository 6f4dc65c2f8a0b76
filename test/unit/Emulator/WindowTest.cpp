// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Workers that run at the same time, executed one after the other or in turns:
// nobody must see which. Random code runs on six workers with registers of
// their own, which point to places of their own, most often, so that a part of
// the programs conflicts; supervisors do random things between starting workers
// and awaiting them. Turns in the interpreter are the judge.

#include "Assembler.h"
#include "RandomCode.h"

#include "runtime/Emulator/Tile/Watch.h"
#include "runtime/Emulator/Windows/Remembered.h"
#include "runtime/Emulator/Windows/Window.h"

#include <gtest/gtest.h>

using namespace populus::runtime;
using namespace populus::runtime::emulator;
using namespace populus::runtime::test;

namespace {

constexpr std::uint64_t CycleLimit = 1 << 20;

/// A tile whose contexts begin in random states, which the seed determines.
struct Machine {
  Machine(const CodeImage &image, std::uint64_t seed) : code(image) {
    Generator random(seed);
    memory = randomMemory(image, random);
    tile.code = &code;
    tile.region0 = Lo;
    tile.loadBytes = Hi - Lo;
    const Address storeLo =
        static_cast<Address>(Lo + image.textBytes) / 16 * 16;
    tile.storeBytes = Hi - storeLo;
    // The distance of the workers' data: none, or within the same words or
    // lines.
    const Address apart = random.oneOf<Address>(
        {0, 4, 8, 0x100, 0x100, 0x1000, 0x1000, 0x1000, 0x1000});
    const std::uint32_t step = random.oneOf<std::uint32_t>({0, 8, 8, 48, 16});
    for (unsigned i = 0; i != tile.contexts.size(); ++i) {
      Context &c = tile.contexts[i];
      c.tile = &tile;
      c.number = i;
      c.lo = Lo;
      c.size = tile.loadBytes;
      c.memory = memory.data();
      c.storeLo = storeLo;
      c.storeSize = tile.storeBytes;
      c.storeMemory = memory.data() + (storeLo - Lo);
      c.interleavedBegin = Interleaved;
      setRegisters(c, random, WorkData + i * apart, step);
    }
  }

  void setRegisters(Context &c, Generator &random, Address at,
                    std::uint32_t step) {
    for (unsigned i = 7; i != 14; ++i)
      c.m[i] = random.below(64);
    for (unsigned i : {0u, 2u})
      c.m[i] = at + random.below(4) * 0x200;
    for (unsigned i : {1u, 3u})
      c.m[i] = step;
    const Address store = at + random.below(4) * 0x200;
    c.m[4] = (at & 0x1fffff) | store << 21;
    c.m[5] = ((at + 0x200) & 0x1fffff) | (store >> 11 & 0x3ff) << 21;
    c.m[6] = random.oneOf<std::uint32_t>({0, 1, 2, 0x3ff, 0x801, 0x80402});
    for (unsigned i = 0; i != 8; ++i)
      c.a[i] = (random.word() & 0x83ff83ff) | 0x3c003c00;
    c.prng[0] = random.word();
    c.prng[1] = random.word();
  }

  void startMulti() {
    for (unsigned i = 0; i != NumWorkers; ++i)
      tile.launch(i, code.find(Lo), WorkData);
  }
  void startSupervisor(Address entry) {
    Context &c = tile.contexts[Supervisor];
    c.m[0] = WorkData;
    c.m[LinkRegister] = SupervisorReturn;
    c.resume = code.find(entry);
    c.active = true;
  }

  Code code;
  std::vector<std::uint8_t> memory;
  Tile tile;
};

/// `memory`: of the vertex that runs in windows.
void compare(Machine &turns, Machine &windows, VertexMemory *memory = nullptr,
             std::uint64_t cycleLimit = CycleLimit) {
  const Context *x = runInterleaved(turns.tile, cycleLimit);
  const Context *y = memory ? memory->run(windows.tile, 0, cycleLimit)
                            : runInterleaved(windows.tile, cycleLimit);
  ASSERT_EQ(x == nullptr, y == nullptr);
  if (x) {
    EXPECT_EQ(x->number, y->number);
    EXPECT_EQ(x->faultKind, y->faultKind);
    EXPECT_EQ(x->faultAddress, y->faultAddress);
    EXPECT_EQ(x->issued, y->issued);
  }
  EXPECT_EQ(turns.tile.now, windows.tile.now);
  EXPECT_EQ(turns.tile.turns, windows.tile.turns);
  EXPECT_EQ(turns.tile.weightLoad, windows.tile.weightLoad);
  EXPECT_TRUE(same(turns.tile.weightRegisters, windows.tile.weightRegisters));
  for (unsigned i = 0; i != turns.tile.contexts.size(); ++i) {
    SCOPED_TRACE(testing::Message() << "context " << i);
    const Context &a = turns.tile.contexts[i], &b = windows.tile.contexts[i];
    for (unsigned r = 0; r != 16; ++r)
      EXPECT_EQ(a.m[r], b.m[r]) << "$m" << r;
    EXPECT_TRUE(std::equal(a.a, a.a + 16, b.a));
    EXPECT_TRUE(sameSums(a.working, b.working));
    EXPECT_TRUE(sameSums(a.staging, b.staging));
    EXPECT_TRUE(same(a.prng, b.prng));
    EXPECT_EQ(a.fpStatus, b.fpStatus);
    EXPECT_EQ(a.fpControl, b.fpControl);
    EXPECT_EQ(a.exited, b.exited);
    EXPECT_EQ(a.active, b.active);
  }
  EXPECT_TRUE(turns.memory == windows.memory);
}

/// Code for workers, but most often such that none faults.
Words goodWorkerCode(Generator &random, std::uint64_t seed) {
  for (unsigned tries = random.below(32);; --tries) {
    const Words words = workerCode(random);
    const CodeImage image = imageOf(words);
    Machine machine(image, seed);
    machine.startMulti();
    if (tries == 0 || !runInterleaved(machine.tile, CycleLimit))
      return words;
  }
}

TEST(WindowTest, MultiVertices) {
  TranslationService service(true);
  unsigned exits = 0, windows = 0;
  for (std::uint64_t seed = 0; seed != 100; ++seed) {
    SCOPED_TRACE(seed);
    Generator random(seed);
    const CodeImage image = imageOf(goodWorkerCode(random, seed));
    Machine turns(image, seed), apart(image, seed);
    Translations translations(service, image);
    apart.tile.translations = &translations;
    turns.startMulti();
    apart.startMulti();
    {
      Machine alone(image, seed);
      alone.tile.translations = &translations;
      alone.startMulti();
      windows += runWindow(alone.tile, 0, CycleLimit);
    }
    compare(turns, apart);
    exits += turns.tile.contexts[0].exited;
  }
  EXPECT_TRUE(service.available());
  // Among programs without a fault, some conflict and some do not.
  EXPECT_GT(windows, 20u);
  EXPECT_GT(exits, windows + 10);
}

/// Workers and a supervisor that starts them.
CodeImage supervisedImage(Generator &random, std::uint64_t seed) {
  Words words = goodWorkerCode(random, seed);
  words.resize(SupervisorAt, rowWord("TRAP", 0));
  const Words supervisor = supervisorCode(random);
  words.insert(words.end(), supervisor.begin(), supervisor.end());
  return imageOf(words);
}

TEST(WindowTest, Supervisors) {
  TranslationService service(true);
  unsigned ends = 0;
  for (std::uint64_t seed = 0; seed != 100; ++seed) {
    SCOPED_TRACE(seed);
    Generator random(seed + 1000);
    const CodeImage image = supervisedImage(random, seed);
    Machine turns(image, seed), apart(image, seed);
    Translations translations(service, image);
    apart.tile.translations = &translations;
    turns.startSupervisor(Lo + 4 * SupervisorAt);
    apart.startSupervisor(Lo + 4 * SupervisorAt);
    compare(turns, apart);
    ends += turns.tile.contexts[Supervisor].exited;
  }
  EXPECT_TRUE(service.available());
  EXPECT_GT(ends, 30u);
}

/// Runs a vertex several times, from the same registers, with memory that is
/// another one now and then.
unsigned compareRemembered(const CodeImage &image, std::uint64_t seed,
                           Translations &translations,
                           void (*start)(Machine &machine)) {
  VertexMemory memory(1);
  Generator changes(seed);
  for (unsigned round = 0; round != 8; ++round) {
    SCOPED_TRACE(round);
    Machine turns(image, seed), apart(image, seed);
    apart.tile.translations = &translations;
    if (round >= 4)
      for (unsigned i = changes.below(200); i != 0; --i) {
        const std::size_t at = WorkData - Lo + 4 * changes.below(0x2000);
        const std::uint32_t value =
            changes.below(2) ? changes.below(64) : changes.word();
        std::memcpy(&turns.memory[at], &value, sizeof(value));
        std::memcpy(&apart.memory[at], &value, sizeof(value));
      }
    start(turns);
    start(apart);
    compare(turns, apart, &memory);
  }
  return memory.numRecalls(0);
}

TEST(WindowTest, RememberedMultiVertices) {
  TranslationService service(true);
  unsigned recalls = 0;
  for (std::uint64_t seed = 0; seed != 40; ++seed) {
    SCOPED_TRACE(seed);
    Generator random(seed + 2000);
    const CodeImage image = imageOf(goodWorkerCode(random, seed));
    Translations translations(service, image);
    recalls += compareRemembered(image, seed, translations,
                                 [](Machine &m) { m.startMulti(); });
  }
  EXPECT_TRUE(service.available());
  EXPECT_GT(recalls, 20u);
}

TEST(WindowTest, RememberedSupervisors) {
  TranslationService service(true);
  unsigned recalls = 0;
  for (std::uint64_t seed = 0; seed != 40; ++seed) {
    SCOPED_TRACE(seed);
    Generator random(seed + 3000);
    const CodeImage image = supervisedImage(random, seed);
    Translations translations(service, image);
    recalls += compareRemembered(image, seed, translations, [](Machine &m) {
      m.startSupervisor(Lo + 4 * SupervisorAt);
    });
  }
  EXPECT_TRUE(service.available());
  EXPECT_GT(recalls, 10u);
}

/// A supervisor by itself: lines, loops, weight loads, and now and then a bad
/// address.
Words loneSupervisorCode(Generator &random) {
  Assembler code;
  code("SETZI_m", {6, std::int64_t(WorkData)})("PUT", {80, 6});
  for (unsigned i = 5 + random.below(100); i != 0; --i)
    switch (random.below(8)) {
    case 0:
      code("LD32_m_bdi", {7, 6, 15, random.below(8)});
      break;
    case 1:
      code("ST32_m_bdi", {7, 6, 15, random.below(8)});
      break;
    case 2:
      code("GET", {8, 96})("MUL_rr", {7, 7, 8});
      break;
    case 3:
      for (unsigned n = random.below(6); n != 0; --n)
        code("LD64PUTCS", {random.below(random.below(30) == 0 ? 80 : 64)});
      break;
    case 4: {
      const std::int64_t loop =
          code("SETZI_m", {9, random.oneOf<unsigned>({0, 3, 40, 2000})})
              .hereWord();
      code("ADD_rr", {7, 7, 9})("BRNZDEC", {9, loop});
      break;
    }
    case 5:
      code("BRZ", {7, code.hereWord() + 1 + random.below(2)});
      break;
    case 6:
      code("SYNC", {2});
      break;
    case 7:
      code("ADD_rs", {6, 6, random.below(40) == 0 ? 2 : 8});
    }
  code("ADD_rr", {7, 7, 7})("BR", {10});
  return code.words;
}

/// Does nothing, slot by slot.
class Onlooker : public Watcher {
  bool before(Context &, const Slot *) override { return true; }
  bool access(Context &c, Address address, unsigned bytes,
              bool store) override {
    return checkBounds(c, address, bytes, store);
  }
};

TEST(WindowTest, SupervisorsByThemselves) {
  unsigned ends = 0, limits = 0, faults = 0;
  for (std::uint64_t seed = 0; seed != 150; ++seed) {
    SCOPED_TRACE(seed);
    Generator random(seed + 5000);
    const CodeImage image = imageOf(loneSupervisorCode(random));
    // The last 4096 cycles in front of a limit are gone slot by slot, too.
    const std::uint64_t limit = seed % 2 ? CycleLimit : 4000 + seed;
    Machine steps(image, seed), lines(image, seed);
    Onlooker onlooker;
    attachWatcher(steps.tile, &onlooker, false);
    steps.startSupervisor(Lo);
    lines.startSupervisor(Lo);
    compare(steps, lines, nullptr, limit);
    const Context &x = steps.tile.contexts[Supervisor];
    const Context &y = lines.tile.contexts[Supervisor];
    EXPECT_EQ(x.issued, y.issued);
    EXPECT_EQ(x.resume ? steps.code.addressOf(x.resume) : 0,
              y.resume ? lines.code.addressOf(y.resume) : 0);
    EXPECT_EQ(x.faultSlot ? steps.code.addressOf(x.faultSlot) : 0,
              y.faultSlot ? lines.code.addressOf(y.faultSlot) : 0);
    ends += x.exited;
    limits += x.faultKind == FaultKind::CycleLimit;
    faults +=
        x.faultKind != FaultKind::None && x.faultKind != FaultKind::CycleLimit;
  }
  EXPECT_GT(ends, 40u);
  EXPECT_GT(limits, 10u);
  EXPECT_GT(faults, 10u);
}

/// A half that may be anything, infinite, or not a number.
void storeHalf(std::vector<std::uint8_t> &memory, std::size_t at,
               Generator &random) {
  const std::uint16_t half = random.oneOf<std::uint16_t>(
      {0, 0x8000, 0x7c00, 0xfc00, 0x7c01, 0xfe00, 0x3c00, 0x0001,
       static_cast<std::uint16_t>(random.word())});
  std::memcpy(&memory[at], &half, sizeof(half));
}

/// A supervisor's loads of weight registers, one or two at once.
struct WeightLoads {
  const char *instruction;
  std::vector<std::int64_t> registers;
  Address from;
};

Words weightLoads(const WeightLoads &loads, bool apart) {
  Assembler code;
  code("SETZI_m", {6, std::int64_t(loads.from)})("PUT", {80, 6});
  for (std::int64_t index : loads.registers) {
    code(loads.instruction, {index});
    if (apart)
      code("SETZI_m", {7, 0});
  }
  code("BR", {10});
  return code.words;
}

/// Loads that follow each other are done at once, others are not.
void compareWeightLoads(const WeightLoads &loads) {
  SCOPED_TRACE(testing::Message()
               << loads.registers.size() << " times " << loads.instruction
               << ", the first of register " << loads.registers.front()
               << ", from " << loads.from);
  const CodeImage one = imageOf(weightLoads(loads, false));
  const CodeImage two = imageOf(weightLoads(loads, true));
  Machine together(one, 1), apart(two, 1);
  for (Machine *machine : {&together, &apart}) {
    Generator random(2);
    for (std::size_t i = WorkData - Lo; i != machine->memory.size(); i += 2)
      storeHalf(machine->memory, i, random);
    machine->startSupervisor(Lo);
  }
  const Context *x = runInterleaved(together.tile, CycleLimit);
  const Context *y = runInterleaved(apart.tile, CycleLimit);
  ASSERT_EQ(x == nullptr, y == nullptr);
  if (x) {
    EXPECT_EQ(x->faultKind, y->faultKind);
    EXPECT_EQ(x->faultAddress, y->faultAddress);
  } else {
    EXPECT_EQ(together.tile.now + loads.registers.size(), apart.tile.now);
    EXPECT_EQ(together.tile.turns + loads.registers.size(), apart.tile.turns);
  }
  EXPECT_EQ(together.tile.weightLoad, apart.tile.weightLoad);
  EXPECT_TRUE(same(together.tile.weightRegisters, apart.tile.weightRegisters));
  for (Machine *machine : {&together, &apart})
    needWeights(machine->tile, HalfWeights | SingleWeights);
  EXPECT_TRUE(same(together.tile.weights, apart.tile.weights));
}

TEST(WindowTest, WeightsLoadedTogether) {
  for (const std::int64_t first : {0, 5, 32, 40})
    for (const std::int64_t number : {1, 24, 33, 64})
      for (const Address from :
           {WorkData, WorkData + 8, WorkData + 4, Hi - 200, Interleaved - 16}) {
        std::vector<std::int64_t> registers, pairs;
        for (std::int64_t i = first; i < std::min(first + number, 66l); ++i) {
          registers.push_back(i);
          pairs.push_back(2 * i - first);
        }
        compareWeightLoads({"LD64PUTCS", registers, from});
        compareWeightLoads({"LD128PUTCS", pairs, from});
      }
}

TEST(WindowTest, WeightsLoadedTogetherInAnyOrder) {
  Generator random(3);
  for (const char *instruction : {"LD64PUTCS", "LD128PUTCS"})
    for (const std::size_t number : {7, 32, 70, 130}) {
      std::vector<std::int64_t> registers;
      for (std::size_t i = 0; i != number; ++i)
        registers.push_back(2 * random.below(32));
      compareWeightLoads({instruction, registers, WorkData});
    }
  // The order of convolutions: groups of eight registers, alternating both
  // sets.
  std::vector<std::int64_t> registers;
  for (const std::int64_t group : {0, 32, 8, 40, 16, 48, 24, 56})
    for (const std::int64_t entry : {0, 2, 4, 6})
      registers.push_back(group + entry);
  compareWeightLoads({"LD128PUTCS", registers, WorkData});
}

TEST(WindowTest, SystemInstructionsInBundles) {
  Assembler code;
  code.bundle("GET", {1, 1}, "SETZI_a", {0, 0x100});        // $WSR
  code.bundle("AND_m_rz", {1, 1, 7}, "UPUT", {1, 0});       // $FP_CLR
  code.bundle("GET", {2, 0}, "SETZI_a", {1, 3});            // $PC
  code.bundle("GET", {3, 96}, "F32ADD", {2, 3, 4});         // $COUNT_L
  code.bundle("ST32_m_bdi", {1, 0, 15, 0}, "UPUT", {2, 1}); // $FP_CTL
  code("ST32_m_bdi", {2, 0, 15, 1})("ST32_m_bdi", {3, 0, 15, 2})("EXITZ", {15});
  const CodeImage image = imageOf(code.words);
  TranslationService service(true);
  Translations translations(service, image);
  Machine turns(image, 1), apart(image, 1), alone(image, 1);
  for (Machine *machine : {&turns, &apart, &alone}) {
    for (unsigned i = 0; i != NumWorkers; ++i)
      machine->tile.contexts[i].m[0] = WorkData + 0x100 * i;
    machine->startMulti();
  }
  apart.tile.translations = &translations;
  alone.tile.translations = &translations;
  EXPECT_TRUE(runWindow(alone.tile, 0, CycleLimit));
  EXPECT_EQ(alone.tile.contexts[5].m[1], 5u);
  compare(turns, apart);
}

TEST(WindowTest, LongWorkers) {
  Assembler code;
  code("LD32_m_bdi", {0, 13, 15, 0})("GET", {1, 1})("AND_m_rz", {1, 1, 7});
  code("SETZI_m", {8, 70000});
  const std::int64_t loop = code.hereWord();
  code("ADD_rs", {3, 3, 1})("BRNZDEC", {8, loop});
  code("STM32", {3, 0, 1})("EXITZ", {15});
  const Outcome outcome = test::run(oneVertex(code, VertexKind::Multi));
  EXPECT_EQ(outcome.fault, "");
  for (unsigned i = 0; i != 6; ++i)
    EXPECT_EQ(outcome.results[i], 70001u);
}

TEST(WindowTest, WorkersThatWaitForEachOtherLate) {
  // Worker 0 waits for what worker 5 stores in the end.
  Assembler code;
  code("LD32_m_bdi", {0, 13, 15, 0})("GET", {1, 1})("AND_m_rz", {1, 1, 7});
  const std::int64_t begin = code.hereWord();
  code("BRNZ", {1, begin + 4});
  code("LD32_m_bdi", {2, 0, 15, 5});
  code("BRZ", {2, begin + 1});
  code("BRI", {begin + 7});
  code("SETZI_m", {8, 70000});
  code("ADD_rs", {3, 3, 1})("BRNZDEC", {8, begin + 5});
  code("ADD_rs", {2, 2, 1})("STM32", {2, 0, 1})("EXITZ", {15});
  const Outcome outcome = test::run(oneVertex(code, VertexKind::Multi));
  EXPECT_EQ(outcome.fault, "");
  EXPECT_EQ(outcome.results[0], 2u);
  EXPECT_EQ(outcome.results[5], 1u);
}

TEST(WindowTest, WorkersThatWaitForTheSupervisor) {
  Assembler code;
  constexpr unsigned Worker = 16;
  code("LD32_m_bdi", {7, 0, 15, 0});
  code("SETZI_m", {4, CodeBase + 4 * Worker});
  code("SETZI_m", {5, StateAt - CodeBase})("SETZI_m", {6, 3});
  for (unsigned i = 0; i != 2; ++i) {
    code("RUN", {4, 5, 0})("ST32_m_bdi", {6, 7, 15, 0})("SYNC", {2});
    code("ST32_m_bdi", {15, 7, 15, 0});
  }
  code("BR", {10});
  while (code.words.size() != Worker)
    code("TRAP", {0});
  code("LD32_m_bdi", {0, 13, 15, 0});
  const std::int64_t loop = code.hereWord();
  code("LD32_m_bdi", {2, 0, 15, 0})("BRZ", {2, loop});
  code("LD32_m_bdi", {3, 0, 15, 1})("ADD_rr", {3, 3, 2});
  code("ST32_m_bdi", {3, 0, 15, 1})("EXITZ", {15});
  const Outcome outcome = test::run(oneVertex(code, VertexKind::Supervisor));
  EXPECT_EQ(outcome.fault, "");
  EXPECT_EQ(outcome.results[1], 6u);
}

} // namespace
