// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transposes a matrix. Elements are moved as bits, so there is one type for
// each width.

#include <poplar/Vertex.hpp>

using namespace poplar;

namespace popops {

/// in[rows][columns] to out[columns][rows].
template <class T> class Transpose : public Vertex {
public:
  Input<Vector<T, VectorLayout::ONE_PTR>> in;
  Output<Vector<T, VectorLayout::ONE_PTR>> out;
  unsigned rows;
  unsigned columns;

  bool compute() {
    T *to = &out[0];
    for (unsigned c = 0; c != columns; ++c) {
      const T *from = &in[c];
      for (unsigned r = 0; r != rows; ++r, from += columns)
        *to++ = *from;
    }
    return true;
  }
};

template class Transpose<unsigned short>;
template class Transpose<unsigned>;

} // namespace popops
