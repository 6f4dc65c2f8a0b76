// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vertices that apply a binary operation to two runs of elements.

#include "BinaryFunctions.h"
#include "Instantiate.h"

#include <poplar/Vertex.hpp>

using namespace poplar;

namespace popops {

template <expr::BinaryOpType Op, class T> class BinaryOp1D : public Vertex {
public:
  Input<Vector<T, VectorLayout::ONE_PTR>> in1;
  Input<Vector<T, VectorLayout::ONE_PTR>> in2;
  Output<Vector<BinaryResult<Op, T>>> out;

  bool compute() {
    mapBlocks<false>(
        &out[0], out.size(),
        [](auto x, auto y) { return binaryBlock<Op, T>(x, y); }, &in1[0],
        &in2[0]);
    return true;
  }
};

template <expr::BinaryOpType Op, class T>
class BinaryOp1DInPlace : public Vertex {
public:
  InOut<Vector<T>> in1Out;
  Input<Vector<T, VectorLayout::ONE_PTR>> in2;

  bool compute() {
    mapBlocks<true>(
        &in1Out[0], in1Out.size(),
        [](auto x, auto y) { return binaryBlock<Op, T>(x, y); }, &in2[0]);
    return true;
  }
};

#define INSTANTIATE(OP, T) template class BinaryOp1D<expr::BinaryOpType::OP, T>;
#define BINARY_OP(OP, CLASS, NAME, TYPES, ...) INSTANCES_##TYPES(OP)
#include <popops/BinaryOps.def>
#undef INSTANTIATE

#define INSTANTIATE(OP, T)                                                     \
  template class BinaryOp1DInPlace<expr::BinaryOpType::OP, T>;
#define BINARY_OP(OP, CLASS, NAME, TYPES, ...) SAME_TYPE_##TYPES(OP)
#include <popops/BinaryOps.def>
#undef INSTANTIATE

} // namespace popops
