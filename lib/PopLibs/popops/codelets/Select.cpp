// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vertices that choose between two runs of elements by a third.

#include <poplar/HalfFloat.hpp>
#include <poplar/Vertex.hpp>

using namespace poplar;

namespace popops {

template <class T> class Select1D : public Vertex {
public:
  Input<Vector<T, VectorLayout::ONE_PTR>> in1;
  Input<Vector<T, VectorLayout::ONE_PTR>> in2;
  Input<Vector<bool, VectorLayout::ONE_PTR>> condition;
  Output<Vector<T>> out;

  bool compute() {
    const unsigned count = out.size();
    for (unsigned i = 0; i != count; ++i)
      out[i] = condition[i] ? in1[i] : in2[i];
    return true;
  }
};

template <class T> class Select1DInPlace : public Vertex {
public:
  InOut<Vector<T>> in1Out;
  Input<Vector<T, VectorLayout::ONE_PTR>> in2;
  Input<Vector<bool, VectorLayout::ONE_PTR>> condition;

  bool compute() {
    const unsigned count = in1Out.size();
    for (unsigned i = 0; i != count; ++i)
      if (!condition[i])
        in1Out[i] = in2[i];
    return true;
  }
};

#define INSTANTIATE(T)                                                         \
  template class Select1D<T>;                                                  \
  template class Select1DInPlace<T>;
INSTANTIATE(float)
INSTANTIATE(half)
INSTANTIATE(int)
INSTANTIATE(unsigned)
INSTANTIATE(bool)

} // namespace popops
