// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transposes matrices. Elements are moved as bits, so there is one type for
// each width. Where all sides are even (of halves, multiples of 4 and 2) the
// elements go through registers as vectors: for halves that takes a tenth of
// the time, since storing one alone means reading the word around it.

#include <ipudef.h>
#include <poplar/Vertex.hpp>

using namespace poplar;

namespace popops {

/// in[rows][columns] to out[columns][rows].
template <class T> class Transpose : public Vertex {
public:
  Input<Vector<T, VectorLayout::ONE_PTR>> in;
  Output<Vector<T, VectorLayout::ONE_PTR>> out;
  unsigned rows;
  unsigned columns;

  bool compute() {
    T *to = &out[0];
    for (unsigned c = 0; c != columns; ++c) {
      const T *from = &in[c];
      for (unsigned r = 0; r != rows; ++r, from += columns)
        *to++ = *from;
    }
    return true;
  }
};

template class Transpose<unsigned short>;
template class Transpose<unsigned>;

namespace {

/// What is read at once, and written at once.
template <class T> struct Blocks;
template <> struct Blocks<unsigned short> {
  typedef half2 __attribute__((may_alias)) In;
  typedef half4 __attribute__((may_alias)) Out;
};
template <> struct Blocks<unsigned> {
  typedef float2 __attribute__((may_alias)) In;
  typedef float2 __attribute__((may_alias)) Out;
};

/// A word of each of four rows, or two words of each of two, the rows `step`
/// apart.
inline void transposeBlock(const Blocks<unsigned short>::In *from,
                           unsigned step, Blocks<unsigned short>::Out *to,
                           unsigned toStep) {
  const half2 a = from[0], b = from[step];
  const half2 c = from[2 * step], d = from[3 * step];
  const half4 ab = __builtin_shufflevector(a, b, 0, 2, 1, 3);
  const half4 cd = __builtin_shufflevector(c, d, 0, 2, 1, 3);
  to[0] = __builtin_shufflevector(ab, cd, 0, 1, 4, 5);
  to[toStep] = __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
}
inline void transposeBlock(const Blocks<unsigned>::In *from, unsigned step,
                           Blocks<unsigned>::Out *to, unsigned toStep) {
  const float2 a = from[0], b = from[step];
  to[0] = float2{a[0], b[0]};
  to[toStep] = float2{a[1], b[1]};
}

} // namespace

/// Matrices one behind the other, each in[rows][columns] to out[columns][rows];
/// rows are counted in vectors of 8 bytes, columns in pairs.
template <class T> class TransposeBlocks : public Vertex {
  using In = typename Blocks<T>::In;
  using Out = typename Blocks<T>::Out;
  static constexpr unsigned Rows = sizeof(Out) / sizeof(T);
  static constexpr unsigned Columns = sizeof(In) / sizeof(T);

public:
  Input<Vector<T, VectorLayout::ONE_PTR, 8>> in;
  Output<Vector<T, VectorLayout::ONE_PTR, 8>> out;
  unsigned matrices;
  unsigned short rows;
  unsigned short columns;

  bool compute() {
    const In *from = reinterpret_cast<const In *>(&in[0]);
    Out *to = reinterpret_cast<Out *>(&out[0]);
    const unsigned step = columns, toStep = rows;
    for (unsigned m = matrices; m != 0; --m) {
      for (unsigned r = 0; r != toStep; ++r) {
        Out *column = to + r;
        for (unsigned c = 0; c != step; ++c, column += Columns * toStep)
          transposeBlock(from + c, step, column, toStep);
        from += Rows * step;
      }
      to += Columns * toStep * step;
    }
    return true;
  }
};

template class TransposeBlocks<unsigned short>;
template class TransposeBlocks<unsigned>;

} // namespace popops
