// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vertices that sort rows, and that merge sorted runs. A row is a list of keys,
// or of keys with a value each that goes where its key goes; values are moved
// as bits.

#include <poplar/HalfFloat.hpp>
#include <poplar/Vertex.hpp>

using namespace poplar;

namespace popops {

/// Returns true if y, which came after x, must precede it. Equal keys keep
/// their order.
template <class K> inline bool mustSwap(K x, K y, bool descending) {
  return descending ? x < y : y < x;
}

/// Keys without values.
struct NoValues {
  void copy(unsigned, const NoValues &, unsigned) const {}
};
template <class V> struct ValueRow {
  V *row;
  void copy(unsigned to, const ValueRow &other, unsigned from) const {
    row[to] = other.row[from];
  }
};

/// Merges from[begin, middle) and from[middle, end), both sorted.
template <class K, class Values>
inline void mergeRuns(K *keys, const Values &values, const K *from,
                      const Values &fromValues, unsigned begin, unsigned middle,
                      unsigned end, bool descending) {
  unsigned a = begin, b = middle;
  for (unsigned to = begin; to != end; ++to) {
    const bool second =
        a == middle || (b != end && mustSwap(from[a], from[b], descending));
    const unsigned source = second ? b++ : a++;
    keys[to] = from[source];
    values.copy(to, fromValues, source);
  }
}

/// A stable merge sort from short runs up, to and fro between the row and a
/// scratch row.
template <class K, class Values>
inline void sortRow(K *keys, const Values &values, K *scratch,
                    const Values &scratchValues, unsigned count,
                    bool descending) {
  bool inRow = true;
  for (unsigned run = 1; run < count; run *= 2, inRow = !inRow)
    for (unsigned begin = 0; begin < count; begin += 2 * run) {
      const unsigned middle = begin + run < count ? begin + run : count;
      const unsigned end = middle + run < count ? middle + run : count;
      if (inRow)
        mergeRuns(scratch, scratchValues, keys, values, begin, middle, end,
                  descending);
      else
        mergeRuns(keys, values, scratch, scratchValues, begin, middle, end,
                  descending);
    }
  if (inRow)
    return;
  for (unsigned i = 0; i != count; ++i) {
    keys[i] = scratch[i];
    values.copy(i, scratchValues, i);
  }
}

template <class K> class SortKeys : public Vertex {
public:
  /// [rows][count]
  InOut<Vector<K, VectorLayout::ONE_PTR>> keys;
  /// [count]
  Output<Vector<K, VectorLayout::ONE_PTR>> scratchKeys;
  unsigned rows;
  unsigned count;
  bool descending;

  bool compute() {
    K *row = &keys[0];
    for (unsigned i = rows; i != 0; --i, row += count)
      sortRow(row, NoValues(), &scratchKeys[0], NoValues(), count, descending);
    return true;
  }
};

template <class K, class V> class SortPairs : public Vertex {
public:
  InOut<Vector<K, VectorLayout::ONE_PTR>> keys;
  InOut<Vector<V, VectorLayout::ONE_PTR>> values;
  Output<Vector<K, VectorLayout::ONE_PTR>> scratchKeys;
  Output<Vector<V, VectorLayout::ONE_PTR>> scratchValues;
  unsigned rows;
  unsigned count;
  bool descending;
  /// The values are set to the places of the keys first, from firstPlace on.
  bool number;
  unsigned firstPlace;

  bool compute() {
    K *keyRow = &keys[0];
    V *valueRow = &values[0];
    for (unsigned i = rows; i != 0; --i, keyRow += count, valueRow += count) {
      if (number)
        for (unsigned j = 0; j != count; ++j)
          valueRow[j] = V(firstPlace + j);
      sortRow(keyRow, ValueRow<V>{valueRow}, &scratchKeys[0],
              ValueRow<V>{&scratchValues[0]}, count, descending);
    }
    return true;
  }
};

/// Merges two sorted runs, the first of `first` keys, `count` together.
template <class K> class MergeKeys : public Vertex {
public:
  Input<Vector<K, VectorLayout::ONE_PTR>> keys;
  Output<Vector<K, VectorLayout::ONE_PTR>> outKeys;
  unsigned first;
  unsigned count;
  bool descending;

  bool compute() {
    mergeRuns(&outKeys[0], NoValues(), &keys[0], NoValues(), 0, first, count,
              descending);
    return true;
  }
};

template <class K, class V> class MergePairs : public Vertex {
public:
  Input<Vector<K, VectorLayout::ONE_PTR>> keys;
  Input<Vector<V, VectorLayout::ONE_PTR>> values;
  Output<Vector<K, VectorLayout::ONE_PTR>> outKeys;
  Output<Vector<V, VectorLayout::ONE_PTR>> outValues;
  unsigned first;
  unsigned count;
  bool descending;

  bool compute() {
    mergeRuns(&outKeys[0], ValueRow<V>{&outValues[0]}, &keys[0],
              ValueRow<V>{const_cast<V *>(&values[0])}, 0, first, count,
              descending);
    return true;
  }
};

#define INSTANTIATE(K)                                                         \
  template class SortKeys<K>;                                                  \
  template class SortPairs<K, unsigned>;                                       \
  template class SortPairs<K, unsigned short>;                                 \
  template class MergeKeys<K>;                                                 \
  template class MergePairs<K, unsigned>;                                      \
  template class MergePairs<K, unsigned short>;
INSTANTIATE(float)
INSTANTIATE(half)
INSTANTIATE(int)
INSTANTIATE(unsigned)

} // namespace popops
