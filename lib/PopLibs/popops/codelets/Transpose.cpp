// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transposes matrices. Elements are moved as bits, so there is one type for
// each width. Where all sides are even (of halves, multiples of 4 and 2) the
// elements go through registers as vectors: for halves that takes a tenth of
// the time, since storing one alone means reading the word around it.

#include <ipudef.h>
#include <poplar/Vertex.hpp>

#include <type_traits>

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

typedef half2 __attribute__((may_alias)) HalfPair;
typedef half4 __attribute__((may_alias)) HalfQuad;
typedef float2 __attribute__((may_alias)) FloatPair;

// Blocks: what is read at once and written at once, how many columns that is,
// and how one moves, whose rows are `step` apart and columns `toStep`.

/// A word of each of four rows.
struct Halves {
  using In = HalfPair;
  using Out = HalfQuad;
  static constexpr unsigned Rows = 4, Columns = 2;
  static void move(const In *from, unsigned step, Out *to, unsigned toStep) {
    const half2 a = from[0], b = from[step];
    const half2 c = from[2 * step], d = from[3 * step];
    to[0] = half4{a[0], b[0], c[0], d[0]};
    to[toStep] = half4{a[1], b[1], c[1], d[1]};
  }
};

/// Two words of each of two rows.
struct Floats {
  using In = FloatPair;
  using Out = FloatPair;
  static constexpr unsigned Rows = 2, Columns = 2;
  static void move(const In *from, unsigned step, Out *to, unsigned toStep) {
    const float2 a = from[0], b = from[step];
    to[0] = float2{a[0], b[0]};
    to[toStep] = float2{a[1], b[1]};
  }
};

/// Matrices of rows by columns of blocks.
template <class Block>
inline void transposeMatrices(const void *in, void *out, unsigned matrices,
                              unsigned rows, unsigned columns) {
  const auto *from = static_cast<const typename Block::In *>(in);
  auto *to = static_cast<typename Block::Out *>(out);
  for (unsigned m = matrices; m != 0; --m) {
    for (unsigned r = 0; r != rows; ++r) {
      auto *column = to + r;
      for (unsigned c = 0; c != columns; ++c, column += Block::Columns * rows)
        Block::move(from + c, columns, column, rows);
      from += Block::Rows * columns;
    }
    to += Block::Columns * rows * columns;
  }
}

} // namespace

/// Matrices one behind the other, each in[rows][columns] to out[columns][rows];
/// rows are counted in vectors of 8 bytes, columns in pairs.
template <class T> class TransposeBlocks : public Vertex {
public:
  Input<Vector<T, VectorLayout::ONE_PTR, 8>> in;
  Output<Vector<T, VectorLayout::ONE_PTR, 8>> out;
  unsigned matrices;
  unsigned short rows;
  unsigned short columns;

  bool compute() {
    using Block = std::conditional_t<sizeof(T) == 4, Floats, Halves>;
    transposeMatrices<Block>(&in[0], &out[0], matrices, rows, columns);
    return true;
  }
};

template class TransposeBlocks<unsigned short>;
template class TransposeBlocks<unsigned>;

} // namespace popops
