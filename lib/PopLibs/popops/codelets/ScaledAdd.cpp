// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vertices that compute A += scale * B on a run of elements.

#include "Blocks.h"

#include <poplar/Vertex.hpp>

using namespace poplar;

namespace popops {

/// Halves are computed in float.
struct MulAdd {
  float scale;

  template <class B> POPULUS_INLINE B operator()(B a, B b) const {
    if constexpr (isSame<B, half>) {
      return half(float(a) + scale * float(b));
    } else if constexpr (isSame<B, Block<half, 4>>) {
      for (unsigned k = 0; k != 4; k += 2) {
        const float2 sum = float2{float(a[k]), float(a[k + 1])} +
                           scale * float2{float(b[k]), float(b[k + 1])};
        a[k] = half(sum[0]);
        a[k + 1] = half(sum[1]);
      }
      return a;
    } else {
      return a + scale * b;
    }
  }
};

template <class T> class ScaledAdd1D : public Vertex {
public:
  InOut<Vector<T>> A;
  Input<Vector<T, VectorLayout::ONE_PTR>> B;
  Input<float> scale;

  bool compute() {
    mapBlocks<true>(&A[0], A.size(), MulAdd{*scale}, &B[0]);
    return true;
  }
};

template class ScaledAdd1D<float>;
template class ScaledAdd1D<half>;

} // namespace popops
