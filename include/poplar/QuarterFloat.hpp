// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The 8-bit float of codelets. The type has no arithmetic: toHalf and toFloat
// convert to a type with arithmetic, and toQuarter rounds back. All of them
// take the metadata, which gives the bits their meaning. An edge of quarters
// has its own:
//
//     Input<Vector<quarter>> in;
//     half x = poplar::toHalf(in[0], poplar::unpackMetadata(in.getMetadata()));
//
// The targets ipu1 and ipu2 have no quarters; popc reports an error if a
// codelet names the type (lib/Frontend/Float8Names.cpp).

#ifndef POPLAR_QUARTERFLOAT_HPP
#define POPLAR_QUARTERFLOAT_HPP

#ifndef __POPC__
#error "poplar/QuarterFloat.hpp is for codelets, which popc compiles"
#endif

#if !defined(__IPU__) || __IPU_ARCH_VERSION__ >= 21
#define POPULUS_HAS_QUARTER 1

#include <poplar/HalfFloat.hpp>
#include <poplar/QuarterConversion.hpp>

class quarter {
public:
  quarter() = default;
  /// Makes a quarter from its bits.
  constexpr quarter(unsigned bits) : value(static_cast<unsigned char>(bits)) {}
  constexpr quarter(int bits) : quarter(static_cast<unsigned>(bits)) {}
  /// Numbers convert with poplar::toQuarter, which takes metadata.
  quarter(float) = delete;
  quarter(double) = delete;

  unsigned char value;
};

struct quarter_metadata {
  enum format { f143, f152 } fmt;
  signed char scale;
};

namespace poplar {

using ::quarter;
using ::quarter_metadata;

/// Metadata as it is in memory.
typedef unsigned char MetadataType;

namespace float8 {

inline Form formOf(quarter_metadata metadata) {
  return {metadata.fmt == quarter_metadata::f143, metadata.scale};
}

} // namespace float8

inline quarter_metadata unpackMetadata(MetadataType metadata) {
  const float8::Form form = float8::unpack(metadata);
  return {form.is143 ? quarter_metadata::f143 : quarter_metadata::f152,
          static_cast<signed char>(form.scale)};
}
inline quarter_metadata unpackMetadata(const MetadataType *metadata) {
  return unpackMetadata(*metadata);
}
inline MetadataType packMetadata(quarter_metadata metadata) {
  return float8::pack(float8::formOf(metadata));
}

/// Converts exactly.
inline float toFloat(quarter x, quarter_metadata metadata) {
  return __builtin_bit_cast(
      float, float8::toFloatBits(x.value, float8::formOf(metadata)));
}
/// Rounds if the scale makes the value too small for a half.
inline half toHalf(quarter x, quarter_metadata metadata) {
  return static_cast<half>(toFloat(x, metadata));
}

/// Rounds to nearest, ties to even. A value too large becomes the largest
/// quarter.
inline quarter toQuarter(float x, quarter_metadata metadata) {
  return quarter(static_cast<unsigned>(float8::fromFloatBits(
      __builtin_bit_cast(unsigned, x), float8::formOf(metadata))));
}
inline quarter toQuarter(half x, quarter_metadata metadata) {
  return toQuarter(static_cast<float>(x), metadata);
}

} // namespace poplar

#endif
#endif
