// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vertices that reduce a block [rows][depth][width] of elements over its middle
// dimension: rows of a matrix (width 1), columns, or partial results of several
// tiles. Several vertices can share a block, each with some of its columns.

#include <poplar/HalfFloat.hpp>
#include <poplar/Vertex.hpp>
#include <popops/OperationDef.hpp>

using namespace poplar;

namespace popops {

/// The type that sums and products of T are kept in while they grow.
template <class T> struct Accumulator {
  using Type = T;
};
template <> struct Accumulator<half> {
  using Type = float;
};

template <Operation Op, class T> inline T combine(T acc, T x) {
  if constexpr (Op == Operation::ADD)
    return acc + x;
  else if constexpr (Op == Operation::SQUARE_ADD)
    return acc + x * x;
  else if constexpr (Op == Operation::MUL)
    return acc * x;
  else if constexpr (Op == Operation::MAX)
    return acc < x ? x : acc;
  else if constexpr (Op == Operation::MIN)
    return x < acc ? x : acc;
  else if constexpr (Op == Operation::LOGICAL_AND)
    return acc & x;
  else
    return acc | x;
}

/// What an accumulator holds after its first element.
template <Operation Op, class T> inline T first(T x) {
  if constexpr (Op == Operation::SQUARE_ADD)
    return x * x;
  else
    return x;
}

/// `depth` is at least 1. Each of the results starts from its first element.
template <Operation Op, class In, class Out> class Reduce : public Vertex {
public:
  Input<Vector<In, VectorLayout::ONE_PTR>> in;
  Output<Vector<Out>> out;
  unsigned depth;
  /// Columns of this vertex.
  unsigned width;
  /// Columns of the block: from an element to the next that it is combined
  /// with.
  unsigned stride;

  bool compute() {
    using Acc = typename Accumulator<In>::Type;
    const unsigned d = depth, w = width, step = stride, count = out.size();
    unsigned row = 0;
    for (unsigned o = 0; o != count; row += d * step)
      for (unsigned column = 0; column != w; ++column, ++o) {
        unsigned i = row + column;
        Acc acc = first<Op>(Acc(in[i]));
        for (unsigned n = 1; n != d; ++n) {
          i += step;
          acc = combine<Op>(acc, Acc(in[i]));
        }
        out[o] = Out(acc);
      }
    return true;
  }
};

#define ARITHMETIC(IN, OUT)                                                    \
  template class Reduce<Operation::ADD, IN, OUT>;                              \
  template class Reduce<Operation::SQUARE_ADD, IN, OUT>;                       \
  template class Reduce<Operation::MUL, IN, OUT>;
#define ORDER(T)                                                               \
  template class Reduce<Operation::MAX, T, T>;                                 \
  template class Reduce<Operation::MIN, T, T>;
ARITHMETIC(float, float)
ARITHMETIC(half, float)
ARITHMETIC(half, half)
ARITHMETIC(float, half)
ARITHMETIC(int, int)
ARITHMETIC(unsigned, unsigned)
ORDER(float)
ORDER(half)
ORDER(int)
ORDER(unsigned)
template class Reduce<Operation::LOGICAL_AND, bool, bool>;
template class Reduce<Operation::LOGICAL_OR, bool, bool>;

} // namespace popops
