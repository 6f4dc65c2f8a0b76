// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Casts to generic formats against a list of all numbers that the format has.

#include "Harness.h"

#include <popfloat/experimental/CastToGfloat.hpp>
#include <popfloat/experimental/codelets.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>

using namespace poplar;
using namespace test;
using namespace popfloat::experimental;

POPLIBS_INSTANTIATE_ON("cpu", "model7", "ipu7");

namespace {

struct Format {
  unsigned manBits, expBits;
  int bias;
  bool denorm, inf;
};
const Format Formats[] = {{3, 4, 7, true, true},
                          {2, 5, 15, true, true},
                          {3, 4, 8, false, false},
                          {5, 3, 2, false, true},
                          {0, 4, 7, true, false}};

/// The numbers from 0 up.
Values numbersOf(const Format &f) {
  Values numbers;
  const unsigned patterns = 1u << (f.expBits + f.manBits);
  for (unsigned pattern = 0; pattern != patterns; ++pattern) {
    const unsigned exponent = pattern >> f.manBits;
    const unsigned mantissa = pattern & ((1u << f.manBits) - 1);
    if (f.inf && exponent == (1u << f.expBits) - 1)
      break;
    if (!f.inf && f.manBits != 0 && pattern == patterns - 1)
      break;
    if (exponent == 0 && !f.denorm && mantissa != 0)
      continue;
    const int power = static_cast<int>(exponent ? exponent : 1) - f.bias;
    numbers.push_back(
        std::ldexp(exponent ? (1u << f.manBits) + mantissa : mantissa,
                   power - static_cast<int>(f.manBits)));
  }
  return numbers;
}

/// \p x >= 0 in the format; `up` says where to go between two numbers, with
/// RN and RA to the nearest.
double rounded(const Format &f, const Values &numbers, double x, RoundType type,
               bool negative) {
  const double largest = numbers.back();
  const bool in = type == RoundType::RZ ||
                  (type == RoundType::RU && negative) ||
                  (type == RoundType::RD && !negative);
  const auto above = std::lower_bound(numbers.begin(), numbers.end(), x);
  if (above != numbers.end() && *above == x)
    return x;
  if (above == numbers.end()) {
    // Round as if there were a next number.
    const double next =
        largest + std::ldexp(1, std::ilogb(largest) - int(f.manBits));
    const bool over = type == RoundType::RN || type == RoundType::RA
                          ? x >= (largest + next) / 2
                          : !in || std::isinf(x);
    if (!over)
      return largest;
    return f.inf ? std::numeric_limits<double>::infinity() : largest;
  }
  const double high = *above, low = *(above - 1);
  if (type != RoundType::RN && type != RoundType::RA)
    return in ? low : high;
  const double middle = (low + high) / 2;
  if (x != middle)
    return x < middle ? low : high;
  // The significand of the lower one, in whole steps.
  const int exponent =
      low == 0 ? 1 - f.bias : std::max(std::ilogb(low), 1 - f.bias);
  const double significand =
      std::ldexp(low, static_cast<int>(f.manBits) - exponent);
  const bool odd = std::fmod(significand, 2) == 1;
  return type == RoundType::RA || odd ? high : low;
}

} // namespace

TEST_P(OnDevices, GenericFloats) {
  for (const Format &f : Formats) {
    const Values numbers = numbersOf(f);
    const double largest = numbers.back();
    Values x{0,
             largest,
             -largest,
             largest * 1.01,
             -largest * 3,
             std::numeric_limits<double>::infinity()};
    for (std::size_t i = 0; i + 1 < numbers.size(); ++i) {
      const double low = numbers[i], high = numbers[i + 1];
      for (double part : {0.25, 0.5, 0.75})
        for (double sign : {1.0, -1.0})
          // Without denormals the gap above 0 is the device's to cut off.
          if (low != 0 || f.denorm)
            x.push_back(sign * (low + part * (high - low)));
    }
    for (RoundType type : {RoundType::RZ, RoundType::RN, RoundType::RA,
                           RoundType::RU, RoundType::RD}) {
      const GfloatCast cast(GfloatCast::FormatConfig(f.manBits, f.expBits,
                                                     f.bias, f.denorm, f.inf),
                            type);
      EXPECT_EQ(cast.getFormatConfig().maxValue(), largest);
      Program p(GetParam());
      popfloat::experimental::addCodelets(p.graph);
      const Tensor in = p.input({x.size()}, x);
      const Tensor out = cast.castNativeToGfloat(p.graph, in, p.prog);
      EXPECT_EQ(out.elementType(), HALF);
      const auto back =
          p.output(cast.castGfloatToNative(p.graph, out, FLOAT, p.prog));
      cast.castNativeToGfloatInPlace(p.graph, in, p.prog);
      const auto inPlace = p.output(in);
      p.run();
      const Values got = p.result(inPlace), gotBack = p.result(back);
      for (std::size_t i = 0; i != x.size(); ++i) {
        const double value = static_cast<float>(x[i]);
        const double expected = std::copysign(
            rounded(f, numbers, std::abs(value), type, value < 0), value);
        ASSERT_EQ(got[i], expected)
            << value << ", rounding " << static_cast<int>(type);
        // An infinity is the largest half.
        if (!std::isinf(expected)) {
          ASSERT_EQ(gotBack[i], expected) << value;
        }
      }
    }
  }
}

TEST_P(OnDevices, GenericFloatsOutsideOfTheFormat) {
  Program p(GetParam());
  popfloat::experimental::addCodelets(p.graph);
  const Tensor in = p.input({4}, {500, 0.001, NAN, 1.5});
  const GfloatCast::FormatConfig format(3, 4, 7, false, true);
  const GfloatCast nanoo(format, RoundType::RN, true, SpecType::FP32);
  const Values got = p.valuesOf(nanoo.castNativeToGfloat(p.graph, in, p.prog));
  EXPECT_TRUE(std::isnan(got[0]) && std::isnan(got[2]));
  EXPECT_EQ(got[1], 0);
  EXPECT_EQ(got[3], 1.5);
}

TEST(GenericFloats, Refusals) {
  using Format = GfloatCast::FormatConfig;
  EXPECT_THROW(GfloatCast(Format(24, 8, 127, true, true), RoundType::RN),
               poputil::poplibs_error);
  EXPECT_THROW(GfloatCast(Format(3, 9, 255, true, true), RoundType::RN),
               poputil::poplibs_error);
  EXPECT_THROW(GfloatCast(Format(11, 5, 15, true, true), RoundType::RN, false,
                          SpecType::FP16),
               poputil::poplibs_error);
  EXPECT_EQ(GfloatCast(Format(7, 8, 127, false, true), RoundType::RN)
                .getGFStorageType(),
            FLOAT);
}

// The IPU Model's estimate is that of the vertices on a tile.
TEST(GenericFloats, Estimate) {
  std::map<std::string, double> cycles;
  for (const char *device : {"model6", "ipu6"}) {
    Program p(device);
    popfloat::experimental::addCodelets(p.graph);
    const GfloatCast cast(GfloatCast::FormatConfig(3, 4, 7, true, true),
                          RoundType::RN);
    p.output(cast.castNativeToGfloat(
        p.graph, p.input({6000}, randomValues(6000)), p.prog));
    cycles[device] = static_cast<double>(p.cycles());
  }
  EXPECT_NEAR(cycles["model6"] / cycles["ipu6"], 1, 0.15);
}
