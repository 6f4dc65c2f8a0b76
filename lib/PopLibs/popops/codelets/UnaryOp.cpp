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
  Output<Vector<UnaryResult<Op, T>>> out;

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
#define UNARY_OP(OP, CLASS, NODE, FUNCTION, NAME, TYPES, ...)                  \
  INSTANCES_##TYPES(OP)
#include <popops/UnaryOps.def>
#undef INSTANTIATE

#define INSTANTIATE(OP, T)                                                     \
  template class UnaryOp1DInPlace<expr::UnaryOpType::OP, T>;
#define UNARY_OP(OP, CLASS, NODE, FUNCTION, NAME, TYPES, ...)                  \
  SAME_TYPE_##TYPES(OP)
#include <popops/UnaryOps.def>
#undef INSTANTIATE

} // namespace popops
