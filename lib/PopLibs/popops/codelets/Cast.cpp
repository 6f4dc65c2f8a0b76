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

} // namespace popops
