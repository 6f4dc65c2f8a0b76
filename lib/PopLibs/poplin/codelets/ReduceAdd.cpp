// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds up the partial sums that several tiles have computed for the same
// results.

#include <poplar/HalfFloat.hpp>
#include <poplar/Vertex.hpp>

using namespace poplar;

namespace poplin {

/// out[i] = sum of partials[n][i] over the depth.
template <class Out, class Partial> class ReduceAdd : public Vertex {
public:
  Input<Vector<Partial, VectorLayout::ONE_PTR>> partials;
  Output<Vector<Out>> out;
  unsigned depth;

  bool compute() {
    const unsigned count = out.size(), d = depth;
    for (unsigned i = 0; i != count; ++i) {
      const Partial *p = &partials[i];
      Partial sum = *p;
      for (unsigned n = 1; n != d; ++n) {
        p += count;
        sum += *p;
      }
      out[i] = Out(sum);
    }
    return true;
  }
};

template class ReduceAdd<float, float>;
template class ReduceAdd<half, float>;

} // namespace poplin
