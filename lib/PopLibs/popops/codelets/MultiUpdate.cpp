// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vertices that update rows of tables at indices known only at run time. Rows
// with the same index are applied one after another.

#include "Words.h"

#include <poplar/HalfFloat.hpp>
#include <poplar/Vertex.hpp>
#include <popops/OperationDef.hpp>

using namespace poplar;

namespace popops {

struct Replace {
  template <class T> static T apply(T, T x) { return x; }
};

template <Operation Op> struct Combine {
  template <class T> static T apply(T old, T x) {
    if constexpr (Op == Operation::ADD)
      return old + x;
    else if constexpr (Op == Operation::MUL)
      return old * x;
    else if constexpr (Op == Operation::MAX)
      return old < x ? x : old;
    else
      return x < old ? x : old;
  }
};

/// Applies updates[groups][count][size][width] to rows firstRow, ... of
/// table[groups][rows][width]: updates[group][i][j] to row
/// indices[group][i] + j. Rows that are not in the table are left out.
template <class T, class Apply> struct Update {
  static void run(T *to, const unsigned *index, const T *from, unsigned groups,
                  unsigned firstRow, unsigned rows, unsigned width,
                  unsigned count, unsigned size) {
    for (unsigned g = groups; g != 0; --g) {
      // Most rows are another vertex's, so going past them must be quick.
      if (size == 1)
        for (unsigned i = count; i != 0; --i, from += width) {
          const unsigned row = *index++ - firstRow;
          if (row < rows)
            applyRow(to + row * width, from, width);
        }
      else
        for (unsigned i = count; i != 0; --i) {
          unsigned row = *index++ - firstRow;
          for (unsigned j = size; j != 0; --j, ++row, from += width)
            if (row < rows)
              applyRow(to + row * width, from, width);
        }
      to += rows * width;
    }
  }

  static void applyRow(T *to, const T *from, unsigned width) {
    for (unsigned k = 0; k != width; ++k)
      to[k] = Apply::apply(to[k], from[k]);
  }
};

#define FIELDS(T)                                                              \
  InOut<Vector<T, VectorLayout::ONE_PTR>> table;                               \
  Input<Vector<unsigned, VectorLayout::ONE_PTR>> indices;                      \
  Input<Vector<T, VectorLayout::ONE_PTR>> updates;                             \
  unsigned groups;                                                             \
  unsigned firstRow;                                                           \
  unsigned rows;                                                               \
  unsigned width;                                                              \
  unsigned count;                                                              \
  unsigned size;

template <class T> class MultiUpdate : public Vertex {
public:
  FIELDS(T)
  bool compute() {
    if (areWords(width, &table[0], &updates[0]))
      Update<Word, Replace>::run(wordsOf(&table[0]), &indices[0],
                                 wordsOf(&updates[0]), groups, firstRow, rows,
                                 width * sizeof(T) / sizeof(Word), count, size);
    else
      Update<T, Replace>::run(&table[0], &indices[0], &updates[0], groups,
                              firstRow, rows, width, count, size);
    return true;
  }
};

template <Operation Op, class T> class MultiUpdateOp : public Vertex {
public:
  FIELDS(T)
  bool compute() {
    Update<T, Combine<Op>>::run(&table[0], &indices[0], &updates[0], groups,
                                firstRow, rows, width, count, size);
    return true;
  }
};

template class MultiUpdate<unsigned>;
template class MultiUpdate<unsigned short>;
template class MultiUpdate<unsigned char>;

#define INSTANTIATE(T)                                                         \
  template class MultiUpdateOp<Operation::ADD, T>;                             \
  template class MultiUpdateOp<Operation::MUL, T>;                             \
  template class MultiUpdateOp<Operation::MAX, T>;                             \
  template class MultiUpdateOp<Operation::MIN, T>;
INSTANTIATE(float)
INSTANTIATE(half)
INSTANTIATE(int)
INSTANTIATE(unsigned)

} // namespace popops
