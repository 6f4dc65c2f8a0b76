// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vertices that apply a binary operation where one operand has the same value
// for runs of elements (a scalar, or a value for each channel): it is given
// once for each run.

#include "BinaryFunctions.h"
#include "Instantiate.h"

#include <poplar/Vertex.hpp>

using namespace poplar;

namespace popops {

/// out = dense op repeated, or with `Reversed` repeated op dense.
template <expr::BinaryOpType Op, class T, bool Reversed>
class BroadcastOp1D : public Vertex {
public:
  Input<Vector<T, VectorLayout::ONE_PTR>> dense;
  Input<Vector<T>> repeated;
  Output<Vector<BinaryResult<Op, T>, VectorLayout::ONE_PTR>> out;
  /// The lengths of the runs, parallel to `repeated`.
  Vector<unsigned short, VectorLayout::ONE_PTR> runs;

  bool compute() {
    mapRuns<false>(&out[0], &dense[0], &repeated[0], &runs[0], repeated.size(),
                   [](auto x, auto value) {
                     return Reversed ? binaryBlock<Op, T>(value, x)
                                     : binaryBlock<Op, T>(x, value);
                   });
    return true;
  }
};

template <expr::BinaryOpType Op, class T>
class BroadcastOp1DInPlace : public Vertex {
public:
  InOut<Vector<T, VectorLayout::ONE_PTR>> denseOut;
  Input<Vector<T>> repeated;
  Vector<unsigned short, VectorLayout::ONE_PTR> runs;

  bool compute() {
    mapRuns<true, T, T>(
        &denseOut[0], nullptr, &repeated[0], &runs[0], repeated.size(),
        [](auto x, auto value) { return binaryBlock<Op, T>(x, value); });
    return true;
  }
};

#define INSTANTIATE(OP, T)                                                     \
  template class BroadcastOp1D<expr::BinaryOpType::OP, T, false>;              \
  template class BroadcastOp1D<expr::BinaryOpType::OP, T, true>;
#define BINARY_OP(OP, CLASS, NAME, TYPES, ...) INSTANCES_##TYPES(OP)
#include <popops/BinaryOps.def>
#undef INSTANTIATE

#define INSTANTIATE(OP, T)                                                     \
  template class BroadcastOp1DInPlace<expr::BinaryOpType::OP, T>;
#define BINARY_OP(OP, CLASS, NAME, TYPES, ...) SAME_TYPE_##TYPES(OP)
#include <popops/BinaryOps.def>
#undef INSTANTIATE

} // namespace popops
