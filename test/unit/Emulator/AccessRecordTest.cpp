// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conflicts that are found in random accesses, against a list of all bytes, and
// memory that is put back.

#include "RandomCode.h"

#include "runtime/Emulator/Tile/AccessRecord.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <set>
#include <vector>

using namespace populus::runtime::emulator;
using namespace populus::runtime::test;

namespace {

constexpr std::uint32_t MemoryBytes = AccessMarks::MostBytes;

/// The contexts that touched and wrote each piece of `Unit` bytes.
template <unsigned Unit> class Touched {
public:
  void note(unsigned context, std::uint32_t offset, std::uint32_t bytes,
            bool store) {
    for (std::uint32_t at = offset / Unit; at <= (offset + bytes - 1) / Unit;
         ++at) {
      touched.insert({at, context});
      if (store)
        written.insert({at, context});
    }
  }
  bool conflict() const {
    for (const auto &[at, by] : written)
      for (unsigned other = 0; other != 7; ++other)
        if (other != by && touched.count({at, other}))
          return true;
    return false;
  }

private:
  std::set<std::pair<std::uint32_t, unsigned>> touched, written;
};

/// Accesses of contexts that have places of their own, most often.
class Accesses {
public:
  Accesses(std::uint64_t seed)
      : random(seed), apart(random.oneOf<std::uint32_t>(
                          {0, 4, 64, 0x400, 0x400, 0x2000, 0x2000})),
        memory(MemoryBytes), record(std::make_unique<AccessRecord>()) {
    for (std::uint8_t &byte : memory)
      byte = static_cast<std::uint8_t>(random.word());
  }

  /// In the order of contexts, some of which come a second time.
  void run(unsigned number) {
    const std::vector<std::uint8_t> before = memory;
    record->begin(memory.data());
    for (unsigned context : {0, 1, 2, 3, 6, 4, 5, 2, 6}) {
      record->enter(context);
      for (unsigned i = random.below(number); i != 0; --i)
        access(context);
    }
    const bool conflict = record->conflict();
    EXPECT_GE(conflict, bytes.conflict());
    EXPECT_LE(conflict, words.conflict());
    EXPECT_EQ(conflict, record->conflict());
    conflicts += conflict;
    record->undo();
    EXPECT_TRUE(memory == before);
    record->clear();
    EXPECT_FALSE(record->conflict());
    bytes = {};
    words = {};
  }

  unsigned conflicts = 0;

private:
  void access(unsigned context) {
    const auto size = random.oneOf<std::uint32_t>({1, 2, 4, 8, 16, 40});
    const bool store = random.below(3) == 0;
    const std::uint32_t at = 0x10000 + context * apart + 8 * random.below(40);
    if (random.below(4) != 0) {
      record->note(at, size, store);
      return touch(context, at, size, store);
    }
    const std::uint32_t rounds = 1 + random.below(9);
    const auto stride = random.oneOf<std::int64_t>({0, 4, 8, -8, 48, -48, 264});
    record->noteRounds(at, stride, size, rounds, store);
    record->settle();
    for (std::uint32_t i = 0; i != rounds; ++i)
      touch(context, static_cast<std::uint32_t>(at + stride * i), size, store);
  }
  void touch(unsigned context, std::uint32_t at, std::uint32_t size,
             bool store) {
    bytes.note(context, at, size, store);
    words.note(context, at, size, store);
    for (std::uint32_t i = 0; store && i != size; ++i)
      memory[at + i] = static_cast<std::uint8_t>(random.word());
  }

  Generator random;
  const std::uint32_t apart; // contexts' places
  std::vector<std::uint8_t> memory;
  std::unique_ptr<AccessRecord> record;
  Touched<1> bytes;
  Touched<4> words;
};

TEST(AccessRecordTest, RandomAccesses) {
  unsigned conflicts = 0;
  for (std::uint64_t seed = 0; seed != 60; ++seed) {
    SCOPED_TRACE(seed);
    Accesses accesses(seed);
    for (unsigned i = 0; i != 4; ++i)
      accesses.run(20);
    conflicts += accesses.conflicts;
  }
  EXPECT_GT(conflicts, 60u);
  EXPECT_LT(conflicts, 180u);
}

TEST(AccessRecordTest, MoreThanTheListsTake) {
  for (std::uint64_t seed = 0; seed != 4; ++seed) {
    SCOPED_TRACE(seed);
    Accesses accesses(seed);
    accesses.run(3000);
    accesses.run(20);
  }
}

TEST(AccessRecordTest, MoreThanThePiecesTake) {
  const auto record = std::make_unique<AccessRecord>();
  std::vector<std::uint8_t> memory(MemoryBytes, 1);
  record->begin(memory.data());
  record->enter(0);
  for (unsigned i = 0; i != 3; ++i) {
    record->noteRounds(0, 16, 16, MemoryBytes / 16, true);
    record->settle();
    std::fill(memory.begin(), memory.end(), 2 + i);
  }
  EXPECT_FALSE(record->conflict());
  record->enter(1);
  record->note(MemoryBytes - 1, 1, false);
  EXPECT_TRUE(record->conflict());
  record->undo();
  EXPECT_TRUE(memory == std::vector<std::uint8_t>(MemoryBytes, 1));
  record->clear();
}

} // namespace
