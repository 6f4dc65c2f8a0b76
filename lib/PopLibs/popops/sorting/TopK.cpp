// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first elements of sorted rows. Of a long row, chunks are sorted first and
// only what can be among the first k of the row goes on.

#include "lib/PopLibs/popops/sorting/SortRows.h"

#include <popops/TopK.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>
#include <ostream>

using namespace poplar;
using namespace poplar::program;
using poputil::poplibs_error;

namespace popops {
namespace {

/// Rows up to this length are sorted at once.
constexpr std::size_t ShortRow = 32;

/// Small chunks leave a quarter of their elements and take little time.
std::size_t chunkSize(std::size_t k) {
  return std::max<std::size_t>(16, 4 * k);
}

Tensor firstOfChunks(const Tensor &rows, std::size_t chunk, std::size_t k) {
  std::vector<Tensor> parts;
  for (std::size_t at = 0; at < rows.dim(1); at += chunk)
    parts.push_back(
        rows.slice(at, std::min({at + chunk, at + k, rows.dim(1)}), 1));
  return concat(parts, 1);
}

KeyRows firstOfRows(Graph &graph, KeyRows rows, SortValues values,
                    const TopKParams &params, Sequence &prog,
                    const DebugContext &debugContext) {
  const std::size_t k = params.k;
  for (;;) {
    const std::size_t count = rows.keys.dim(1);
    const std::size_t chunk = chunkSize(k);
    if (count <= ShortRow || chunk >= count)
      break;
    rows = sortChunks(graph, rows, values, chunk, params.largest, prog,
                      debugContext);
    rows.keys = firstOfChunks(rows.keys, chunk, k);
    if (values != SortValues::None) {
      rows.values = firstOfChunks(rows.values, chunk, k);
      values = SortValues::Given;
    }
  }
  // One worker a row keeps the order of what is equal.
  rows = sortChunks(graph, rows, values, rows.keys.dim(1), params.largest, prog,
                    debugContext);
  const SortOrder chosen =
      params.largest ? SortOrder::DESCENDING : SortOrder::ASCENDING;
  for (Tensor *t : {&rows.keys, &rows.values})
    if (t->valid()) {
      *t = t->slice(0, k, 1);
      if (params.sortOrder != SortOrder::NONE && params.sortOrder != chosen)
        *t = t->reverse(1);
    }
  return rows;
}

KeyRows topKRows(Graph &graph, const Tensor &keys, const Tensor &values,
                 SortValues kind, const TopKParams &params, Sequence &prog,
                 const DebugContext &debugContext) {
  if (keys.rank() == 0 || params.k > keys.dim(keys.rank() - 1))
    throw poplibs_error("popops::topK: " + std::to_string(params.k) +
                        " elements of the rows of a tensor of shape " +
                        keys.shapeToString());
  if (values.valid() && values.shape() != keys.shape())
    throw poplibs_error("popops::topK: keys of shape " + keys.shapeToString() +
                        ", values of shape " + values.shapeToString());
  std::vector<std::size_t> shape = keys.shape();
  shape.back() = params.k;
  const auto matrix = [](const Tensor &t) {
    return t.rank() == 1 ? t.expand({0}) : t.flatten(0, t.rank() - 1);
  };
  KeyRows rows{matrix(keys), {}};
  if (values.valid())
    rows.values = matrix(values);
  if (keys.numElements() == 0 || params.k == 0) {
    const Type type = values.valid() ? values.elementType() : UNSIGNED_INT;
    return {graph.addVariable(keys.elementType(), shape),
            graph.addVariable(type, shape)};
  }
  rows = firstOfRows(graph, rows, kind, params, prog, {debugContext, "TopK"});
  rows.keys = rows.keys.reshape(shape);
  if (rows.values.valid())
    rows.values = rows.values.reshape(shape);
  return rows;
}

} // namespace

std::ostream &operator<<(std::ostream &os, const TopKParams &params) {
  return os << "{k " << params.k << ", "
            << (params.largest ? "largest" : "smallest") << ", order "
            << params.sortOrder << (params.stableSort ? ", stable}" : "}");
}

Tensor createTopKInput(Graph &graph, const Type &type,
                       const std::vector<std::size_t> &shape,
                       const TopKParams &, const DebugContext &debugContext) {
  return graph.addVariable(type, shape, VariableMappingMethod::LINEAR,
                           debugContext);
}

Tensor topK(Graph &graph, Sequence &prog, const Tensor &t,
            const TopKParams &params, const DebugContext &debugContext) {
  return topKRows(graph, t, {}, SortValues::None, params, prog, debugContext)
      .keys;
}

std::pair<Tensor, Tensor> topKKeyValue(Graph &graph, Sequence &prog,
                                       const Tensor &keys, const Tensor &values,
                                       const TopKParams &params,
                                       const DebugContext &debugContext) {
  const KeyRows rows = topKRows(graph, keys, values, SortValues::Given, params,
                                prog, debugContext);
  return {rows.keys, rows.values};
}

std::pair<Tensor, Tensor>
topKWithPermutation(Graph &graph, Sequence &prog, const Tensor &t,
                    const TopKParams &params,
                    const DebugContext &debugContext) {
  const KeyRows rows =
      topKRows(graph, t, {}, SortValues::Places, params, prog, debugContext);
  return {rows.keys, rows.values};
}

} // namespace popops
