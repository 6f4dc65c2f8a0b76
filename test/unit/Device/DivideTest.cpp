// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The integer arithmetic of the device library against the host's.

#include "lib/Device/Divide.h"

#include <gtest/gtest.h>
#include <random>

using namespace populus::device;

namespace {

/// Random numbers of all magnitudes, and the edges.
template <typename T> class Numbers {
public:
  T next() {
    static constexpr T Edges[] = {
        0, 1, 2, T(~T(0)), T(~T(0)) / 2, T(~T(0)) / 2 + 1};
    std::uint64_t random = engine();
    if (random % 8 == 0)
      return Edges[random / 8 % 6];
    return static_cast<T>(engine()) >> (random % (sizeof(T) * 8));
  }

private:
  std::mt19937_64 engine{42};
};

template <typename T> void checkUnsigned() {
  Numbers<T> numbers;
  for (int i = 0; i != 20000; ++i) {
    T a = numbers.next(), b = numbers.next(), rest;
    T quotient = divide<T>(a, b, rest);
    ASSERT_EQ(quotient, b ? a / b : 0) << a << " / " << b;
    ASSERT_EQ(rest, b ? a % b : a) << a << " % " << b;
  }
}

TEST(Divide, Unsigned32) { checkUnsigned<U32>(); }
TEST(Divide, Unsigned64) { checkUnsigned<U64>(); }

template <typename T, typename S> void checkSigned() {
  Numbers<T> numbers;
  for (int i = 0; i != 20000; ++i) {
    S a = static_cast<S>(numbers.next()), b = static_cast<S>(numbers.next());
    if (b == 0 || (b == -1 && a == std::numeric_limits<S>::min()))
      continue; // the host traps
    S rest;
    ASSERT_EQ((divideSigned<T, S>(a, b, rest)), a / b) << a << " / " << b;
    ASSERT_EQ(rest, a % b) << a << " % " << b;
  }
}

TEST(Divide, Signed32) { checkSigned<U32, int>(); }
TEST(Divide, Signed64) { checkSigned<U64, long long>(); }

TEST(Multiply, AgainstHost) {
  Numbers<U64> numbers;
  for (int i = 0; i != 20000; ++i) {
    U64 a = numbers.next(), b = numbers.next();
    unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
    bool rest;
    ASSERT_EQ(multiply(a, b), a * b);
    ASSERT_EQ(multiplyHigh(a, b, rest), static_cast<U64>(product >> 64));
    ASSERT_EQ(rest, static_cast<U64>(product) != 0);
  }
}

} // namespace
