// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vertices that compute A += scale * B on a run of elements.

#include <poplar/HalfFloat.hpp>
#include <poplar/Vertex.hpp>

using namespace poplar;

namespace popops {

inline float mulAdd(float scale, float b, float a) { return a + scale * b; }
inline half mulAdd(float scale, half b, half a) {
  return half(float(a) + scale * float(b));
}
template <class T> class ScaledAdd1D : public Vertex {
public:
  InOut<Vector<T>> A;
  Input<Vector<T, VectorLayout::ONE_PTR>> B;
  Input<float> scale;

  bool compute() {
    const float s = *scale;
    const unsigned count = A.size();
    for (unsigned i = 0; i != count; ++i)
      A[i] = mulAdd(s, B[i], A[i]);
    return true;
  }
};

template class ScaledAdd1D<float>;
template class ScaledAdd1D<half>;

} // namespace popops
