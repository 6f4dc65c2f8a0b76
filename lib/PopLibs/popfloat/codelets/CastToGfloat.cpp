// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rounds values to a generic format, on the bits of floats: what a format does
// not have is cut off the mantissa.

#include <poplar/HalfFloat.hpp>
#include <poplar/Vertex.hpp>

#include <cstdint>
#include <cstring>
#include <limits>

using namespace poplar;

namespace popfloat {
namespace experimental {

/// The order of popfloat::experimental::RoundType.
enum GfloatRounding { Zero, NearestEven, NearestAway, Up, Down };
enum GfloatOverflow { ToLargest, ToInfinity, ToNaN };

/// value / 2^shift, as a whole number.
inline std::uint32_t shiftRounded(std::uint32_t value, unsigned shift,
                                  bool negative, unsigned rounding) {
  if (shift == 0)
    return value;
  // All of it is below a half, and only its being more than 0 counts.
  if (shift > 30) {
    value = value != 0;
    shift = 30;
  }
  const std::uint32_t whole = value >> shift;
  const std::uint32_t rest = value & ((1u << shift) - 1);
  const std::uint32_t half = 1u << (shift - 1);
  bool away = false;
  switch (rounding) {
  case NearestEven:
    away = rest > half || (rest == half && (whole & 1));
    break;
  case NearestAway:
    away = rest >= half;
    break;
  case Up:
    away = rest != 0 && !negative;
    break;
  case Down:
    away = rest != 0 && negative;
    break;
  }
  return whole + away;
}

/// x * 2^exponent, for exponents from -252 to 127.
inline float timesPowerOf2(float x, int exponent) {
  const auto power = [](int e) {
    const std::uint32_t bits = std::uint32_t(e + 127) << 23;
    float result;
    std::memcpy(&result, &bits, sizeof result);
    return result;
  };
  constexpr int Smallest = -126;
  return exponent < Smallest ? x * power(Smallest) * power(exponent - Smallest)
                             : x * power(exponent);
}

template <class IN, class OUT> class CastToGfloat : public Vertex {
public:
  Input<Vector<IN>> in;
  Output<Vector<OUT, VectorLayout::ONE_PTR>> out;
  unsigned mantissaBits;
  int minExponent;
  float largest;
  unsigned rounding;
  unsigned overflow;
  bool denormals;

  bool compute() {
    for (unsigned i = 0; i != in.size(); ++i)
      out[i] = OUT(rounded(float(in[i])));
    return true;
  }

private:
  float rounded(float x) const {
    std::uint32_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    const bool negative = bits >> 31;
    const std::uint32_t field = bits >> 23 & 0xff;
    if (field == 0xff && (bits & 0x7fffff))
      return x;
    if (field == 0xff)
      return tooLarge(negative);
    // x = significand * 2^(exponent - 23).
    const std::uint32_t significand =
        field ? (bits & 0x7fffff) | 0x800000 : bits & 0x7fffff;
    const int exponent = (field ? int(field) : 1) - 127;
    const int lowest = exponent < minExponent ? minExponent : exponent;
    const unsigned shift = 23 - mantissaBits + unsigned(lowest - exponent);
    const std::uint32_t whole =
        shiftRounded(significand, shift, negative, rounding);
    const float magnitude =
        timesPowerOf2(float(whole), lowest - int(mantissaBits));
    if (magnitude > largest) {
      // Rounding towards 0 never leaves the format.
      const bool inwards = rounding == Zero || (rounding == Up && negative) ||
                           (rounding == Down && !negative);
      return inwards && overflow != ToNaN ? signedValue(largest, negative)
                                          : tooLarge(negative);
    }
    if (!denormals && whole < 1u << mantissaBits)
      return signedValue(0.0f, negative);
    return signedValue(magnitude, negative);
  }

  static float signedValue(float magnitude, bool negative) {
    return negative ? -magnitude : magnitude;
  }

  float tooLarge(bool negative) const {
    if (overflow == ToNaN)
      return std::numeric_limits<float>::quiet_NaN();
    return signedValue(overflow == ToInfinity
                           ? std::numeric_limits<float>::infinity()
                           : largest,
                       negative);
  }
};

template class CastToGfloat<float, float>;
template class CastToGfloat<float, half>;
template class CastToGfloat<half, float>;
template class CastToGfloat<half, half>;

} // namespace experimental
} // namespace popfloat
