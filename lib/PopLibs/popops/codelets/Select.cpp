// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vertices that choose between two runs of elements by a third.

#include "Choose.h"

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
    mapBlocks<false>(&out[0], out.size(), Choose(), &in1[0], &in2[0],
                     &condition[0]);
    return true;
  }
};

template <class T> class Select1DInPlace : public Vertex {
public:
  InOut<Vector<T>> in1Out;
  Input<Vector<T, VectorLayout::ONE_PTR>> in2;
  Input<Vector<bool, VectorLayout::ONE_PTR>> condition;

  bool compute() {
    mapBlocks<true>(&in1Out[0], in1Out.size(), Choose(), &in2[0],
                    &condition[0]);
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
