// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Single elements of rows: each row is a table with rows of one element.

#include "lib/PopLibs/popops/indexing/SliceOperands.h"
#include "lib/PopLibs/popops/indexing/TableAccess.h"

#include <popops/ElementWise.hpp>
#include <popops/EncodingConstants.hpp>
#include <popops/SelectScalarFromRows.hpp>
#include <popops/UpdateScalarInRows.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

#include <limits>

using namespace poplar;
using namespace poplar::program;

namespace popops {
namespace {

namespace pe = popops::expr;

void checkOperands(const Tensor &params, const Tensor &indices,
                   const char *function) {
  if (params.rank() != 2 || indices.rank() != 1 ||
      indices.dim(0) != params.dim(0) ||
      (params.elementType() != FLOAT && params.elementType() != HALF))
    throw poputil::poplibs_error(
        std::string(function) + ": indices of shape " +
        indices.shapeToString() + " for a matrix of shape " +
        params.shapeToString() + " and type " +
        params.elementType().toString() +
        "; there must be one for each row, of float or half");
}

/// True if index _2 is outside of its row of \p params and does not mask it.
pe::And isBeyond(const Tensor &params) {
  return pe::And(
      pe::Gte(pe::_2, pe::Const(static_cast<unsigned>(params.dim(1)))),
      pe::NotEqual(pe::_2, pe::Const(MASKED_LABEL_CODE)));
}

} // namespace

Tensor selectScalarFromRows(Graph &graph, const Tensor &params,
                            const Tensor &indices, Sequence &prog,
                            const DebugContext &debugContext) {
  checkOperands(params, indices, "popops::selectScalarFromRows");
  const DebugContext dc(debugContext, "SelectScalarFromRows");
  const Tensor at = asIndices(indices);
  const Tensor result =
      readRows(graph, params.expand({2}), at.expand({1}), 1, prog, dc)
          .flatten();
  const pe::Const nan(std::numeric_limits<double>::quiet_NaN(),
                      params.elementType());
  mapInPlace(graph, pe::Select(nan, pe::_1, isBeyond(params)), {result, at},
             prog, dc);
  return result;
}

void updateScalarInRows(Graph &graph, const Tensor &params,
                        const Tensor &indices, Sequence &prog,
                        const DebugContext &debugContext) {
  checkOperands(params, indices, "popops::updateScalarInRows");
  const DebugContext dc(debugContext, "UpdateScalarInRows");
  const Tensor step = graph.addConstant<float>(
      params.elementType(), {params.dim(0), 1, 1, 1}, -1.0f, dc);
  poputil::mapTensorLinearly(graph, step);
  const Tensor at = asIndices(indices);
  combineRows(graph, params.expand({2}), step, at.expand({1}), Operation::ADD,
              prog, dc);
  // An index beyond the row makes the whole row NaN, unless it masks the row.
  mapInPlace(graph,
             pe::Select(pe::Const(std::numeric_limits<double>::quiet_NaN(),
                                  params.elementType()),
                        pe::_1, isBeyond(params)),
             {params, at.expand({1})}, prog, dc);
}

} // namespace popops
