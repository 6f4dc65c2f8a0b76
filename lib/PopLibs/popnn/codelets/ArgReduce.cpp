// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vertices that find the largest or smallest element of rows, and its place.

#include <poplar/HalfFloat.hpp>
#include <poplar/Vertex.hpp>

using namespace poplar;

namespace popnn {

/// Index of the largest or smallest element of each row of in[rows][count].
/// Indices come from `inPlaces`, the results of an earlier step, or, if
/// `Places` is false, count up from firstPlace.
template <class T, bool Max, bool Places> class ArgReduce : public Vertex {
public:
  Input<Vector<T, VectorLayout::ONE_PTR>> in;
  Input<Vector<unsigned, VectorLayout::ONE_PTR>> inPlaces;
  Output<Vector<T, VectorLayout::ONE_PTR>> out;
  Output<Vector<unsigned, VectorLayout::ONE_PTR>> outPlaces;
  unsigned rows;
  unsigned count;
  unsigned firstPlace;

  bool compute() {
    const T *row = &in[0];
    const unsigned *places = &inPlaces[0];
    for (unsigned r = 0; r != rows; ++r, row += count) {
      T best = row[0];
      unsigned at = 0;
      for (unsigned i = 1; i != count; ++i) {
        const T x = row[i];
        if (Max ? best < x : x < best) {
          best = x;
          at = i;
        }
      }
      out[r] = best;
      outPlaces[r] = Places ? places[r * count + at] : firstPlace + at;
    }
    return true;
  }
};

#define INSTANTIATE(T)                                                         \
  template class ArgReduce<T, true, false>;                                    \
  template class ArgReduce<T, true, true>;                                     \
  template class ArgReduce<T, false, false>;                                   \
  template class ArgReduce<T, false, true>;
INSTANTIATE(float)
INSTANTIATE(half)
INSTANTIATE(int)
INSTANTIATE(unsigned)

} // namespace popnn
