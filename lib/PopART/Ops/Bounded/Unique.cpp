// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Unique of a tensor that is known only at run time. Example, with bound 4:
//   input    [5, 2, 5, 9]
//   unique   [2, 5, 9, 0]    padded with 0; or slices along an axis
//   indices  [1, 0, 3, -1]   first occurrence, padded with -1
//   inverse  [1, 0, 1, 2]
//   counts   [1, 2, 1, 0]    padded with 0
// Elements are sorted together with their indices, so that equal ones form a
// group: its first occurrence is the least index, and its count follows from
// the group's bounds. Slices are sorted stably by each element, last one first.

#include "lib/PopART/Ops/Bounded/BoundedOp.h"
#include "lib/PopART/Ops/Bounded/FloatOrder.h"
#include "lib/PopART/Ops/Elementwise/Expressions.h"
#include "lib/PopART/Ops/Indexing/Indexing.h"
#include "lib/PopART/Ops/Reduction/Reduction.h"
#include "lib/PopART/Ops/Shape/Shapes.h"

#include <popops/Cast.hpp>
#include <popops/DynamicSlice.hpp>
#include <popops/Loop.hpp>
#include <popops/Sort.hpp>
#include <popops/TopK.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/Util.hpp>

namespace populus::popir {

namespace {

using poplar::Tensor;

class BoundedUnique final : public BoundedOp {
public:
  using BoundedOp::BoundedOp;

  std::vector<Result> bounded() const override {
    Shape values = data();
    values[axis()] = bound();
    return {{{input(0).info.type, values}, axis()},
            {{DataType::Int64, {bound()}}, 0},
            {{DataType::Int64, {mostRows()}}, {}},
            {{DataType::Int64, {bound()}}, 0}};
  }
  std::int64_t mostRows() const override { return data()[axis()]; }
  /// In float16 different elements could become equal.
  bool needsFloat32(std::size_t) const override { return true; }

protected:
  void lowerRows(Lowering &lowering) const override {
    const Sorted sorted = sortedRows(lowering);
    const Tensor begins = beginsOfGroups(lowering, sorted.rows);
    const Rows groups = chosen(lowering, begins);
    const int n = groups.none;
    // A group ends where the next one begins.
    const Tensor ends =
        poplar::concat(groups.places.slice(1, groups.places.numElements()),
                       filled(lowering, *this, {1}, DataType::Int32, n));
    Tensor counts =
        mapped(lowering, *this, expr::_2 - expr::_1, {groups.places, ends});
    Tensor firsts = mapped(
        lowering, *this,
        expr::Select(expr::_1, expr::Const(n),
                     expr::Lt(expr::_2, expr::Const(n))),
        {take(lowering, leastOfGroups(lowering, begins, sorted.places),
              mapped(lowering, *this, expr::_1 - expr::Const(1), {ends})),
         groups.places});
    Tensor begin = groups.places;
    Tensor groupOf =
        inOrderOf(lowering, sorted.places, groupNumbers(lowering, begins));
    if (attributes().getInt("sorted", 1) == 0) {
      const Tensor order = inOrderOf(
          lowering, firsts, countingRow(lowering, *this, firsts.numElements()));
      const Tensor rank = inOrderOf(
          lowering, order, countingRow(lowering, *this, order.numElements()));
      begin = take(lowering, begin, order);
      counts = take(lowering, counts, order);
      firsts = take(lowering, firsts, order);
      groupOf = take(lowering, rank, groupOf);
    }
    setValues(lowering, sorted.rows, begin);
    setResult(lowering, 1,
              mapped(lowering, *this,
                     expr::Select(expr::_1, expr::Const(-1),
                                  expr::Lt(expr::_1, expr::Const(n))),
                     {firsts}));
    setResult(lowering, 2, groupOf);
    setResult(lowering, 3, counts);
  }

private:
  /// Sorted rows [count, elements], and their original indices.
  struct Sorted {
    Tensor rows, places;
  };

  Tensor cast(Lowering &lowering, const Tensor &tensor,
              const poplar::Type &type) const {
    return popops::cast(lowering.graph(), tensor, type, lowering.program(),
                        lowering.debug(*this));
  }

  /// Elements of a list, or rows of a table, at indices of type INT; zeros for
  /// indices out of range.
  Tensor takeRowsAt(Lowering &lowering, const Tensor &table,
                    const Tensor &places) const {
    return takeRows(lowering, *this, table,
                    popops::cast(lowering.graph(), places, poplar::UNSIGNED_INT,
                                 lowering.program(), lowering.debug(*this)));
  }
  Tensor take(Lowering &lowering, const Tensor &list,
              const Tensor &places) const {
    return takeRowsAt(lowering, list.expand({1}), places).flatten();
  }

  /// Permutes `values` as sorting permutes `keys`, which are distinct.
  Tensor inOrderOf(Lowering &lowering, const Tensor &keys,
                   const Tensor &values) const {
    return popops::sortKeyValue(lowering.graph(), keys, values, 0,
                                lowering.program(), lowering.debug(*this));
  }

  Sorted sortedRows(Lowering &lowering) const {
    const Tensor x = lowering.input(*this, 0)
                         .reshape(toPoplar(data()))
                         .dimRoll(static_cast<unsigned>(axis()), 0);
    Tensor rows = x.reshape({x.dim(0), x.numElements() / x.dim(0)});
    if (rows.elementType() == poplar::BOOL)
      rows = cast(lowering, rows, poplar::INT);
    else if (isFloatingPoint(input(0).info.type))
      rows =
          orderedIntegers(lowering, *this, cast(lowering, rows, poplar::FLOAT));
    return rows.dim(1) == 1 ? sortedElements(lowering, rows)
                            : sortedSlices(lowering, rows);
  }

  Sorted sortedElements(Lowering &lowering, const Tensor &rows) const {
    poplar::Graph &graph = lowering.graph();
    const Tensor keys = poputil::duplicate(
        graph, rows.flatten(), lowering.program(), lowering.debug(*this));
    const Tensor places = countingRow(lowering, *this, keys.numElements());
    popops::sortKeyValueInPlace(graph, keys, places, 0, lowering.program(),
                                lowering.debug(*this));
    return {keys.expand({1}), places};
  }

  Sorted sortedSlices(Lowering &lowering, const Tensor &rows) const {
    poplar::Graph &graph = lowering.graph();
    const poplar::DebugContext debug = lowering.debug(*this);
    const Tensor places = countingRow(lowering, *this, rows.dim(0));
    const auto count = static_cast<unsigned>(rows.dim(0));
    // Radix sort: the last column first.
    const Tensor columns = poputil::duplicate(
        graph, rows.transpose().reverse(0), lowering.program(), debug);
    lowering.program().add(popops::countedLoop(
        graph, columns.dim(0),
        [&](const Tensor &step) {
          return lowering.nested([&] {
            const Tensor column =
                popops::dynamicSlice(graph, columns, step.reshape({1}), {0},
                                     {1}, lowering.program(), debug)
                    .flatten();
            const Tensor next =
                popops::topKKeyValue(
                    graph, lowering.program(), take(lowering, column, places),
                    places,
                    popops::TopKParams(count, false,
                                       popops::SortOrder::ASCENDING, true),
                    debug)
                    .second;
            lowering.program().add(
                poplar::program::Copy(next, places, false, debug));
          });
        },
        debug));
    return {takeRowsAt(lowering, rows, places), places};
  }

  /// For each row, true if it differs from the row before.
  Tensor beginsOfGroups(Lowering &lowering, const Tensor &rows) const {
    const Tensor first = filled(lowering, *this, {1}, DataType::Bool, 1);
    if (rows.dim(0) == 1)
      return first;
    const Tensor differs =
        mapped(lowering, *this, expr::NotEqual(expr::_1, expr::_2),
               {rows.slice(1, rows.dim(0)), rows.slice(0, rows.dim(0) - 1)});
    return poplar::concat(first,
                          reduceKeepingDims(lowering, *this, differs, {1},
                                            popops::Operation::LOGICAL_OR)
                              .flatten());
  }

  /// Prefix combination in log2(n) steps; each step doubles the distance of the
  /// combined elements.
  template <class F> static Tensor prefixes(Tensor list, F combined) {
    const std::size_t n = list.numElements();
    for (std::size_t step = 1; step < n; step *= 2)
      list = poplar::concat(
          list.slice(0, step),
          combined(list.slice(0, n - step), list.slice(step, n), step));
    return list;
  }

  /// The group number of each row.
  Tensor groupNumbers(Lowering &lowering, const Tensor &begins) const {
    const Tensor sums = prefixes(
        popops::cast(lowering.graph(), begins, poplar::INT, lowering.program(),
                     lowering.debug(*this)),
        [&](const Tensor &before, const Tensor &here, std::size_t) {
          return mapped(lowering, *this, expr::_1 + expr::_2, {before, here});
        });
    return mapped(lowering, *this, expr::_1 - expr::Const(1), {sums});
  }

  /// For each row, the least index in its group so far.
  Tensor leastOfGroups(Lowering &lowering, const Tensor &begins,
                       const Tensor &places) const {
    const Tensor group = groupNumbers(lowering, begins);
    const std::size_t n = places.numElements();
    return prefixes(places, [&](const Tensor &before, const Tensor &here,
                                std::size_t step) {
      return mapped(
          lowering, *this,
          expr::Select(expr::Min(expr::_1, expr::_2), expr::_2,
                       expr::Equal(expr::_3, expr::_4)),
          {before, here, group.slice(0, n - step), group.slice(step, n)});
    });
  }

  void setValues(Lowering &lowering, const Tensor &rows,
                 const Tensor &begin) const {
    Tensor values = takeRowsAt(lowering, rows, begin); // 0 is 0 as a float, too
    if (isFloatingPoint(input(0).info.type))
      values = floatsOfOrder(lowering, *this, values);
    values = cast(lowering, values, lowering.input(*this, 0).elementType());
    const auto dim = static_cast<unsigned>(axis());
    std::vector<std::size_t> shape = toPoplar(data());
    shape.erase(shape.begin() + dim);
    shape.insert(shape.begin(), static_cast<std::size_t>(bound()));
    setResult(lowering, 0, values.reshape(shape).dimRoll(0, dim));
  }
};

const RegisterBoundedOp<BoundedUnique>
    registration({"Unique", "BoundedUnique", {0}, 5});

} // namespace

} // namespace populus::popir
