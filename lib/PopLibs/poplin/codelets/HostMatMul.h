// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block of a matrix product on the host: vectors of 16 columns, of which some
// rows' sums stay in registers over a chunk of the depth, or those of 64
// columns where there are few rows. Each sum is made in the order of the depth,
// with fused multiplications where the processor has them.

#ifndef POPULUS_LIB_POPLIBS_POPLIN_CODELETS_HOSTMATMUL_H
#define POPULUS_LIB_POPLIBS_POPLIN_CODELETS_HOSTMATMUL_H

#include "HostVectors.h"

namespace poplin {

/// Strides of an operand's elements: across its rows or columns, and along the
/// depth.
template <class T> struct MatrixView {
  const T *begin;
  unsigned across, along;
};

template <class T> class HostMatMul {
public:
  HostMatMul(const MatrixView<T> &a, const MatrixView<T> &b, unsigned depth)
      : a(a), b(b), depth(depth) {}

  /// \p out is [rows][columns].
  void compute(float *out, unsigned rows, unsigned columns) {
    const bool fewRows = rows < 4 && columns > Lanes;
    unsigned column = 0;
    for (; column < columns; column += fewRows ? 4 * Lanes : Lanes) {
      const Block block{out + column, rows, columns, column};
      if (fewRows)
        computeColumns<4>(block);
      else
        computeColumns<1>(block);
    }
  }

private:
  static constexpr unsigned Lanes = 16, MostWeights = 4096;
  using Sums = HostFloats<Lanes>;

  /// Results of all rows from a column on.
  struct Block {
    float *out;
    unsigned rows, columns, column;
  };

  const MatrixView<T> a, b;
  const unsigned depth;
  float weights[MostWeights]; // of a chunk, [depth][columns]

  template <unsigned Vectors> void computeColumns(const Block &block) {
    constexpr unsigned Chunk = MostWeights / (Lanes * Vectors);
    const unsigned left = block.columns - block.column;
    const unsigned count = left < Lanes * Vectors ? left : Lanes * Vectors;
    for (unsigned first = 0; first == 0 || first < depth; first += Chunk) {
      const unsigned steps = depth - first < Chunk ? depth - first : Chunk;
      gather(block.column, count, first, steps, Lanes * Vectors);
      unsigned row = 0;
      constexpr unsigned Most = Vectors == 1 ? 12 : 3;
      const unsigned atOnce = sumsAtOnce<Lanes>() / Vectors;
      while (row != block.rows)
        row += computeRows<Vectors, Most>(block, count, row, first, steps,
                                          atOnce ? atOnce : 1);
    }
  }

  /// Columns that do not exist are zero.
  void gather(unsigned column, unsigned count, unsigned first, unsigned steps,
              unsigned width) {
    const T *from = b.begin + column * b.across + first * b.along;
    float *to = weights;
    for (unsigned d = 0; d != steps; ++d, from += b.along, to += width) {
      if (b.across == 1)
        for (unsigned c = 0; c != count; ++c)
          to[c] = float(from[c]);
      else
        for (unsigned c = 0; c != count; ++c)
          to[c] = float(from[c * b.across]);
      for (unsigned c = count; c != width; ++c)
        to[c] = 0;
    }
  }

  /// So many rows, or fewer where there are fewer or registers have no room.
  template <unsigned Vectors, unsigned Rows>
  unsigned computeRows(const Block &block, unsigned count, unsigned row,
                       unsigned first, unsigned steps, unsigned atOnce) const {
    if constexpr (Rows > 1)
      if (Rows > atOnce || Rows > block.rows - row)
        return computeRows<Vectors, Rows - 1>(block, count, row, first, steps,
                                              atOnce);
    addProducts<Vectors, Rows>(block, count, row, first, steps);
    return Rows;
  }

  template <unsigned Vectors, unsigned Rows>
  __attribute__((noinline)) void addProducts(const Block &block, unsigned count,
                                             unsigned row, unsigned first,
                                             unsigned steps) const {
#pragma clang fp contract(fast)
    union Row {
      Sums sums[Vectors];
      float values[Lanes * Vectors];
    } rows[Rows];
    float *out = block.out + row * block.columns;
    for (unsigned r = 0; r != Rows; ++r) {
      for (unsigned v = 0; v != Vectors; ++v)
        rows[r].sums[v] = 0;
      if (first != 0)
        __builtin_memcpy(rows[r].values, out + r * block.columns,
                         count * sizeof(float));
    }
    Sums sums[Rows][Vectors];
#pragma clang loop unroll(full)
    for (unsigned r = 0; r != Rows; ++r)
#pragma clang loop unroll(full)
      for (unsigned v = 0; v != Vectors; ++v)
        sums[r][v] = rows[r].sums[v];
    const T *x = a.begin + row * a.across + first * a.along;
    const float *w = weights;
    for (unsigned d = 0; d != steps; ++d, x += a.along, w += Lanes * Vectors)
#pragma clang loop unroll(full)
      for (unsigned v = 0; v != Vectors; ++v) {
        Sums weight;
        __builtin_memcpy(&weight, w + v * Lanes, sizeof(weight));
#pragma clang loop unroll(full)
        for (unsigned r = 0; r != Rows; ++r)
          sums[r][v] += float(x[r * a.across]) * weight;
      }
#pragma clang loop unroll(full)
    for (unsigned r = 0; r != Rows; ++r) {
#pragma clang loop unroll(full)
      for (unsigned v = 0; v != Vectors; ++v)
        rows[r].sums[v] = sums[r][v];
      __builtin_memcpy(out + r * block.columns, rows[r].values,
                       count * sizeof(float));
    }
  }
};

} // namespace poplin

#endif
