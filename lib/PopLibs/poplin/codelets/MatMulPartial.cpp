// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block of a matrix product on one worker. Results are computed in blocks of
// 2 x 2 (and smaller at the edges) that stay in registers: the pair of rows is
// one vector, so that two multiplications and two additions make four products.
// A vertex with one result, as the last layers of small networks have, is a dot
// product with no blocks around it. The host has longer vectors and more
// registers (HostMatMul.h).

#include <poplar/HalfFloat.hpp>
#include <poplar/Vertex.hpp>

#ifdef __IPU__
#include "lib/PopLibs/popops/codelets/Blocks.h"
#else
#include "HostMatMul.h"
#endif

using namespace poplar;
#ifdef __IPU__
using popops::Block;
using popops::isAligned;
using popops::isSame;
using popops::loadBlock;
#endif

namespace poplin {

/// out[rows][columns] = sum over depth of A(row, d) B(d, column). A lies in
/// memory as [row][d], or with TransposedA as [d][row]; B as [d][column], or
/// with TransposedB as [column][d]. Strides are from one outer index to the
/// next, so that workers share operands and have some rows or columns each.
template <class T, bool TransposedA, bool TransposedB>
class MatMulPartial : public Vertex {
public:
  Input<Vector<T, VectorLayout::ONE_PTR>> a;
  Input<Vector<T, VectorLayout::ONE_PTR>> b;
  Output<Vector<float, VectorLayout::ONE_PTR>> out;
  unsigned rows;
  unsigned columns;
  unsigned depth;
  unsigned strideA;
  unsigned strideB;

#ifndef __IPU__
  bool compute() {
    HostMatMul<T>({&a[0], TransposedA ? 1 : strideA, TransposedA ? strideA : 1},
                  {&b[0], TransposedB ? strideB : 1, TransposedB ? 1 : strideB},
                  depth)
        .compute(&out[0], rows, columns);
    return true;
  }
#else
  bool compute() {
    const unsigned numRows = rows;
    if (numRows == 1 && columns == 1) {
      out[0] = product(&a[0], &b[0], depth);
      return true;
    }
    unsigned row = 0;
    for (; row + 2 <= numRows; row += 2)
      computeRows<2>(row);
    for (; row != numRows; ++row)
      computeRows<1>(row);
    return true;
  }

private:
  /// Two of four elements.
  template <unsigned First>
  POPULUS_INLINE static float2 floats(const Block<T, 4> &x) {
    return __builtin_convertvector(
        __builtin_shufflevector(x, x, First, First + 1), float2);
  }

  /// The only result: a loop that needs few registers, in which halves that
  /// follow each other are taken four at a time.
  POPULUS_INLINE float product(const T *pa, const T *pb, unsigned left) {
    const unsigned nextA = TransposedA ? strideA : 1;
    const unsigned nextB = TransposedB ? 1 : strideB;
    float sum = 0;
    if constexpr (isSame<T, half> && !TransposedA && TransposedB)
      if ((isAligned(pa) & isAligned(pb)) && left >= 4) {
        float2 sums = {0, 0};
        const T *const end = pa + (left & ~3u);
        for (; pa != end; pa += 4, pb += 4) {
          const Block<T, 4> x = loadBlock<4>(pa), y = loadBlock<4>(pb);
          sums += floats<0>(x) * floats<0>(y);
          sums += floats<2>(x) * floats<2>(y);
        }
        sum = sums[0] + sums[1];
        left &= 3;
      }
    for (; left != 0; --left) {
      sum += float(*pa) * float(*pb);
      pa += nextA;
      pb += nextB;
    }
    return sum;
  }

  template <unsigned Rows>
  __attribute__((noinline)) void computeRows(unsigned row) {
    const unsigned numColumns = columns;
    unsigned column = 0;
    for (; column + 2 <= numColumns; column += 2)
      computeBlock<Rows, 2>(row, column);
    for (; column != numColumns; ++column)
      computeBlock<Rows, 1>(row, column);
  }

  template <unsigned Rows, unsigned Columns>
  void computeBlock(unsigned row, unsigned column) {
    using Sums = float __attribute__((ext_vector_type(Rows)));
    const unsigned sa = strideA, sb = strideB;
    const unsigned nextRow = TransposedA ? 1 : sa;
    const unsigned nextColumn = TransposedB ? sb : 1;
    const unsigned nextA = TransposedA ? sa : 1;
    const unsigned nextB = TransposedB ? 1 : sb;
    const T *pa = &a[row * nextRow];
    const T *pb = &b[column * nextColumn];
    Sums sum[Columns] = {};
    for (unsigned left = depth; left != 0; --left) {
      Sums x;
      for (unsigned r = 0; r != Rows; ++r)
        x[r] = float(pa[r * nextRow]);
      for (unsigned c = 0; c != Columns; ++c)
        sum[c] += x * float(pb[c * nextColumn]);
      pa += nextA;
      pb += nextB;
    }
    float *results = &out[row * columns + column];
    for (unsigned r = 0; r != Rows; ++r)
      for (unsigned c = 0; c != Columns; ++c)
        results[r * columns + c] = sum[c][r];
  }
#endif
};

#define INSTANTIATE(T)                                                         \
  template class MatMulPartial<T, false, false>;                               \
  template class MatMulPartial<T, false, true>;                                \
  template class MatMulPartial<T, true, false>;                                \
  template class MatMulPartial<T, true, true>;
INSTANTIATE(float)
INSTANTIATE(half)

} // namespace poplin
