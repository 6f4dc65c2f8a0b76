// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vertices that set a run of elements to one value.

#include "Blocks.h"

#include <poplar/Vertex.hpp>

using namespace poplar;

namespace popops {

template <class T> class Fill : public Vertex {
public:
  Output<Vector<T>> out;
  T value;

  bool compute() {
    constexpr unsigned N = blockSize<T>();
    mapBlocks<false>(&out[0], out.size(),
                     [block = splat<N>(T(value))] { return block; });
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
