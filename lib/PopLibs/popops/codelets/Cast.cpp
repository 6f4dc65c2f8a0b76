// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vertices that convert a run of elements to another type.

#include "Conversions.h"

#include <poplar/Vertex.hpp>

using namespace poplar;

namespace popops {

template <class From, class To> class Cast1D : public Vertex {
public:
  Input<Vector<From, VectorLayout::ONE_PTR>> in;
  Output<Vector<To>> out;

  bool compute() {
    mapBlocks<false>(&out[0], out.size(), ConvertBlock<From, To>(), &in[0]);
    return true;
  }
};

#define BOTH_WAYS(A, B)                                                        \
  template class Cast1D<A, B>;                                                 \
  template class Cast1D<B, A>;
BOTH_WAYS(float, half)
BOTH_WAYS(float, int)
BOTH_WAYS(float, unsigned)
BOTH_WAYS(float, bool)
BOTH_WAYS(float, unsigned char)
BOTH_WAYS(float, signed char)
BOTH_WAYS(float, char)
BOTH_WAYS(float, short)
BOTH_WAYS(float, unsigned short)
BOTH_WAYS(half, int)
BOTH_WAYS(half, unsigned)
BOTH_WAYS(half, bool)
BOTH_WAYS(half, unsigned char)
BOTH_WAYS(half, signed char)
BOTH_WAYS(half, char)
BOTH_WAYS(half, short)
BOTH_WAYS(half, unsigned short)
BOTH_WAYS(int, unsigned)
BOTH_WAYS(int, bool)
BOTH_WAYS(int, unsigned char)
BOTH_WAYS(int, signed char)
BOTH_WAYS(int, char)
BOTH_WAYS(int, short)
BOTH_WAYS(int, unsigned short)
BOTH_WAYS(unsigned, bool)
BOTH_WAYS(unsigned, unsigned char)
BOTH_WAYS(unsigned, signed char)
BOTH_WAYS(unsigned, char)
BOTH_WAYS(unsigned, short)
BOTH_WAYS(unsigned, unsigned short)

#ifdef POPULUS_HAS_QUARTER

/// Format of quarters with this metadata, with or without the scale.
inline float8::Form formOf(const MetadataType *metadata, bool unscaled) {
  float8::Form form = float8::unpack(*metadata);
  if (unscaled)
    form.scale = 0;
  return form;
}

template <class To> class Cast1D<quarter, To> : public Vertex {
public:
  Input<Vector<quarter, VectorLayout::ONE_PTR>> in;
  Output<Vector<To>> out;
  bool unscaled;

  bool compute() {
    const float8::Form form = formOf(in.getMetadata(), unscaled);
    for (unsigned i = 0; i != out.size(); ++i)
      out[i] =
          To(__builtin_bit_cast(float, float8::toFloatBits(in[i].value, form)));
    return true;
  }
};

template <class From> class Cast1D<From, quarter> : public Vertex {
public:
  Input<Vector<From, VectorLayout::ONE_PTR>> in;
  Output<Vector<quarter>> out;

  bool compute() {
    const float8::Form form = float8::unpack(*out.getMetadata());
    for (unsigned i = 0; i != out.size(); ++i)
      out[i].value = float8::fromFloatBits(
          __builtin_bit_cast(unsigned, float(in[i])), form);
    return true;
  }
};

BOTH_WAYS(quarter, half)
BOTH_WAYS(quarter, float)

class ProductOfScales : public Vertex {
public:
  Input<MetadataType> a, b;
  Output<float> product;

  bool compute() {
    const int exponent = float8::unpack(*a).scale + float8::unpack(*b).scale;
    *product = __builtin_bit_cast(float, unsigned(127 + exponent) << 23);
    return true;
  }
};

#endif

} // namespace popops
