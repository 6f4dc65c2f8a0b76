// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversion of quarters, which are 8-bit floats. Host code, codelets on every
// target and the emulator all use these functions and so round alike. The
// functions use integers only and include no other header.
//
// There are two formats of a sign, exponent and fraction: F143 with 4 and 3
// bits and an exponent bias of 8, F152 with 5 and 2 bits and a bias of 16. The
// code 0x80 is the only NaN; there is no infinity and no negative zero. The
// largest numbers are 240 and 57344, the smallest 2^-10 and 2^-17. The facts
// are those of arXiv:2206.02915 and of the RFC of StableHLO about
// Float8E4M3FNUZ and Float8E5M2FNUZ.
//
// The value of a number is its significand and exponent, times 2^scale. Format
// and scale are one byte, the metadata: bit 7 is set for F143, and bits 5 to 0
// are the signed scale.

#ifndef POPLAR_QUARTERCONVERSION_HPP
#define POPLAR_QUARTERCONVERSION_HPP

namespace poplar {
namespace float8 {

enum : unsigned { Nan = 0x80, Largest = 0x7f };

/// Contents of a metadata byte.
struct Form {
  bool is143;
  int scale;

  int fractionBits() const { return is143 ? 3 : 2; }
  int bias() const { return is143 ? 8 : 16; }
};

enum : int { LeastScale = -32, GreatestScale = 31 };

inline unsigned char pack(Form form) {
  return static_cast<unsigned char>((form.is143 ? 0x80 : 0) |
                                    (form.scale & 0x3f));
}

inline Form unpack(unsigned char metadata) {
  const int bits = metadata & 0x3f;
  const Form form = {(metadata & 0x80) != 0, bits - ((bits & 0x20) << 1)};
  return form;
}

/// Returns the bits of the float with the same value. Every quarter is a float.
inline unsigned toFloatBits(unsigned code, Form form) {
  if (code == Nan)
    return 0x7fc00000;
  const int fractionBits = form.fractionBits();
  const unsigned one = 1u << fractionBits;
  int exponent = static_cast<int>((code & 0x7f) >> fractionBits);
  unsigned significand = code & (one - 1);
  if (exponent != 0)
    significand |= one;
  else if (significand == 0)
    return 0;
  else
    for (exponent = 1; significand < one; --exponent)
      significand <<= 1;
  const int rebiased = exponent - form.bias() + 127 + form.scale;
  return (code & 0x80) << 24 | static_cast<unsigned>(rebiased) << 23 |
         (significand & (one - 1)) << (23 - fractionBits);
}

/// Returns the quarter nearest to the float with these bits, ties to even. A
/// number too large becomes the largest quarter, or NaN.
inline unsigned char fromFloatBits(unsigned bits, Form form,
                                   bool nanOnOverflow = false) {
  const unsigned magnitude = bits & 0x7fffffff;
  const unsigned sign = bits >> 24 & 0x80;
  if (magnitude > 0x7f800000)
    return Nan;
  if (magnitude < 0x00800000) // a denormal float is smaller than any quarter
    return 0;
  const unsigned significand = (magnitude & 0x7fffff) | 0x800000;
  const int exponent =
      static_cast<int>(magnitude >> 23) - 127 - form.scale + form.bias();
  // The bits that do not fit. Denormal quarters all have the exponent 1.
  const int shift =
      23 - form.fractionBits() + (exponent < 1 ? 1 - exponent : 0);
  if (shift > 24)
    return 0;
  const unsigned rest = significand & ((1u << shift) - 1);
  const unsigned middle = 1u << (shift - 1);
  unsigned code = significand >> shift;
  if (rest > middle || (rest == middle && (code & 1)))
    ++code;
  // The leading one counts as 1 in the exponent, also one from rounding up.
  if (exponent > 1)
    code += static_cast<unsigned>(exponent - 1) << form.fractionBits();
  if (code > Largest)
    code = nanOnOverflow ? static_cast<unsigned>(Nan) : sign | Largest;
  else if (code != 0)
    code |= sign;
  return static_cast<unsigned char>(code);
}

} // namespace float8
} // namespace poplar

#endif
