// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Representation of a poplar::Tensor. A view has two levels: a *base*, which is
// a concatenation of runs of variable elements, and a strided box over it, as
// in NumPy. Slicing, transposing and broadcasting only change the box, in time
// independent of the number of elements. Concatenation, and reshapes that a box
// cannot express, make a new base. Runs have a stride as well, so that
// flattening a transposed matrix costs one run per row instead of one per
// element.

#ifndef POPULUS_LIB_POPLAR_GRAPH_TENSORVIEW_H
#define POPULUS_LIB_POPLAR_GRAPH_TENSORVIEW_H

#include <poplar/Type.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace poplar::core {

class GraphImpl;

/// Points to a graph, or is null once the graph is gone. It outlives the graph,
/// so that tensors and vertices can check it.
struct GraphLife {
  std::atomic<GraphImpl *> graph{nullptr};
};

/// Elements offset, offset + stride, ... of a variable.
struct Run {
  std::uint32_t variable = 0;
  std::int64_t offset = 0;
  std::int64_t stride = 1;
  std::uint64_t count = 0;
};

/// Collects runs, joining neighbours that continue each other.
class RunList {
public:
  void append(Run run);
  const std::vector<Run> &get() const { return runs; }
  std::vector<Run> take() { return std::move(runs); }

private:
  std::vector<Run> runs;
};

struct Dim {
  std::uint64_t size = 0;
  std::int64_t stride = 0; // in positions of the base
};

/// A list of runs with random access.
class Base {
public:
  explicit Base(std::vector<Run> runs);

  std::uint64_t size() const { return total; }

  /// Calls emit(Run) for the elements at position, position + stride, ...
  template <typename Emit>
  void walk(std::int64_t position, std::int64_t stride, std::uint64_t count,
            Emit &&emit) const {
    while (count != 0) {
      const std::size_t i = find(static_cast<std::uint64_t>(position));
      const Run &run = runs[i];
      const std::int64_t inside =
          position - static_cast<std::int64_t>(starts[i]);
      std::uint64_t here = count;
      if (stride > 0)
        here = (run.count - 1 - inside) / stride + 1;
      else if (stride < 0)
        here = inside / -stride + 1;
      here = here < count ? here : count;
      emit(Run{run.variable, run.offset + inside * run.stride,
               run.stride * stride, here});
      position += stride * static_cast<std::int64_t>(here);
      count -= here;
    }
  }

  /// The same for the elements of a two-dimensional box. If the inner dimension
  /// goes from run to run and the outer one along the runs, the runs are looked
  /// up once for all similar rows. An example are adjacent channels of a tensor
  /// in the order [channels, rows, columns].
  template <typename Emit>
  void walkRows(std::int64_t position, const Dim &outer, const Dim &inner,
                Emit &&emit) const {
    std::vector<RowPiece> row;
    for (std::uint64_t i = 0; i != outer.size;) {
      const std::int64_t begin =
          position + static_cast<std::int64_t>(i) * outer.stride;
      const std::uint64_t alike =
          runs.size() == 1 ? 1
                           : findRow(begin, outer, inner, outer.size - i, row);
      if (alike == 1) {
        walk(begin, inner.stride, inner.size, emit);
        ++i;
        continue;
      }
      for (std::uint64_t k = 0; k != alike; ++k)
        for (const RowPiece &piece : row) {
          Run run = piece.run;
          run.offset += static_cast<std::int64_t>(k) * piece.step;
          emit(run);
        }
      i += alike;
    }
  }

  /// Returns true if the base has elements of a variable for which
  /// isConstant(variable) is true. The answer is memoised: every connection of
  /// a slice asks, and many slices can share a base.
  template <typename IsConstant>
  bool containsConstant(IsConstant &&isConstant) const {
    signed char known = constants.load(std::memory_order_relaxed);
    if (known < 0) {
      known = std::any_of(runs.begin(), runs.end(), [&](const Run &run) {
        return isConstant(run.variable);
      });
      constants.store(known, std::memory_order_relaxed);
    }
    return known != 0;
  }

private:
  /// Part of a run that a row takes, and its step from row to row.
  struct RowPiece {
    Run run;
    std::int64_t step;
  };

  std::size_t find(std::uint64_t position) const;
  /// Returns how many of the rows from \p position, at most \p rows, go through
  /// the same runs. \p row becomes the parts of the first row. If the result is
  /// 1, \p row is unspecified.
  std::uint64_t findRow(std::int64_t position, const Dim &outer,
                        const Dim &inner, std::uint64_t rows,
                        std::vector<RowPiece> &row) const;

  std::vector<Run> runs;
  std::vector<std::uint64_t> starts; // position of each run's first element
  std::uint64_t total = 0;
  mutable std::atomic<signed char> constants{-1}; // -1: not known
};

/// Joins dimensions that step through the base as one, and drops those of size
/// 1: the fewest loops that visit the same positions in the same order.
std::vector<Dim> joinDims(std::span<const Dim> dims);

class TensorView {
public:
  /// A whole variable.
  TensorView(GraphImpl *graph, Type type, std::uint32_t variable,
             std::span<const std::size_t> shape);
  /// The runs one after another.
  TensorView(GraphImpl *graph, Type type, std::vector<Run> runs,
             std::span<const std::size_t> shape);

  GraphImpl *graph;
  const GraphLife *life;
  Type type;
  std::vector<Dim> dims;
  std::int64_t offset = 0;
  std::shared_ptr<const Base> base;
  /// Metadata element of quarters; null for other types.
  std::shared_ptr<const TensorView> metadata;

  /// If false, `graph` is dangling.
  bool isGraphAlive() const { return life->graph != nullptr; }
  unsigned rank() const { return static_cast<unsigned>(dims.size()); }
  std::uint64_t numElements() const;
  std::vector<std::size_t> shape() const;

  /// Calls emit(Run) for the elements in order.
  template <typename Emit> void forEachRun(Emit &&emit) const {
    if (numElements() != 0)
      walkBox(joinDims(dims), offset, emit);
  }

  /// Calls emit(variable, begin, count) for the longest runs of neighbouring
  /// elements in order.
  template <typename Emit> void forEachInterval(Emit &&emit) const;

  std::vector<Run> runs() const;
  /// One dimension over a base of its own.
  TensorView withOwnBase() const;
  /// Returns true if the box visits each position of the base once, in any
  /// order.
  bool isPermutationOfBase() const;
  /// One dimension, the elements of the base in its order.
  TensorView wholeBase() const;
  /// The same elements in another shape of equal size.
  TensorView reshaped(std::span<const std::size_t> shape) const;

  template <typename Emit>
  void walkBox(std::span<const Dim> joined, std::int64_t position,
               Emit &&emit) const {
    if (joined.empty())
      return base->walk(position, 0, 1, emit);
    if (joined.size() == 1)
      return base->walk(position, joined[0].stride, joined[0].size, emit);
    if (joined.size() == 2)
      return base->walkRows(position, joined[0], joined[1], emit);
    for (std::uint64_t i = 0; i != joined[0].size; ++i)
      walkBox(joined.subspan(1),
              position + static_cast<std::int64_t>(i) * joined[0].stride, emit);
  }
};

/// Joins runs to intervals of neighbouring elements.
template <typename Emit> class IntervalJoiner {
public:
  explicit IntervalJoiner(Emit &emit) : emit(emit) {}

  void add(const Run &run) {
    if (run.stride == 1 || run.count == 1)
      return addInterval(run.variable, static_cast<std::uint64_t>(run.offset),
                         run.count);
    for (std::uint64_t i = 0; i != run.count; ++i)
      addInterval(run.variable,
                  static_cast<std::uint64_t>(
                      run.offset + static_cast<std::int64_t>(i) * run.stride),
                  1);
  }

  void finish() {
    if (count != 0)
      emit(variable, begin, count);
  }

private:
  void addInterval(std::uint32_t newVariable, std::uint64_t newBegin,
                   std::uint64_t newCount) {
    if (count != 0 && newVariable == variable && newBegin == begin + count) {
      count += newCount;
      return;
    }
    finish();
    variable = newVariable;
    begin = newBegin;
    count = newCount;
  }

  Emit &emit;
  std::uint32_t variable = 0;
  std::uint64_t begin = 0, count = 0;
};

template <typename Emit> void TensorView::forEachInterval(Emit &&emit) const {
  IntervalJoiner<std::remove_reference_t<Emit>> joiner(emit);
  forEachRun([&](const Run &run) { joiner.add(run); });
  joiner.finish();
}

/// Returns true if two views have the same elements in the same order.
bool areSame(const TensorView &a, const TensorView &b);

/// Puts views together along a dimension; their other dimensions agree.
TensorView concatenate(std::span<const TensorView *const> views,
                       unsigned dimension);

} // namespace poplar::core

#endif
