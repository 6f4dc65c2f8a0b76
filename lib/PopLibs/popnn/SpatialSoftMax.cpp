// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A softmax over all places, and the sums of their coordinates under it.

#include <popnn/SpatialSoftMax.hpp>

#include <poplin/MeshGrid.hpp>
#include <popnn/NonLinearity.hpp>
#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>
#include <poputil/exceptions.hpp>

using namespace poplar;
using namespace poplar::program;

namespace popnn {

std::pair<Tensor, Tensor> spatialSoftMax2D(Graph &graph, Sequence &prog,
                                           const Tensor &fields,
                                           float temperature,
                                           bool disableSoftmax,
                                           const DebugContext &debugContext) {
  const Type type = fields.elementType();
  if (fields.rank() != 3 || (type != FLOAT && type != HALF))
    throw poputil::poplibs_error(
        "popnn::spatialSoftMax2D: fields of shape " + fields.shapeToString() +
        " and type " + type.toString() +
        "; they must be [fields, height, width] of float or half");
  const DebugContext dc(debugContext, "SpatialSoftMax2D");
  const Tensor divisor = graph.addVariable(type, {}, {dc, "temperature"});
  graph.setTileMapping(divisor, 0);
  graph.setInitialValue(divisor, temperature);
  const std::size_t count = fields.dim(0);
  const std::size_t height = fields.dim(1), width = fields.dim(2);
  Tensor weights = fields.flatten(1, 3);
  if (!disableSoftmax) {
    weights = popops::div(graph, weights, divisor, prog, dc);
    softmaxStableInPlace(graph, weights, prog, dc);
  }
  const auto mean = [&](const Tensor &places) {
    const Tensor products = popops::mul(
        graph, weights.reshape({count, height, width}), places, prog, dc);
    return popops::reduce(graph, products, {1, 2}, popops::Operation::ADD, prog,
                          dc)
        .expand({1});
  };
  const Tensor rows = poplin::linspace(graph, type, -1, 1, height, dc);
  const Tensor columns = poplin::linspace(graph, type, -1, 1, width, dc);
  return {concat(mean(rows.expand({1})), mean(columns), 1), divisor};
}

} // namespace popnn
