// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Normalisation of rows by popnn::normaliseRows: arranges the rows, and applies
// scale and shift.

#include "lib/PopART/Ops/Normalization/RowNorms.h"

#include "lib/PopART/Ops/Shape/Shapes.h"

#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>

namespace populus::popir {

namespace {

poplar::Tensor asType(Lowering &lowering, const Op &op, const poplar::Tensor &x,
                      const poplar::Type &type) {
  return x.elementType() == type
             ? x
             : popops::cast(lowering.graph(), x, type, lowering.program(),
                            lowering.debug(op));
}

/// A parameter with one value for each element of a row, or an invalid tensor
/// if it differs between rows. `row` is the shape of a row.
poplar::Tensor forRows(poplar::Tensor values,
                       const std::vector<std::size_t> &row) {
  const std::size_t rank = values.rank();
  for (std::size_t d = row.size(); d < rank; ++d)
    if (values.dim(d - row.size()) != 1)
      return {};
  for (std::size_t d = row.size(); d < rank; ++d)
    values = values[0];
  while (values.rank() < row.size())
    values = values.expand({0});
  for (std::size_t d = 0; d != row.size(); ++d)
    if (values.dim(d) != row[d])
      values = values.broadcast(row[d], d);
  return values.flatten();
}

} // namespace

popnn::RowNormResult normaliseRows(Lowering &lowering, const Op &op,
                                   poplar::Tensor rows,
                                   const popnn::RowNormParams &params) {
  return popnn::normaliseRows(lowering.graph(),
                              asType(lowering, op, rows, poplar::FLOAT), {}, {},
                              params, lowering.program(), lowering.debug(op));
}

poplar::Tensor scaled(Lowering &lowering, const Op &op, const poplar::Tensor &x,
                      poplar::Tensor scale, poplar::Tensor shift) {
  poplar::Graph &graph = lowering.graph();
  poplar::program::Sequence &program = lowering.program();
  poplar::DebugContext debug = lowering.debug(op);
  if (scale.valid())
    popops::mulInPlace(graph, x, asType(lowering, op, scale, poplar::FLOAT),
                       program, {debug, "scale"});
  if (shift.valid())
    popops::addInPlace(graph, x, asType(lowering, op, shift, poplar::FLOAT),
                       program, {debug, "shift"});
  return asType(lowering, op, x, deviceType(op.output().info.type));
}

popnn::RowNormResult normaliseFrom(Lowering &lowering, const Op &op,
                                   std::size_t axis,
                                   const popnn::RowNormParams &params) {
  const Shape &shape = op.inputShape(0);
  const auto given = [&](std::size_t index) {
    return op.hasInput(index) ? lowering.input(op, index) : poplar::Tensor();
  };
  const poplar::Tensor rows = lowering.input(op, 0).reshape(
      toPoplar({product(shape, 0, axis), product(shape, axis, shape.size())}));
  const std::vector<std::size_t> whole = toPoplar(shape);
  const std::vector<std::size_t> row(whole.begin() + axis, whole.end());
  const poplar::Type type = rows.elementType();
  poplar::Tensor parameters[2];
  bool areForRows = true;
  for (std::size_t i : {0, 1})
    if (op.hasInput(i + 1)) {
      parameters[i] = forRows(given(i + 1), row);
      areForRows &= parameters[i].valid();
    }
  popnn::RowNormResult result;
  if (areForRows && (op.hasInput(1) || !op.hasInput(2))) {
    for (poplar::Tensor &parameter : parameters)
      if (parameter.valid())
        parameter = asType(lowering, op, parameter, type);
    result = popnn::normaliseRows(lowering.graph(), rows, parameters[0],
                                  parameters[1], params, lowering.program(),
                                  lowering.debug(op));
    result.rows = asType(lowering, op, result.rows.reshape(whole),
                         deviceType(op.output().info.type));
  } else {
    result = normaliseRows(lowering, op, rows, params);
    result.rows =
        scaled(lowering, op, result.rows.reshape(whole), given(1), given(2));
  }
  return result;
}

} // namespace populus::popir
