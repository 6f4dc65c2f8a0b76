// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Double precision in integers against the host's floating-point unit, bit by
// bit.

#include "lib/Device/SoftDouble.h"

#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace populus::device;

namespace {

/// Bit patterns of all kinds: any, near 1, of few bits, special.
class Patterns {
public:
  U64 next() {
    U64 random = engine();
    switch (random % 5) {
    case 0:
      return engine();
    case 1: // near 1
      return (engine() & ~(0x7ffULL << 52)) | (1023ULL - random / 5 % 60) << 52;
    case 2: // subnormal and small
      return engine() & (SignBit | 0x1fffffffffffffULL);
    case 3: // few bits
      return std::bit_cast<U64>(
          static_cast<double>(static_cast<long long>(engine() % 2001) - 1000));
    default:
      static constexpr U64 Special[] = {0,
                                        SignBit,
                                        Infinity,
                                        SignBit | Infinity,
                                        QuietNan,
                                        1,
                                        0x7fefffffffffffffULL,
                                        0x0010000000000000ULL,
                                        0x000fffffffffffffULL};
      return Special[random / 5 % 9];
    }
  }

private:
  std::mt19937_64 engine{7};
};

double value(U64 bits) { return std::bit_cast<double>(bits); }

/// All NaNs are equal.
U64 canonical(double result) {
  return std::isnan(result) ? QuietNan : std::bit_cast<U64>(result);
}

constexpr int Rounds = 100000;

TEST(SoftDouble, Arithmetic) {
  Patterns patterns;
  for (int i = 0; i != Rounds; ++i) {
    U64 a = patterns.next(), b = patterns.next();
    double x = value(a), y = value(b);
    ASSERT_EQ(addDouble(a, b), canonical(x + y)) << x << " + " << y;
    ASSERT_EQ(addDouble(a, b ^ SignBit), canonical(x - y)) << x << " - " << y;
    ASSERT_EQ(multiplyDouble(a, b), canonical(x * y)) << x << " * " << y;
    ASSERT_EQ(divideDouble(a, b), canonical(x / y)) << x << " / " << y;
  }
}

/// Half of the sums cancel the product, or nearly.
TEST(SoftDouble, MultiplyAdd) {
  Patterns patterns;
  for (int i = 0; i != Rounds; ++i) {
    const U64 a = patterns.next(), b = patterns.next();
    const double x = value(a), y = value(b);
    const U64 other = patterns.next();
    const U64 c = i % 2 ? other : std::bit_cast<U64>(-(x * y)) + other % 3;
    const double z = value(c);
    ASSERT_EQ(multiplyAddDouble(a, b, c), canonical(std::fma(x, y, z)))
        << x << " * " << y << " + " << z;
  }
}

TEST(SoftDouble, MultiplyAddOfFloats) {
  std::mt19937 engine{9};
  const auto number = [&engine] {
    return std::bit_cast<float>(static_cast<U32>(engine()));
  };
  for (int i = 0; i != Rounds; ++i) {
    const float x = number(), y = number();
    const float z = i % 2 ? number() : -(x * y) * (1 + 0x1p-20f * (i % 5));
    const U64 sum = multiplyAddDouble(std::bit_cast<U64>(double(x)),
                                      std::bit_cast<U64>(double(y)),
                                      std::bit_cast<U64>(double(z)), true);
    const float result = static_cast<float>(value(sum)),
                expected = std::fma(x, y, z);
    ASSERT_TRUE(std::isnan(expected) ? std::isnan(result)
                                     : std::bit_cast<U32>(result) ==
                                           std::bit_cast<U32>(expected))
        << x << " * " << y << " + " << z;
  }
}

TEST(SoftDouble, Compare) {
  Patterns patterns;
  for (int i = 0; i != Rounds; ++i) {
    U64 a = patterns.next(), b = patterns.next();
    double x = value(a), y = value(b);
    int expected = x < y ? -1 : x > y ? 1 : x == y ? 0 : 9;
    ASSERT_EQ(compareDouble(a, b, 9), expected) << x << " ? " << y;
  }
}

TEST(SoftDouble, Float) {
  std::mt19937_64 engine(3);
  Patterns patterns;
  for (int i = 0; i != Rounds; ++i) {
    U32 bits = static_cast<U32>(engine());
    float single = std::bit_cast<float>(bits);
    ASSERT_EQ(widen(bits, 23, 8), canonical(single)) << single;
    U64 wide = i % 2 ? patterns.next() : std::bit_cast<U64>(1.0 * single) + i;
    float narrowed = static_cast<float>(value(wide));
    U32 expected =
        std::isnan(narrowed) ? 0x7fc00000 : std::bit_cast<U32>(narrowed);
    ASSERT_EQ(narrow(wide, 23, 8), expected) << value(wide);
  }
}

TEST(SoftDouble, HalfRoundTrip) {
  for (U32 bits = 0; bits != 0x10000; ++bits) {
    U64 wide = widen(bits, 10, 5);
    bool isNanPattern = (bits & 0x7fff) > 0x7c00;
    ASSERT_EQ(narrow(wide, 10, 5), isNanPattern ? 0x7e00 : bits);
    if (isNanPattern || (bits & 0x7fff) == 0x7c00)
      continue;
    double magnitude = (bits & 0x7c00)
                           ? std::ldexp(1024.0 + (bits & 0x3ff),
                                        static_cast<int>(bits >> 10 & 31) - 25)
                           : std::ldexp(bits & 0x3ff, -24);
    ASSERT_EQ(value(wide), bits & 0x8000 ? -magnitude : magnitude);
  }
}

TEST(SoftDouble, Integers) {
  std::mt19937_64 engine(5);
  for (int i = 0; i != Rounds; ++i) {
    U64 number = engine() >> (engine() % 64);
    auto asSigned = static_cast<long long>(number);
    ASSERT_EQ(fromUnsigned(number, false),
              std::bit_cast<U64>(static_cast<double>(number)));
    ASSERT_EQ(fromSigned(-asSigned),
              std::bit_cast<U64>(static_cast<double>(-asSigned)));
    double real = static_cast<double>(asSigned) / 8;
    U64 bits = std::bit_cast<U64>(real);
    ASSERT_EQ(toSigned(bits, 64), static_cast<long long>(real));
    if (real >= 0) {
      ASSERT_EQ(toUnsigned(bits, 64), static_cast<U64>(real));
    }
  }
  EXPECT_EQ(toSigned(std::bit_cast<U64>(1e300), 32), 0x7fffffff);
  EXPECT_EQ(toSigned(std::bit_cast<U64>(-1e300), 32), -0x80000000LL);
  EXPECT_EQ(toSigned(std::bit_cast<U64>(-1e300), 64),
            std::numeric_limits<long long>::min());
  EXPECT_EQ(toUnsigned(std::bit_cast<U64>(5e9), 32), 0xffffffffu);
  EXPECT_EQ(toUnsigned(QuietNan, 32), 0u);
}

} // namespace
