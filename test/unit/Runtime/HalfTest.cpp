// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Half conversions against arithmetic on values.

#include "runtime/Target/Half.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

using namespace populus::runtime;

namespace {

/// The value of a finite half, from its definition.
double valueOf(std::uint16_t half) {
  const int exponent = (half >> 10) & 0x1f;
  const int fraction = half & 0x3ff;
  const double magnitude = exponent == 0
                               ? std::ldexp(fraction, -24)
                               : std::ldexp(1024 + fraction, exponent - 25);
  return half & 0x8000 ? -magnitude : magnitude;
}

TEST(HalfTest, EveryFiniteHalfIsExactAndComesBack) {
  for (unsigned bits = 0; bits != 0x10000; ++bits) {
    if ((bits & 0x7c00) == 0x7c00)
      continue;
    const float value = halfToFloat(bits);
    ASSERT_EQ(value, valueOf(bits)) << bits;
    ASSERT_EQ(floatToHalf(value), bits) << bits;
  }
}

TEST(HalfTest, MiddlesRoundToEvenAndNeighboursToTheNearer) {
  for (unsigned bits = 0; bits != 0x7bff; ++bits) {
    const float middle =
        static_cast<float>((valueOf(bits) + valueOf(bits + 1)) / 2);
    const unsigned even = bits & 1 ? bits + 1 : bits;
    ASSERT_EQ(floatToHalf(middle), even) << bits;
    ASSERT_EQ(floatToHalf(std::nextafter(middle, 0.0f)), bits) << bits;
    ASSERT_EQ(floatToHalf(std::nextafter(middle, 1e9f)), bits + 1) << bits;
    ASSERT_EQ(floatToHalf(-middle), even | 0x8000) << bits;
  }
}

TEST(HalfTest, SpecialValues) {
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(floatToHalf(infinity), 0x7c00);
  EXPECT_EQ(floatToHalf(-65520.0f), 0xfc00);
  EXPECT_EQ(floatToHalf(65519.0f), 0x7bff);
  EXPECT_EQ(halfToFloat(0xfc00), -infinity);
  EXPECT_TRUE(std::isnan(halfToFloat(0x7e00)));
  EXPECT_EQ(floatToHalf(std::numeric_limits<float>::quiet_NaN()), 0x7e00);
}

} // namespace
