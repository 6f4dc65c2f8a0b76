// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random numbers: the generator's steps, normal numbers and masks, computed
// here once more from the words of the generator.

#include "Assembler.h"

#include "runtime/Target/Half.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

using namespace populus::runtime;
using namespace populus::runtime::test;

namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

/// The generator as the reference describes it.
struct Generator {
  u64 p0, p1;

  explicit Generator(u32 seed) {
    p0 = u64(~seed) << 32 | seed;
    p1 = std::rotl(p0, 13);
  }
  u64 step() {
    const u64 sx = p0 ^ p1, sa = p0 & p1;
    const u64 out = sx ^ (std::rotl(sa, 1) | std::rotl(sa, 2));
    p0 = std::rotl(p0, 55) ^ sx ^ (sx << 14);
    p1 = std::rotl(sx, 36);
    return out;
  }
};

constexpr u32 Seed = 0x12345;

/// Seeds, executes, and stores a pair, then one more random number.
Outcome afterSeed(const Assembler &body) {
  Assembler code;
  code("SETZI_a", {7, Seed})("UPUT", {7, 7});
  for (u32 word : body.words)
    code.word(word);
  code("ST64_bdi", {4, 0, 15, 0});
  code("URAND32", {6})("ST32_a_bdi", {6, 0, 15, 2});
  const Outcome outcome = runWorkerCode(code);
  EXPECT_EQ(outcome.fault, "");
  return outcome;
}

TEST(RandomTest, NormalNumbers) {
  Generator generator(Seed);
  const u64 random = generator.step();
  const double radius =
      std::sqrt(-2 * std::log((static_cast<u32>(random) + 1.0) / 4294967296.0));
  const double angle =
      2 * M_PI * static_cast<double>(random >> 32) / 4294967296.0;
  const auto first = static_cast<float>(radius * std::cos(angle));
  const auto second = static_cast<float>(radius * std::sin(angle));
  const auto next = static_cast<u32>(generator.step());

  Outcome outcome = afterSeed(Assembler()("F32V2GRAND", {4}));
  EXPECT_FLOAT_EQ(std::bit_cast<float>(outcome.results[0]), first);
  EXPECT_FLOAT_EQ(std::bit_cast<float>(outcome.results[1]), second);
  EXPECT_EQ(outcome.results[2], next);
  outcome = afterSeed(Assembler()("F16V2GRAND", {4}));
  EXPECT_EQ(outcome.results[0],
            u32(floatToHalf(second)) << 16 | floatToHalf(first));
  EXPECT_EQ(outcome.results[2], next);
}

TEST(RandomTest, NormalNumbersHaveMeanZeroAndVarianceOne) {
  // 1,000 pairs, summed up by the accumulators.
  Assembler code;
  code("SETZI_m", {1, 1000});
  const std::int64_t loop = code.hereWord() + 1; // after the load in front
  code("F32V2GRAND", {0})("F32V2GRAND", {2});
  code("F32V4SQACC", {0})("F32V2ADD", {4, 4, 0});
  code("BRNZDEC", {1, loop});
  code("ST64_bdi", {4, 0, 15, 0});
  code("F32V2GINA", {2, 14, 0})("ST64_bdi", {2, 0, 15, 1});
  const Outcome outcome = runWorkerCode(code);
  EXPECT_EQ(outcome.fault, "");
  for (unsigned i = 0; i != 2; ++i) {
    EXPECT_NEAR(std::bit_cast<float>(outcome.results[i]) / 1001, 0, 0.15);
    EXPECT_NEAR(std::bit_cast<float>(outcome.results[2 + i]) / 1001, 1, 0.2);
  }
}

/// A mask of lanes that should stay, by the rule.
unsigned expectedMask(u32 control, unsigned lanes) {
  const u64 random = Generator(Seed).step();
  unsigned mask = 0;
  for (unsigned i = 0; i != lanes; ++i)
    if (control >> 16 & 1 || (random >> (16 * i) & 0xffff) < (control & 0xffff))
      mask |= 1u << i;
  return mask;
}

TEST(RandomTest, Masks) {
  const u64 random = Generator(Seed).step();
  // Thresholds at and beside each lane's number, and the ends.
  std::vector<u32> controls = {0, 1, 0xffff, 0x10000, 0x18000};
  for (unsigned i = 0; i != 4; ++i)
    for (u32 more : {0, 1})
      controls.push_back(
          std::min<u32>(0xffff, (random >> (16 * i) & 0xffff) + more));
  for (u32 control : controls) {
    Assembler code;
    code("SETZI_a", {0, 0xabcde})("SETZI_a", {1, 0x12345});
    code("SETZI_a", {2, control});
    Assembler singles = code, halves = code;
    singles("F32V2RMASK", {4, 0, 2});
    Outcome outcome = afterSeed(singles);
    unsigned mask = expectedMask(control, 2);
    EXPECT_EQ(outcome.results[0], mask & 1 ? 0xabcdeu : 0);
    EXPECT_EQ(outcome.results[1], mask & 2 ? 0x12345u : 0);
    halves("F16V4RMASK", {4, 0, 2});
    outcome = afterSeed(halves);
    mask = expectedMask(control, 4);
    EXPECT_EQ(outcome.results[0],
              (mask & 1 ? 0xbcdeu : 0) | (mask & 2 ? 0xa0000u : 0));
    EXPECT_EQ(outcome.results[1],
              (mask & 4 ? 0x2345u : 0) | (mask & 8 ? 0x10000u : 0));
    // One step of the generator, whatever the control.
    Generator generator(Seed);
    generator.step();
    EXPECT_EQ(outcome.results[2], static_cast<u32>(generator.step()));
  }
}

} // namespace
