// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random code, interpreted and translated, from random states: all of the state
// and of memory, the turns, and where and why it stopped are the same. The
// interpreter is the judge: translation must not be seen, nor recording.

#include "Assembler.h"
#include "RandomCode.h"

#include "runtime/Emulator/Translation/Translations.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <memory>

using namespace populus::runtime;
using namespace populus::runtime::emulator;
using namespace populus::runtime::test;

namespace {

// Translated code leaves the last 9,600 turns to the interpreter.
constexpr std::int64_t TurnLimit = 12000;
constexpr std::uint32_t AddressMask = 0x1fffff;

/// A tile that begins in a random state, which the seed determines.
struct Machine {
  Machine(const CodeImage &image, std::uint64_t seed) : code(image) {
    Generator random(seed);
    memory = randomMemory(image, random);
    tile.code = &code;
    Context &c = tile.contexts[0];
    c.tile = &tile;
    c.lo = Lo;
    c.size = Hi - Lo;
    c.memory = memory.data();
    c.storeLo = static_cast<Address>(Lo + image.textBytes) / 16 * 16;
    c.storeSize = Hi - c.storeLo;
    c.storeMemory = memory.data() + (c.storeLo - Lo);
    c.interleavedBegin = Interleaved;
    for (unsigned i = 7; i != 14; ++i)
      c.m[i] = random.below(2) == 0 ? random.below(64) : random.pointer();
    // Bases and offsets, a triple of addresses, strides.
    for (unsigned i : {0u, 2u})
      c.m[i] = random.pointer();
    for (unsigned i : {1u, 3u})
      c.m[i] = random.oneOf<std::uint32_t>({0, 0, 8, 16, 0u - 16});
    const std::uint32_t store = random.pointer();
    c.m[4] = (random.pointer() & AddressMask) | store << 21;
    c.m[5] = (random.pointer() & AddressMask) | (store >> 11 & 0x3ff) << 21;
    c.m[6] = random.oneOf<std::uint32_t>({0, 1, 2, 0x3ff, 0x801, 0x80402});
    for (unsigned i = 0; i != 8; ++i)
      c.a[i] = (random.word() & 0x83ff83ff) | 0x3c003c00;
    for (auto *set : {c.working, c.staging})
      for (unsigned i = 0; i != 16; ++i)
        set[i / 8][i % 8] = static_cast<float>(random.below(1000));
    for (auto &column : tile.weights.half)
      for (auto &channel : column)
        for (unsigned i = 0; i != 16; ++i)
          channel[i / 8][i % 8] = static_cast<float>(random.below(16));
    c.fpControl = random.below(4) == 0 ? random.word() & 0x180007 : 0;
    tile.fpInitialControl = c.fpControl;
    c.tas = 0x3c003c00;
    c.prng[0] = random.word();
    c.prng[1] = random.word();
  }

  void run(Translations *translations) {
    tile.translations = translations;
    tile.launch(0, code.find(Lo), 0x90000);
    runWorker(tile, 0, TurnLimit);
  }

  Code code;
  std::vector<std::uint8_t> memory;
  Tile tile;
};

/// Counts the outcomes, to show that the programs reach all of them.
struct Ends {
  unsigned exits = 0, faults = 0, faultsInRounds = 0;
};

void expectSame(const Machine &one, const Machine &other) {
  const Context &x = one.tile.contexts[0];
  const Context &y = other.tile.contexts[0];
  EXPECT_EQ(x.issued, y.issued);
  EXPECT_EQ(x.exited, y.exited);
  EXPECT_EQ(x.exitStatus, y.exitStatus);
  for (unsigned i = 0; i != 16; ++i)
    EXPECT_EQ(x.m[i], y.m[i]) << "$m" << i;
  for (unsigned i = 0; i != 16; ++i)
    EXPECT_EQ(x.a[i], y.a[i]) << "$a" << i;
  EXPECT_TRUE(sameSums(x.working, y.working));
  EXPECT_TRUE(sameSums(x.staging, y.staging));
  EXPECT_TRUE(same(x.prng, y.prng));
  EXPECT_EQ(x.fpStatus, y.fpStatus);
  EXPECT_EQ(x.fpControl, y.fpControl);
  EXPECT_EQ(x.tas, y.tas);
  EXPECT_EQ(x.repeatCount, y.repeatCount);
  EXPECT_EQ(x.debugData, y.debugData);
  EXPECT_TRUE(one.memory == other.memory);
}

/// Code that records what it accesses does the same, if it does not fault, and
/// can be undone.
void compareRecording(const Machine &interpreted, Machine &recording,
                      Translations &translations) {
  const auto record = std::make_unique<AccessRecord>();
  const std::vector<std::uint8_t> before = recording.memory;
  Tile &tile = recording.tile;
  Context &c = tile.contexts[0];
  tile.translations = &translations;
  tile.launch(0, recording.code.find(Lo), 0x90000);
  record->begin(recording.memory.data());
  record->enter(0);
  c.record = record.get();
  EXPECT_EQ(runRecording(tile, 0, TurnLimit),
            interpreted.tile.contexts[0].exited);
  if (c.exited)
    expectSame(interpreted, recording);
  record->undo();
  EXPECT_TRUE(recording.memory == before);
}

void compare(const Words &words, std::uint64_t seed,
             TranslationService &service, Ends &ends,
             const std::function<void(Context &)> &prepare = {}) {
  const CodeImage image = imageOf(words);
  Machine interpreted(image, seed), translated(image, seed),
      recording(image, seed);
  Translations translations(service, image);
  if (prepare)
    for (Machine *machine : {&interpreted, &translated, &recording})
      prepare(machine->tile.contexts[0]);
  interpreted.run(nullptr);
  translated.run(&translations);
  ASSERT_TRUE(service.available());
  const Context &x = interpreted.tile.contexts[0];
  const Context &y = translated.tile.contexts[0];
  EXPECT_EQ(x.faultKind, y.faultKind);
  EXPECT_EQ(x.faultAddress, y.faultAddress);
  if (x.faultSlot && interpreted.code.contains(x.faultSlot)) {
    ASSERT_TRUE(y.faultSlot && translated.code.contains(y.faultSlot));
    EXPECT_EQ(interpreted.code.addressOf(x.faultSlot),
              translated.code.addressOf(y.faultSlot));
  }
  expectSame(interpreted, translated);
  if (prepare)
    compareRecording(interpreted, recording, translations);
  ends.exits += x.exited;
  ends.faults += x.faultKind != FaultKind::None;
  ends.faultsInRounds += x.faultKind != FaultKind::None && x.repeatCount != 0;
}

TEST(RandomProgramTest, StraightLines) {
  TranslationService service(true);
  Ends ends;
  for (std::uint64_t seed = 0; seed != 40; ++seed) {
    SCOPED_TRACE(seed);
    Generator random(seed);
    Words words;
    while (words.size() < 24)
      if (random.below(3) == 0)
        addBundle(words, random);
      else
        words.push_back(random.instruction(
            [](const RowInfo &row) { return !row.isControl; }));
    compare(words, seed, service, ends);
  }
  EXPECT_GT(ends.faults, 20u);
}

// The same registers walk through memory in most rounds, so all the kinds of
// post-increments are tested in advance, or cannot be.
TEST(RandomProgramTest, HardwareLoops) {
  TranslationService service(true);
  Ends ends;
  for (std::uint64_t seed = 0; seed != 100; ++seed) {
    SCOPED_TRACE(seed);
    Generator random(seed);
    const std::uint32_t bundles = 1 + random.below(4);
    const std::uint32_t count = random.oneOf<std::uint32_t>({0, 1, 2, 7, 40});
    Words words;
    words.push_back(random.instruction(isPlainMain));
    words.push_back(repeatWord(count, bundles));
    for (std::uint32_t i = 0; i != bundles; ++i)
      addBundle(words, random);
    words.push_back(exitWord());
    compare(words, seed, service, ends);
  }
  EXPECT_GT(ends.exits, 20u);
  EXPECT_GT(ends.faultsInRounds, 20u);
}

// A maximum of which one side is known to be a number is a function of the C
// library to LLVM.
TEST(RandomProgramTest, MaximumOfKnownBits) {
  TranslationService service(true);
  Ends ends;
  for (const char *most : {"F16V2MAXC", "F16V4MAXC"}) {
    test::Assembler code;
    code("OR_m_rz", {9, 15, 0})("RPT_i", {40, 1});
    code.bundle("OR_m_rz", {9, 15, 0}, "AND_a_rz", {3, 5, 2});
    code.bundle("LD32STEP_a_i", {2, 8, 1, 1}, most, {4, 2});
    code("EXITZ", {15});
    compare(code.words, 7, service, ends, [&](Context &c) {
      c.m[8] = 0x90000;
      c.m[1] = 0;
    });
  }
  EXPECT_EQ(ends.exits, 2u);
}

// Loops of 20 rounds that walk over an end of memory, or up to it, with each
// way to step, and with pointers that are not aligned.
TEST(RandomProgramTest, EndsOfMemory) {
  using test::Assembler;
  using Body = std::function<void(Assembler &)>;
  const std::vector<Body> bodies = {
      [](Assembler &code) {
        code.bundle("LD64STEP_i", {0, 0, 1, 1}, "F32V2ADD", {4, 4, 0});
      },
      [](Assembler &code) {
        code.bundle("LD64STEP_i", {0, 0, 1, -1}, "F32V2ADD", {4, 4, 0});
      },
      [](Assembler &code) {
        code.bundle("LD32STEP_a_r", {0, 0, 1, 6}, "F32V2ADD", {4, 4, 0});
      },
      [](Assembler &code) {
        code.bundle("ST64STEP_i", {4, 0, 1, 1}, "F32V2ADD", {4, 4, 0});
        code.bundle("LD64STEP_i", {0, 0, 1, 1}, "F32V2ADD", {4, 4, 0});
      },
      [](Assembler &code) {
        code.bundle("LD2X64PACE", {0, 2, 4, 6, 0}, "F32V2MAC", {0, 2});
      },
      [](Assembler &code) {
        code.bundle("LD2X64PACE", {0, 2, 4, 6, 5}, "F32V2MAC", {0, 2});
      },
      [](Assembler &code) {
        code.bundle("LDST64PACE", {0, 4, 4, 6, 4}, "F32V2ADD", {4, 4, 0});
      },
  };
  std::vector<Address> pointers;
  for (Address k : {0u, 1u, 2u, 10u, 19u, 20u, 21u, 40u}) {
    pointers.push_back(Hi - 8 * k);
    pointers.push_back(Lo + 8 * k);
  }
  pointers.insert(pointers.end(), {0x90004, 0x90001, 0x80000000, Hi - 4});
  TranslationService service(true);
  Ends ends;
  for (std::size_t i = 0; i != bodies.size(); ++i) {
    Assembler code;
    code("OR_m_rz", {9, 15, 0})("RPT_i", {20, i == 3 ? 1 : 0});
    bodies[i](code);
    code("EXITZ", {15});
    for (Address pointer : pointers)
      for (std::uint32_t stride : {1u, 2u, 0x3ffu, 0xffffffffu}) {
        SCOPED_TRACE(testing::Message() << "body " << i << " at " << std::hex
                                        << pointer << " stride " << stride);
        compare(code.words, 7, service, ends, [&](Context &c) {
          c.m[0] = pointer;
          c.m[1] = 0;
          c.m[4] = (pointer & AddressMask) | 0x90000u << 21;
          c.m[5] = 0x90000 | (0x90000u >> 11 & 0x3ff) << 21;
          c.m[6] = stride;
        });
      }
  }
  EXPECT_GT(ends.exits, 100u);
  EXPECT_GT(ends.faultsInRounds, 100u);
}

// Long loops in which something is not finite in one round, or in none:
// translated code assumes that nothing is, and has to find out in time.
TEST(RandomProgramTest, UnusualRounds) {
  using test::Assembler;
  using Body = std::function<void(Assembler &)>;
  constexpr std::int64_t Rounds = 600;
  const std::vector<Body> bodies = {
      [](Assembler &code) { // y += a * x in place, as the compiler does it
        code.bundle("LD32STEP_a_i", {2, 15, 1, 1}, "F32ADD", {5, 4, 3});
        code.bundle("LD32STEP_a_i", {3, 15, 2, 1}, "F32MUL", {4, 0, 2});
        code.bundle("ST32STEP_a_i", {5, 15, 3, 1}, "F32ADD", {5, 4, 3});
      },
      [](Assembler &code) { // a sum, which is not finite ever after
        code.bundle("LD32STEP_a_i", {2, 15, 1, 1}, "F32MUL", {4, 2, 3});
        code.bundle("LD32STEP_a_i", {3, 15, 2, 1}, "F32ADD", {5, 5, 4});
      },
      [](Assembler &code) { // the same value in doubt twice, and not at all
        code.bundle("LD32STEP_a_i", {2, 15, 1, 1}, "F32SUB", {4, 2, 2});
        code.bundle("LD32STEP_a_i", {3, 15, 2, 1}, "F32ADD", {4, 2, 3});
        code.bundle("ST32STEP_a_i", {4, 15, 3, 1}, "F32MAX", {2, 3, 4});
      },
      [](Assembler &code) {
        code.bundle("LD2XST64PACE", {0, 4, 4, 6, 0}, "F32V2ADD", {4, 0, 2});
      },
      [](Assembler &code) { // stores twice, to the same places
        code.bundle("LD2XST64PACE", {0, 4, 4, 6, 0x3f}, "F16V4MUL", {4, 0, 2});
        code.bundle("ST64STEP_i", {4, 15, 3, 1}, "F16V4ADD_bl", {4, 0, 2});
      },
      [](Assembler &code) {
        code.bundle("LD2X64PACE", {0, 2, 4, 6, 0}, "F32V2AXPY", {4, 0, 2});
        code.bundle("ST64STEP_i", {4, 15, 3, 1}, "F32V2ABSADD", {2, 4, 0});
      },
      [](Assembler &code) {
        code.bundle("LD2XST64PACE", {0, 4, 4, 6, 0}, "F16V4SISOAMP",
                    {4, 0, 2, 1});
      },
      [](Assembler &code) { // the triple is looked at
        code.bundle("LD2X64PACE", {0, 2, 4, 6, 0}, "F16V8ACC", {0});
        code.bundle("ADD_rr", {7, 4, 5}, "F16V2ADD", {4, 0, 2});
      },
      [](Assembler &code) { // only one in two of what it stores is its own
        code.bundle("LD64STEP_i", {0, 15, 1, 1}, "F32V2MUL_b", {4, 0, 2});
        code.bundle("ST64STEP_i", {4, 15, 3, 2}, "F32V2SUB", {2, 0, 4});
      },
      [](Assembler &code) { // backwards, over what it reads
        code.bundle("LD64STEP_i", {0, 15, 1, -1}, "F32V2ADD", {4, 4, 0});
        code.bundle("ST64STEP_i", {4, 15, 2, -1}, "F32V2MUL", {2, 4, 0});
      },
  };
  constexpr Address X = 0x82000, Y = 0x84000;
  constexpr std::int64_t None = -1;
  TranslationService service(true);
  Ends ends;
  for (std::size_t i = 0; i != bodies.size(); ++i) {
    Assembler body, code;
    bodies[i](body);
    code("OR_m_rz", {9, 15, 0});
    code("RPT_i", {Rounds, std::int64_t(body.words.size() / 2) - 1});
    code.words.insert(code.words.end(), body.words.begin(), body.words.end());
    code("EXITZ", {15});
    for (std::int64_t place : {None, 0l, 1l, 255l, 256l, 300l, Rounds - 1})
      for (std::uint32_t value : {0x7f800000u, 0x7fc12345u, 0x7f7fffffu})
        for (std::uint32_t control : {0u, 1u, 4u, 0x80000u}) {
          SCOPED_TRACE(testing::Message()
                       << "body " << i << ", " << std::hex << value << " at "
                       << place << ", control " << control);
          compare(code.words, 11, service, ends, [&](Context &c) {
            const bool backwards = i == 9;
            const std::uint32_t far = backwards ? 8 * (Rounds - 1) : 0;
            for (std::uint32_t k = 0; k != 4 * Rounds; ++k) {
              const std::uint32_t usual = 0x3f803c00 + k;
              std::memcpy(c.memory + (X - Lo) + 4 * k, &usual, 4);
            }
            if (place != None)
              std::memcpy(c.memory + (X - Lo) + 8 * place, &value, 4);
            c.m[1] = X + far;
            c.m[2] = Y + far;
            c.m[3] = Y;
            c.m[4] = X | Y << 21;
            c.m[5] = Y | (Y >> 11 & 0x3ff) << 21;
            c.m[6] = 1;
            c.a[0] = 0x3e803c01;
            c.tas = 0x3f003c02;
            c.tile->fpInitialControl = control;
          });
        }
  }
  EXPECT_GT(ends.exits, 500u);
  EXPECT_GT(ends.faultsInRounds, 50u);
}

// Translated code carries these sums from round to round in double precision.
TEST(RandomProgramTest, SumsOfProductsOfHalves) {
  using test::Assembler;
  constexpr Address X = 0x82000, Y = 0x84000;
  constexpr std::uint32_t Rounds = 50;
  Assembler one, two;
  one("OR_m_rz", {9, 15, 0})("RPT_i", {Rounds, 0});
  one.bundle("LD2X64PACE", {0, 2, 4, 6, 0}, "F16V4CMAC", {0, 2});
  two("OR_m_rz", {9, 15, 0})("RPT_i", {Rounds / 2, 1});
  two.bundle("LD2X64PACE", {0, 2, 4, 6, 0}, "F16V4CMAC", {0, 2});
  two.bundle("LD2X64PACE", {4, 2, 4, 6, 0}, "F16V4CMAC", {4, 2});
  TranslationService service(true);
  Ends ends;
  for (Assembler *code : {&one, &two}) {
    (*code)("EXITZ", {15});
    for (std::uint64_t seed = 0; seed != 60; ++seed) {
      SCOPED_TRACE(seed);
      Generator random(seed);
      // All, none, or a few bits of the products may count.
      const auto mask = random.oneOf<std::uint16_t>(
          {0xffff, 0xffff, 0x83ff, 0xbc00, 0x8000, 0xc3ff});
      const std::uint16_t most = seed % 8 == 7 ? 0x7c00 : 0x7bff;
      std::vector<std::uint16_t> halves(8 * Rounds);
      for (std::uint16_t &half : halves) {
        half = static_cast<std::uint16_t>(random.word()) & mask;
        if ((half & 0x7fff) > most)
          half &= 0xbfff;
      }
      const std::array<std::uint32_t, 2> sums = {
          random.oneOf<std::uint32_t>({0, 0x80000000, 0x7f7fffff, 0xff7fffff, 1,
                                       0x807fffff, 0x00800000, 0x7f800000,
                                       0x7fc12345, 0x4b000001}),
          random.word()};
      compare(code->words, seed, service, ends, [&](Context &c) {
        std::memcpy(c.memory + (X - Lo), halves.data(), 8 * Rounds);
        std::memcpy(c.memory + (Y - Lo), &halves[4 * Rounds], 8 * Rounds);
        std::memcpy(c.working[0], sums.data(), sizeof(sums));
        c.m[4] = X | Y << 21;
        c.m[5] = Y | (Y >> 11 & 0x3ff) << 21;
      });
    }
  }
  EXPECT_EQ(ends.exits, 120u);
}

struct Unit {
  const char *name;
  std::int64_t phases, engines;
};
constexpr Unit Units[] = {
    {"F16V4SISOAMP", 4, 3},    {"F16V4SIHOAMP", 4, 3},  {"F16V4HIHOAMP", 4, 3},
    {"F16V4HIHOV4AMP", 4, 3},  {"F32SISOAMP", 8, 3},    {"F32SISOV2AMP", 8, 3},
    {"F16V4SISOSLIC", 4, 0},   {"F16V4SIHOSLIC", 4, 0}, {"F16V4HIHOSLIC", 4, 0},
    {"F16V4HIHOV4SLIC", 4, 0}, {"F32SISOSLIC", 4, 0},
};

// Loops and straight lines of matrix and slim convolution units: in order of
// the phases, as in all kernels, and in any; with a number that is not usual
// among the inputs or the partial sums of one step.
TEST(RandomProgramTest, UnusualRoundsOfUnits) {
  using test::Assembler;
  constexpr Address X = 0x82000, Y = 0x84000, Z = 0x90000;
  constexpr std::int64_t Rounds = 30;
  TranslationService service(true);
  Ends ends;
  for (std::uint64_t seed = 0; seed != 4 * std::size(Units); ++seed) {
    const Unit &unit = Units[seed % std::size(Units)];
    Generator random(seed);
    const bool ordered = random.below(3) != 0;
    const std::int64_t bundles = ordered ? unit.phases : 1 + random.below(6);
    const std::int64_t first = random.below(8);
    const std::int64_t engines =
        unit.engines == 0 || random.below(2) ? 0 : random.below(3);
    const bool straight = random.below(3) == 0;
    const std::int64_t steps = straight ? 2 * bundles : Rounds * bundles;
    Assembler code;
    code("OR_m_rz", {9, 15, 0});
    if (!straight)
      code("RPT_i", {Rounds, bundles - 1});
    for (std::int64_t i = 0; i != (straight ? steps : bundles); ++i) {
      const std::int64_t phase = ordered ? first + i : random.below(8);
      code.bundle("LD2XST64PACE", {0, 4, 4, 6, 0}, unit.name,
                  {4, unit.phases == 8 ? phase % 2 : 0, 2,
                   phase % unit.phases + 8 * engines});
    }
    code("EXITZ", {15});
    for (unsigned run = 0; run != 24; ++run) {
      SCOPED_TRACE(testing::Message()
                   << unit.name << ", program " << seed << ", run " << run);
      const std::uint32_t value = random.oneOf<std::uint32_t>(
          {0x7f800000, 0xff800000, 0x7fc12345, 0x7f7fffff, 0x7c007c00,
           0x3c00fc01, 0x7bff7bff, 0x477fef00, 0x477ff000, 0x00000001});
      const Address place = (run < 3           ? Address(Z + 0x8000)
                             : random.below(2) ? X
                                               : Y) +
                            4 * random.below(2 * std::uint32_t(steps));
      const std::uint32_t control =
          random.oneOf<std::uint32_t>({0, 0, 0, 1, 4, 0x80000, 0x100000});
      const bool staged = random.below(4) == 0;
      const float cell = random.oneOf({65504.f, 65505.f, 3e38f, INFINITY});
      compare(code.words, seed, service, ends, [&](Context &c) {
        for (std::uint32_t k = 0; k != 2 * Rounds * 8; ++k)
          for (Address at : {X, Y}) {
            const std::uint32_t usual = 0x3d803c00 + k * 0x10001;
            std::memcpy(c.memory + (at - Lo) + 4 * k, &usual, 4);
          }
        std::memcpy(c.memory + (place - Lo), &value, 4);
        for (auto &word : c.tile->weights.single)
          for (unsigned i = 0; i != 16; ++i)
            word[i / 8][i % 8] = static_cast<float>(i) - 7.5f;
        if (staged)
          (run % 2 ? c.staging : c.working)[run % 4 / 2][run % 8] = cell;
        c.m[4] = X | Z << 21;
        c.m[5] = Y | (Z >> 11 & 0x3ff) << 21;
        c.tile->fpInitialControl = control;
      });
    }
  }
  EXPECT_GT(ends.exits, 500u);
  EXPECT_GT(ends.faults, 40u);
  EXPECT_GT(ends.faultsInRounds, 20u);
}

// Passes as in kernels: a straight line, a loop of a few rounds or none, and a
// straight line. Results may go to where partial sums or inputs come from, over
// an end of memory, and to addresses that are not aligned.
TEST(RandomProgramTest, PassesOfUnits) {
  using test::Assembler;
  constexpr Address X = 0x82000, Y = 0x88000, Z = 0x90000;
  constexpr std::int64_t MostRounds = 300;
  TranslationService service(true);
  Ends ends;
  for (std::uint64_t seed = 0; seed != std::size(Units); ++seed) {
    const Unit &unit = Units[seed];
    Generator random(seed);
    const bool byRegister = random.below(4) != 0;
    const std::int64_t fixed = random.oneOf<std::int64_t>({0, 1, 5, 40});
    const std::int64_t wrap = random.oneOf<std::int64_t>({0, 0x15, 0x2a});
    const std::int64_t triple = 4, strides = 6;
    Assembler code;
    const auto step = [&](const char *row, std::int64_t phase) {
      const std::int64_t how = phase == unit.phases - 1 ? wrap : 0;
      const std::int64_t imm = phase % unit.phases;
      if (std::string_view(row) == "LD2X64PACE")
        code.bundle(row, {0, 2, triple, strides, how & 15}, unit.name,
                    {14, 0, 2, imm});
      else if (std::string_view(row) == "ST64PACE")
        code.bundle(row, {4, triple, strides, how & 3}, unit.name,
                    {4, 14, 14, imm});
      else
        code.bundle(row, {0, 4, triple, strides, how}, unit.name,
                    {4, unit.phases == 8 ? phase % 2 : 0, 2, imm});
    };
    for (std::int64_t i = 0; i != unit.phases; ++i)
      step("LD2X64PACE", i);
    code("OR_m_rz", {15, 15, 0});
    code(byRegister ? "RPT_r" : "RPT_i",
         {byRegister ? 9 : fixed, unit.phases - 1});
    for (std::int64_t i = 0; i != unit.phases; ++i)
      step("LD2XST64PACE", i);
    const std::int64_t lastSteps = unit.phases + random.below(3);
    for (std::int64_t i = 0; i != lastSteps; ++i)
      step("ST64PACE", i);
    // Something else in the triple.
    code("OR_m_rz", {4, 9, 0})("EXITZ", {15});
    for (unsigned run = 0; run != 32; ++run) {
      SCOPED_TRACE(testing::Message()
                   << unit.name << ", program " << seed << ", run " << run);
      const auto rounds =
          byRegister ? random.oneOf<std::uint32_t>({0, 1, 2, 7, 40, MostRounds})
                     : std::uint32_t(fixed);
      const std::uint32_t value =
          random.oneOf<std::uint32_t>({0x3d803c00, 0x3d803c00, 0x7f800000,
                                       0x7fc12345, 0x7f7fffff, 0x7bff7bff});
      const std::uint32_t place =
          8 * random.below(std::uint32_t(unit.phases) * (rounds + 2));
      const bool isInput = random.below(2);
      const Address results = random.oneOf<Address>(
          {Z, Z, Z, Y, Y - 64, Y + 64, X, Hi - 256, Z + 4});
      const std::uint32_t stride =
          random.oneOf<std::uint32_t>({1, 1, 2, 0x802, 0x3ff});
      const std::uint32_t control =
          random.oneOf<std::uint32_t>({0, 0, 0, 1, 4, 0x80000});
      compare(code.words, seed, service, ends, [&](Context &c) {
        for (std::uint32_t k = 0; k != 0x4000 / 4; ++k)
          for (Address at : {X, Y}) {
            const std::uint32_t usual = 0x3d803c00 + k % 64 * 0x10001;
            std::memcpy(c.memory + (at - Lo) + 4 * k, &usual, 4);
          }
        std::memcpy(c.memory + ((isInput ? X : Y) - Lo) + place, &value, 4);
        for (auto &word : c.tile->weights.single)
          for (unsigned i = 0; i != 16; ++i)
            word[i / 8][i % 8] = static_cast<float>(i) - 7.5f;
        c.m[4] = X | results << 21;
        c.m[5] = Y | (results >> 11 & 0x3ff) << 21;
        c.m[6] = stride;
        c.m[9] = rounds;
        c.tile->fpInitialControl = control;
      });
    }
  }
  EXPECT_GT(ends.exits, 200u);
  EXPECT_GT(ends.faults, 40u);
  EXPECT_GT(ends.faultsInRounds, 20u);
}

TEST(RandomProgramTest, Branches) {
  TranslationService service(true);
  Ends ends;
  for (std::uint64_t seed = 0; seed != 40; ++seed) {
    SCOPED_TRACE(seed);
    Generator random(seed);
    Words words;
    while (words.size() < 24) {
      std::uint32_t word = random.instruction([&](const RowInfo &row) {
        return row.isControl || (!row.isSystem && random.below(4) == 0);
      });
      for (const RowInfo &row : rows())
        if ((word & row.mask) == row.value && row.isControl)
          for (unsigned i = 0; i != row.numOperands; ++i)
            if (row.operands[i].width >= 19) // a target in the program
              word = (word & ~0x7ffffu) | (Lo / 4 + random.below(24));
      words.push_back(word);
    }
    compare(words, seed, service, ends);
  }
  EXPECT_GT(ends.faults, 20u);
}

TEST(RandomProgramTest, RandomBytes) {
  TranslationService service(true);
  Ends ends;
  for (std::uint64_t seed = 0; seed != 40; ++seed) {
    SCOPED_TRACE(seed);
    Generator random(seed);
    Words words(24);
    for (std::uint32_t &word : words)
      word = random.word();
    compare(words, seed, service, ends);
  }
  EXPECT_GT(ends.faults, 20u);
}

} // namespace
