// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vertices that pick rows of tables by indices that are known at run time. They
// move bits only, so there is one for each size of an element.

#include "Words.h"

#include <poplar/Vertex.hpp>

using namespace poplar;

namespace popops {

template <class T> inline void copyRow(T *to, const T *from, unsigned count) {
  for (unsigned i = 0; i != count; ++i)
    to[i] = from[i];
}

template <class T> inline void clearRow(T *to, unsigned count) {
  for (unsigned i = 0; i != count; ++i)
    to[i] = 0;
}

/// out[groups][count][size][width] from rows firstRow, ... of
/// table[groups][rows][width]: row indices[group][i] + j for out[group][i][j].
/// For rows that are not in the table, `clear` asks for zeros; else what they
/// would set is left alone, for another vertex has it.
template <class T> class MultiSlice : public Vertex {
public:
  Input<Vector<T, VectorLayout::ONE_PTR>> table;
  Input<Vector<unsigned, VectorLayout::ONE_PTR>> indices;
  Output<Vector<T, VectorLayout::ONE_PTR>> out;
  unsigned groups;
  unsigned firstRow;
  unsigned rows;
  unsigned width;
  unsigned count;
  unsigned size;
  bool clear;

  bool compute() {
    if (areWords(width, &table[0], &out[0]))
      run<Word>(wordsOf(&table[0]), wordsOf(&out[0]),
                width * sizeof(T) / sizeof(Word));
    else
      run<T>(&table[0], &out[0], width);
    return true;
  }

private:
  template <class Unit> void run(const Unit *from, Unit *to, unsigned columns) {
    const unsigned *index = &indices[0];
    const unsigned numRows = rows;
    for (unsigned g = groups; g != 0; --g) {
      // Most rows may be another vertex's, so going past them must be quick.
      if (size == 1)
        for (unsigned i = count; i != 0; --i, to += columns)
          setRow(to, from, *index++ - firstRow, numRows, columns);
      else
        for (unsigned i = count; i != 0; --i) {
          unsigned row = *index++ - firstRow;
          for (unsigned j = size; j != 0; --j, ++row, to += columns)
            setRow(to, from, row, numRows, columns);
        }
      from += numRows * columns;
    }
  }

  template <class Unit>
  void setRow(Unit *to, const Unit *from, unsigned row, unsigned numRows,
              unsigned columns) {
    if (row < numRows)
      copyRow(to, from + row * columns, columns);
    else if (clear)
      clearRow(to, columns);
  }
};

/// out[groups][count][size][width] from parts[parts][groups][count][size]
/// [width], each of which has the rows of another part of the table: part p has
/// rows p * rowsPerPart and following, of `rows` together. Zeros for other
/// rows.
template <class T> class SelectParts : public Vertex {
public:
  Input<Vector<T, VectorLayout::ONE_PTR>> in;
  Input<Vector<unsigned, VectorLayout::ONE_PTR>> indices;
  Output<Vector<T, VectorLayout::ONE_PTR>> out;
  unsigned rows;
  unsigned rowsPerPart;
  unsigned count;
  unsigned size;
  unsigned width;

  bool compute() {
    if (areWords(width, &in[0], &out[0]))
      run<Word>(wordsOf(&in[0]), wordsOf(&out[0]),
                width * sizeof(T) / sizeof(Word));
    else
      run<T>(&in[0], &out[0], width);
    return true;
  }

private:
  template <class Unit> void run(const Unit *from, Unit *to, unsigned columns) {
    const unsigned step = count * size * columns;
    for (unsigned i = 0; i != count; ++i)
      for (unsigned j = 0; j != size; ++j, from += columns, to += columns) {
        const unsigned row = indices[i] + j;
        if (row < rows)
          copyRow(to, from + row / rowsPerPart * step, columns);
        else
          clearRow(to, columns);
      }
  }
};

#define INSTANTIATE(T)                                                         \
  template class MultiSlice<T>;                                                \
  template class SelectParts<T>;
INSTANTIATE(unsigned)
INSTANTIATE(unsigned short)
INSTANTIATE(unsigned char)

} // namespace popops
