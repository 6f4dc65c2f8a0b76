// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vertices that reduce a block [rows][depth][width] of elements over its middle
// dimension: rows of a matrix (width 1), columns, or partial results of several
// tiles. Several vertices can share a block, each with some of its columns.
//
// Floats and halves are taken in blocks (Blocks.h): of a row, whose lanes are
// brought together at its end, or of neighbouring columns.

#include "Blocks.h"
#include "Order.h"

#include "lib/PopLibs/popops/codelets/RowBlocks.h"
#include "lib/PopLibs/poputil/Opaque.h"

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
  else if constexpr (isSame<T, float> && Op == Operation::MAX)
    return larger(acc, x);
  else if constexpr (isSame<T, float> && Op == Operation::MIN)
    return smaller(acc, x);
  else if constexpr (Op == Operation::MAX)
    return acc < x ? x : acc;
  else if constexpr (Op == Operation::MIN)
    return x < acc ? x : acc;
  else if constexpr (Op == Operation::LOGICAL_AND)
    return acc & x;
  else
    return acc | x;
}

/// Value of an accumulator after its first element.
template <Operation Op, class T> inline T first(T x) {
  if constexpr (Op == Operation::SQUARE_ADD)
    return x * x;
  else
    return x;
}

/// Operation that combines partial results.
constexpr Operation laterOperation(Operation op) {
  return op == Operation::SQUARE_ADD ? Operation::ADD : op;
}
constexpr bool isOrder(Operation op) {
  return op == Operation::MAX || op == Operation::MIN;
}

/// Reduces lane by lane. The largest and smallest of halves are halves; sums
/// and products are kept in float.
template <Operation Op, class In, bool Aligned> struct Lanes {
  static constexpr unsigned N = blockSize<In>();
  static constexpr bool Widen = isSame<In, half> && !isOrder(Op);
  typedef In Vector __attribute__((ext_vector_type(N)));
  typedef float Wide __attribute__((ext_vector_type(N)));
  template <bool W, class A, class B> struct Choose {
    using Type = B;
  };
  template <class A, class B> struct Choose<true, A, B> {
    using Type = A;
  };
  using Acc = typename Choose<Widen, Wide, Vector>::Type;

  POPULUS_INLINE static Acc load(const In *p) {
    const Vector x = Aligned ? loadBlock<N>(p) : gatherBlock<N>(p);
    if constexpr (Widen)
      return __builtin_convertvector(x, Acc);
    else
      return x;
  }
  POPULUS_INLINE static Acc start(const In *p) {
    const Acc x = load(p);
    if constexpr (Op == Operation::SQUARE_ADD)
      return x * x;
    else
      return x;
  }
  POPULUS_INLINE static Acc combine(Acc acc, const In *p) {
    const Acc x = load(p);
    if constexpr (Op == Operation::ADD)
      return acc + x;
    else if constexpr (Op == Operation::SQUARE_ADD)
      return acc + x * x;
    else if constexpr (Op == Operation::MUL)
      return acc * x;
    else if constexpr (Op == Operation::MAX)
      return __builtin_elementwise_max(acc, x);
    else
      return __builtin_elementwise_min(acc, x);
  }
};

/// Lanes for rows, where adjacent halves can be added at once.
template <Operation Op, class In> struct RowLanes : Lanes<Op, In, true> {};
#ifdef __IPU__
template <> struct RowLanes<Operation::ADD, half> {
  POPULUS_INLINE static float2 start(const half *p) {
    return __builtin_ipu_f16v4sum(loadBlock<4>(p));
  }
  POPULUS_INLINE static float2 combine(float2 acc, const half *p) {
    return acc + start(p);
  }
};
#endif

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
    if (width == 1 && stride == 1)
      reduceRows();
    else
      reduceMatrices();
    return true;
  }

private:
  using Acc = typename Accumulator<In>::Type;
  static constexpr unsigned N = isSame<In, bool> ? 1 : blockSize<In>();

  void reduceRows() {
    const unsigned d = depth;
    const In *row = &in[0];
    Out *to = &out[0], *const end = to + out.size();
    for (; to != end; row += d, ++to)
      *to = Out(reduceRow(poplibs::opaque(row), d));
  }

  /// A function of its own, for it needs many registers, which would be saved
  /// for rows as well.
  __attribute__((noinline)) void reduceMatrices() {
    const unsigned d = depth, w = width, step = stride;
    const In *block = &in[0];
    Out *to = &out[0], *const end = to + out.size();
    for (; to != end; block += d * step, to += w)
      reduceColumns(block, to, d, w, step);
  }

  static Acc reduceRow(const In *p, unsigned count) {
    Acc acc = first<Op>(Acc(*p++));
    --count;
    if constexpr (N != 1)
      if (count >= RowWorthBlocks) {
        for (; !isAligned(p); --count)
          acc = combine<Op>(acc, Acc(*p++));
        acc = combine<laterOperation(Op)>(acc, reduceBlocks<N>(p, count / N));
        p += count & ~(N - 1);
        count &= N - 1;
      }
    for (; count != 0; --count)
      acc = combine<Op>(acc, Acc(*p++));
    return acc;
  }

  template <unsigned N> static Acc reduceBlocks(const In *p, unsigned blocks) {
    using L = RowLanes<Op, In>;
    auto lanes = L::start(p);
    for (unsigned b = 1; b != blocks; ++b)
      lanes = L::combine(lanes, p += N);
    Acc acc = Acc(lanes[0]);
    for (unsigned k = 1; k != sizeof(lanes) / sizeof(lanes[0]); ++k)
      acc = combine<laterOperation(Op)>(acc, Acc(lanes[k]));
    return acc;
  }

  static void reduceColumns(const In *block, Out *to, unsigned d, unsigned w,
                            unsigned step) {
    unsigned column = 0;
    if constexpr (N != 1)
      if (isWord(to)) {
        const bool aligned = isAligned(block) && step % N == 0;
        for (; column + N <= w; column += N)
          if (aligned)
            reduceColumnBlock<N, true>(block + column, to + column, d, step);
          else
            reduceColumnBlock<N, false>(block + column, to + column, d, step);
      }
    for (; column != w; ++column) {
      const In *p = block + column;
      Acc acc = first<Op>(Acc(*p));
      for (unsigned n = 1; n != d; ++n)
        acc = combine<Op>(acc, Acc(*(p += step)));
      to[column] = Out(acc);
    }
  }

  template <unsigned N, bool Aligned>
  static void reduceColumnBlock(const In *p, Out *to, unsigned d,
                                unsigned step) {
    using L = Lanes<Op, In, Aligned>;
    auto lanes = L::start(p);
    for (unsigned n = 1; n != d; ++n)
      lanes = L::combine(lanes, p += step);
    Block<Out, N> results;
    for (unsigned k = 0; k != N; ++k)
      results[k] = Out(lanes[k]);
    storePart<Out, N>(to, results, N);
  }

  static bool isWord(const Out *p) {
    return (reinterpret_cast<__UINTPTR_TYPE__>(p) & 3) == 0;
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
