// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sorting along any dimension, as sorting of rows.

#include "lib/PopLibs/popops/sorting/SortRows.h"

#include <popops/Sort.hpp>
#include <popops/SortOrder.hpp>
#include <poputil/exceptions.hpp>

#include <ostream>

using namespace poplar;
using namespace poplar::program;
using poputil::poplibs_error;

namespace popops {
namespace {

/// Dimension \p dim as the rows of a matrix.
Tensor asRows(const Tensor &t, unsigned dim) {
  const Tensor last = t.dimRoll(dim, t.rank() - 1);
  return last.flatten(0, last.rank() - 1);
}

Tensor fromRows(const Tensor &rows, const Tensor &like, unsigned dim) {
  return rows.reshape(like.dimRoll(dim, like.rank() - 1).shape())
      .dimRoll(like.rank() - 1, dim);
}

void checkDim(const Tensor &t, unsigned dim) {
  if (dim >= t.rank())
    throw poplibs_error("popops::sort: dimension " + std::to_string(dim) +
                        " of a tensor of shape " + t.shapeToString());
}

/// Sorted keys and values of the shapes that they came with.
KeyRows sorted(Graph &graph, const Tensor &k, const Tensor &v, unsigned dim,
               Sequence &prog, const DebugContext &debugContext) {
  checkDim(k, dim);
  if (v.valid() && v.shape() != k.shape())
    throw poplibs_error("popops::sort: keys of shape " + k.shapeToString() +
                        ", values of shape " + v.shapeToString());
  if (k.numElements() == 0)
    return {k, v};
  const DebugContext dc(debugContext, "Sort");
  KeyRows rows{asRows(k, dim), {}};
  if (v.valid())
    rows.values = asRows(v, dim);
  rows = sortRows(graph, rows, v.valid() ? SortValues::Given : SortValues::None,
                  false, prog, dc);
  rows.keys = fromRows(rows.keys, k, dim);
  if (v.valid())
    rows.values = fromRows(rows.values, v, dim);
  return rows;
}

} // namespace

std::ostream &operator<<(std::ostream &os, SortOrder order) {
  switch (order) {
  case SortOrder::NONE:
    return os << "none";
  case SortOrder::ASCENDING:
    return os << "ascending";
  case SortOrder::DESCENDING:
    return os << "descending";
  }
  return os;
}

Tensor sort(Graph &graph, const Tensor &t, unsigned dim, Sequence &prog,
            const DebugContext &debugContext) {
  return sorted(graph, t, {}, dim, prog, debugContext).keys;
}

void sortInPlace(Graph &graph, const Tensor &t, unsigned dim, Sequence &prog,
                 const DebugContext &debugContext) {
  prog.add(
      Copy(sort(graph, t, dim, prog, debugContext), t, false, debugContext));
}

Tensor sortKeyValue(Graph &graph, const Tensor &k, const Tensor &v,
                    unsigned dim, Sequence &prog,
                    const DebugContext &debugContext) {
  return sorted(graph, k, v, dim, prog, debugContext).values;
}

void sortKeyValueInPlace(Graph &graph, const Tensor &k, const Tensor &v,
                         unsigned dim, Sequence &prog,
                         const DebugContext &debugContext) {
  const KeyRows rows = sorted(graph, k, v, dim, prog, debugContext);
  prog.add(Copy(rows.keys, k, false, debugContext));
  prog.add(Copy(rows.values, v, false, debugContext));
}

} // namespace popops
