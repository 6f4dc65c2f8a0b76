// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vertices that set a run of elements to one value.

#include <poplar/HalfFloat.hpp>
#include <poplar/Vertex.hpp>

using namespace poplar;

namespace popops {

template <class T> class Fill : public Vertex {
public:
  Output<Vector<T>> out;
  T value;

  bool compute() {
    const T v = value;
    const unsigned count = out.size();
    for (unsigned i = 0; i != count; ++i)
      out[i] = v;
    return true;
  }
};

template class Fill<float>;
template class Fill<half>;
template class Fill<int>;
template class Fill<unsigned>;
template class Fill<bool>;
template class Fill<char>;
template class Fill<signed char>;
template class Fill<unsigned char>;
template class Fill<short>;
template class Fill<unsigned short>;

} // namespace popops
