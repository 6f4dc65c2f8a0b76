// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vertices that apply a unary operation to one run of elements.

#include "Instantiate.h"
#include "UnaryFunctions.h"

#include <poplar/Vertex.hpp>

using namespace poplar;

namespace popops {

template <expr::UnaryOpType Op, class T> class UnaryOp1D : public Vertex {
public:
  Input<Vector<T, VectorLayout::ONE_PTR>> in;
  Output<Vector<typename UnaryResult<Op, T>::Type>> out;

  bool compute() {
    mapBlocks<false>(
        &out[0], out.size(), [](auto x) { return unaryBlock<Op, T>(x); },
        &in[0]);
    return true;
  }
};

template <expr::UnaryOpType Op, class T>
class UnaryOp1DInPlace : public Vertex {
public:
  InOut<Vector<T>> inOut;

  bool compute() {
    mapBlocks<true>(&inOut[0], inOut.size(),
                    [](auto x) { return unaryBlock<Op, T>(x); });
    return true;
  }
};

#define INSTANTIATE(OP, T) template class UnaryOp1D<expr::UnaryOpType::OP, T>;
UNARY_ALL(INSTANTIATE)
UNARY_TESTS(INSTANTIATE)
#undef INSTANTIATE

#define INSTANTIATE(OP, T)                                                     \
  template class UnaryOp1DInPlace<expr::UnaryOpType::OP, T>;
UNARY_ALL(INSTANTIATE)
#undef INSTANTIATE

} // namespace popops
