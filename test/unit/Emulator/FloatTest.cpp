// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Floating point: values, flags, the decisions of docs/machine.md on NaNs,
// overflow and halves.

#include "Assembler.h"

#include "runtime/Target/Half.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

using namespace populus::runtime;
using namespace populus::runtime::test;

namespace {

using u32 = std::uint32_t;

u32 bits(float value) { return std::bit_cast<u32>(value); }
u32 halves(float low, float high) {
  return floatToHalf(low) | u32(floatToHalf(high)) << 16;
}

/// Loads constants into $a registers through memory.
void constants(Assembler &code, std::initializer_list<u32> values) {
  unsigned reg = 0;
  for (u32 value : values) {
    code("SETZI_a", {reg, value & 0xfffff});
    code("OR_a_rh", {reg, reg, value >> 20});
    ++reg;
  }
}

struct FloatResult {
  u32 low;
  u32 high;
  u32 flags;
};

/// Runs one instruction on a0:1 and a2:3 with the result in a4:5.
FloatResult binary(const char *row, std::initializer_list<u32> values,
                   u32 control = 0) {
  Assembler code;
  constants(code, {control & 0xfffff});
  code("OR_a_rh", {0, 0, control >> 20})("UPUT", {2, 0});
  constants(code, values);
  code(row, {4, 0, 2});
  code("ST32_a_bdi", {4, 0, 15, 0})("ST32_a_bdi", {5, 0, 15, 1});
  code("UGET", {6, 0})("ST32_a_bdi", {6, 0, 15, 2});
  const Outcome outcome = runWorkerCode(code);
  EXPECT_EQ(outcome.fault, "") << row;
  return {outcome.results[0], outcome.results[1], outcome.results[2]};
}

/// The same with one source, a0.
FloatResult unary(const char *row, u32 value) {
  Assembler code;
  constants(code, {value});
  code(row, {4, 0});
  code("ST32_a_bdi", {4, 0, 15, 0})("ST32_a_bdi", {5, 0, 15, 1});
  code("UGET", {6, 0})("ST32_a_bdi", {6, 0, 15, 2});
  const Outcome outcome = runWorkerCode(code);
  EXPECT_EQ(outcome.fault, "") << row;
  return {outcome.results[0], outcome.results[1], outcome.results[2]};
}

constexpr u32 Invalid = 1, DivideByZero = 2, Overflow = 4;
constexpr u32 Nan = 0x7fc00000, Infinity = 0x7f800000;

TEST(FloatTest, ScalarArithmetic) {
  EXPECT_EQ(binary("F32ADD", {bits(1.5f), 0, bits(2.25f)}).low, bits(3.75f));
  EXPECT_EQ(binary("F32SUB", {bits(1.5f), 0, bits(2.25f)}).low, bits(-0.75f));
  EXPECT_EQ(binary("F32MUL", {bits(1.5f), 0, bits(2.25f)}).low, bits(3.375f));
  EXPECT_EQ(binary("F32DIV", {bits(1), 0, bits(3)}).low, bits(1.0f / 3));
  EXPECT_EQ(binary("F32ABSADD", {bits(-1), 0, bits(-3)}).low, bits(4));
  EXPECT_EQ(binary("F32ABSMAX", {bits(-4), 0, bits(3)}).low, bits(4));
  // Denormals are kept.
  EXPECT_EQ(binary("F32MUL", {bits(0x1p-100f), 0, bits(0x1p-40f)}).low,
            bits(0x1p-140f));
}

TEST(FloatTest, EventsSetFlagsAndCanonicalNans) {
  FloatResult r = binary("F32ADD", {Infinity, 0, Infinity | 1u << 31});
  EXPECT_EQ(r.low, Nan);
  EXPECT_EQ(r.flags, Invalid);
  r = binary("F32ADD", {0xffc12345, 0, bits(1)});
  EXPECT_EQ(r.low, Nan);
  EXPECT_EQ(r.flags, Invalid);
  r = binary("F32MUL", {bits(0x1p100f), 0, bits(0x1p100f)});
  EXPECT_EQ(r.low, Infinity);
  EXPECT_EQ(r.flags, Overflow);
  r = binary("F32ADD", {Infinity, 0, bits(1)});
  EXPECT_EQ(r.low, Infinity);
  EXPECT_EQ(r.flags, 0u);
  r = binary("F32DIV", {bits(-1), 0, 0});
  EXPECT_EQ(r.low, Infinity | 1u << 31);
  EXPECT_EQ(r.flags, DivideByZero);
  r = binary("F32DIV", {0, 0, 0});
  EXPECT_EQ(r.low, Nan);
  EXPECT_EQ(r.flags, Invalid);
}

TEST(FloatTest, Vectors) {
  FloatResult r = binary("F32V2ADD", {bits(1), bits(2), bits(10), bits(20)});
  EXPECT_EQ(r.low, bits(11));
  EXPECT_EQ(r.high, bits(22));
  r = binary("F32V2SUB_b", {bits(1), bits(2), bits(10), bits(20)});
  EXPECT_EQ(r.low, bits(-9));
  EXPECT_EQ(r.high, bits(-19));
  r = binary("F16V2MUL", {halves(2, 3), 0, halves(0.5f, -1)});
  EXPECT_EQ(r.low, halves(1, -3));
  r = binary("F16V4ADD_bu", {halves(100, 1), 0, halves(1, 2), halves(3, 4)});
  EXPECT_EQ(r.low, halves(2, 3));
  EXPECT_EQ(r.high, halves(4, 5));
}

TEST(FloatTest, HalvesOverflowAsControlled) {
  FloatResult r = binary("F16V2ADD", {halves(65504, 1), 0, halves(65504, 1)});
  EXPECT_EQ(r.low, halves(65504, 2));
  EXPECT_EQ(r.flags, Overflow);
  r = binary("F16V2ADD", {halves(65504, 1), 0, halves(65504, 1)}, 1u << 20);
  EXPECT_EQ(r.low & 0xffff, 0x7e00u);
  EXPECT_EQ(r.flags, Overflow | Invalid);
  // An infinity is not a number in half arithmetic.
  r = binary("F16V2ADD", {0x00007c00, 0, halves(1, 1)});
  EXPECT_EQ(r.low & 0xffff, 0x7e00u);
  EXPECT_EQ(r.flags, Invalid);
}

TEST(FloatTest, ComparesGiveMasks) {
  EXPECT_EQ(binary("F32CMPLT", {bits(1), 0, bits(2)}).low, 0xffffffffu);
  EXPECT_EQ(binary("F32CMPGE", {bits(1), 0, bits(2)}).low, 0u);
  EXPECT_EQ(binary("F32CMPEQ", {0x80000000, 0, 0}).low, 0xffffffffu);
  FloatResult r = binary("F32CMPNE", {Nan, 0, bits(1)});
  EXPECT_EQ(r.low, 0xffffffffu);
  EXPECT_EQ(r.flags, Invalid);
  EXPECT_EQ(binary("F16V2CMPGT", {halves(1, 5), 0, halves(2, 2)}).low,
            0xffff0000u);
}

TEST(FloatTest, MinMaxPreferNumbersAndOrderZeros) {
  EXPECT_EQ(binary("F32MIN", {Nan, 0, bits(3)}).low, bits(3));
  EXPECT_EQ(binary("F32MAX", {bits(3), 0, Nan}).low, bits(3));
  EXPECT_EQ(binary("F32MAX", {0x80000000, 0, 0}).low, 0u);
  EXPECT_EQ(binary("F32MIN", {0, 0, 0x80000000}).low, 0x80000000u);
  EXPECT_EQ(binary("F32CLAMP", {bits(9), 0, bits(-1), bits(2)}).low, bits(2));
  EXPECT_EQ(binary("F32CLAMP", {Nan, 0, bits(-1), bits(2)}).low, bits(-1));
}

TEST(FloatTest, ElementaryFunctions) {
  EXPECT_EQ(unary("F32SQRT", bits(2)).low, bits(std::sqrt(2.0)));
  EXPECT_EQ(unary("F32EXP", bits(1)).low, bits(std::exp(1.0)));
  EXPECT_EQ(unary("F32LN", bits(10)).low, bits(std::log(10.0)));
  EXPECT_EQ(unary("F32SIGM", 0).low, bits(0.5f));
  EXPECT_EQ(unary("F32TANH", bits(0.5f)).low, bits(std::tanh(0.5)));
  EXPECT_EQ(unary("F32OOX", bits(4)).low, bits(0.25f));
  EXPECT_EQ(unary("F32OORX", bits(4)).low, bits(0.5f));
  EXPECT_EQ(unary("F32SQRT", bits(-1)).low, Nan);
  EXPECT_EQ(unary("F32SQRT", bits(-1)).flags, Invalid);
  EXPECT_EQ(unary("F32LN", 0).low, Infinity | 1u << 31);
  EXPECT_EQ(unary("F32LN", 0).flags, DivideByZero);
  EXPECT_EQ(unary("F32EXP", bits(1000)).flags, Overflow);
}

TEST(FloatTest, Conversions) {
  EXPECT_EQ(unary("F32TOI32", bits(-2.5f)).low, u32(-2));
  EXPECT_EQ(unary("F32TOI32", bits(3e9f)).low, 0x7fffffffu);
  EXPECT_EQ(unary("F32TOI32", bits(3e9f)).flags, Invalid);
  EXPECT_EQ(unary("F32TOUI32", bits(3e9f)).low, 3000000000u);
  EXPECT_EQ(unary("F32TOUI32", bits(-1)).low, 0u);
  EXPECT_EQ(unary("F32TOI32", Nan).low, 0u);
  EXPECT_EQ(unary("F32FROMI32", u32(-7)).low, bits(-7));
  EXPECT_EQ(unary("F32FROMUI32", u32(-7)).low, bits(4294967289.0f));
  EXPECT_EQ(unary("F16TOF32", halves(-1.5f, 9)).low, bits(-1.5f));
  EXPECT_EQ(unary("F32TOF16", bits(1.5f)).low, halves(1.5f, 1.5f));
  FloatResult r = unary("F16V2TOF32", halves(3, 4));
  EXPECT_EQ(r.low, bits(3));
  EXPECT_EQ(r.high, bits(4));
  EXPECT_EQ(unary("F32SUFROMUI", 0).low, bits(-0.5f));
  EXPECT_EQ(unary("F32CLASS", Nan).low, 2u);
  EXPECT_EQ(unary("F32CLASS", 0x80000000).low, 5u);
}

TEST(FloatTest, IntRounding) {
  const float expected[] = {2, 3, 2, 2, 3};
  for (unsigned mode = 0; mode != 5; ++mode) {
    Assembler code;
    constants(code, {bits(2.5f)});
    code("F32INT", {1, 0, mode})("ST32_a_bdi", {1, 0, 15, 0});
    EXPECT_EQ(runWorkerCode(code).results[0], bits(expected[mode])) << mode;
  }
}

TEST(AccumulatorTest, MacIsFusedAndGinaShifts) {
  const float x = 1 + 0x1p-12f, minus = -(1 + 0x1p-11f);
  Assembler code;
  constants(code, {bits(minus), bits(5), bits(x), bits(2)});
  code("SETZI_a", {6, 8})("UPUT", {1, 6}); // clear accumulators
  // Inject (minus, 5) at the far end and shift them to the front.
  code("F32V2GINA", {14, 0, 0});
  for (unsigned i = 0; i != 3; ++i)
    code("F32V2GINA", {14, 14, 0});
  code("F32V2MAC", {2, 2});
  code("F32V2GINA", {4, 14, 0});
  code("ST32_a_bdi", {4, 0, 15, 0})("ST32_a_bdi", {5, 0, 15, 1});
  const Outcome outcome = runWorkerCode(code);
  EXPECT_EQ(outcome.fault, "");
  EXPECT_EQ(outcome.results[0], bits(0x1p-24f)); // lost without fusing
  EXPECT_EQ(outcome.results[1], bits(9));
}

TEST(AccumulatorTest, AxpyIsOneBehind) {
  Assembler code;
  constants(code, {bits(1), bits(2), bits(10), bits(20)});
  code("SETZI_a", {6, 8})("UPUT", {1, 6});
  code("OR_a_rh", {6, 15, bits(3.0f) >> 20})("UPUT", {8, 6});
  code("F32V2AXPY", {14, 0, 2})("F32V2AXPY", {4, 14, 14});
  code("ST32_a_bdi", {4, 0, 15, 0})("ST32_a_bdi", {5, 0, 15, 1});
  const Outcome outcome = runWorkerCode(code);
  EXPECT_EQ(outcome.results[0], bits(13));
  EXPECT_EQ(outcome.results[1], bits(26));
}

TEST(AccumulatorTest, HalfDotProducts) {
  Assembler code;
  constants(code, {halves(1, 2), halves(3, 4), halves(5, 6), halves(7, 8)});
  code("SETZI_a", {6, 8})("UPUT", {1, 6});
  code("F16V4CMAC", {0, 2})("F32V2GINA", {4, 14, 0});
  code("ST32_a_bdi", {4, 0, 15, 0})("ST32_a_bdi", {5, 0, 15, 1});
  const Outcome outcome = runWorkerCode(code);
  EXPECT_EQ(outcome.results[0], bits(1 * 5 + 2 * 6));
  EXPECT_EQ(outcome.results[1], bits(3 * 7 + 4 * 8));
}

TEST(RandomTest, SeedAndSequence) {
  Assembler code;
  constants(code, {1});
  code("UPUT", {7, 0}); // PRNG_SEED
  code("UGET", {1, 5})("ST32_a_bdi", {1, 0, 15, 0});
  code("UGET", {1, 6})("ST32_a_bdi", {1, 0, 15, 1});
  code("URAND64", {2})("ST64_bdi", {2, 0, 15, 1});
  const Outcome outcome = runWorkerCode(code);
  const std::uint64_t p0 = 0xfffffffe00000001;
  const std::uint64_t p1 = std::rotl(p0, 13);
  EXPECT_EQ(outcome.results[0], u32(p1));
  EXPECT_EQ(outcome.results[1], u32(p1 >> 32));
  const std::uint64_t both = p0 & p1;
  const std::uint64_t expected =
      (p0 ^ p1) ^ (std::rotl(both, 1) | std::rotl(both, 2));
  EXPECT_EQ(outcome.results[2], u32(expected));
  EXPECT_EQ(outcome.results[3], u32(expected >> 32));
}

TEST(FloatTest, EnabledExceptionsStopTheRun) {
  Assembler code;
  code("SETZI_a", {0, DivideByZero})("UPUT", {2, 0});
  code("F32OOX", {1, 15});
  const Outcome outcome = runWorkerCode(code);
  EXPECT_NE(outcome.fault.find("division by zero"), std::string::npos);
}

} // namespace
