// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts the elements above a limit; each worker counts a part.

#include <poplar/Vertex.hpp>
using namespace poplar;
namespace sten {
template <typename T> class Count : public MultiVertex {
public:
  Count();
  Input<Vector<T>> in;
  Output<Vector<unsigned, VectorLayout::ONE_PTR>> c;
  const T limit;
  bool compute(unsigned w) {
    unsigned n = 0;
    for (unsigned i = w; i < in.size(); i += numWorkers())
      n += in[i] > limit;
    c[w] = n;
    return true;
  }
};
template class Count<float>;
template class Count<half>;
template class Count<int>;
} // namespace sten
