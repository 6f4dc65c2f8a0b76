// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evenly spaced numbers as constants, grids as views of them.

#include <poplin/MeshGrid.hpp>

#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

using namespace poplar;

namespace poplin {

Tensor linspace(Graph &graph, const Type &type, float left, float right,
                std::size_t count, const DebugContext &debugContext) {
  if (type != FLOAT && type != HALF)
    throw poputil::poplibs_error("poplin::linspace: not for elements of type " +
                                 type.toString());
  std::vector<float> values;
  for (std::size_t i = 0; i != count; ++i)
    values.push_back(
        i + 1 == count && count > 1
            ? right
            : left + (right - left) * static_cast<float>(i) /
                         static_cast<float>(count > 1 ? count - 1 : 1));
  const Tensor t = graph.addConstant<float>(type, {count}, values,
                                            {debugContext, "linspace"});
  poputil::mapTensorLinearly(graph, t);
  return t;
}

std::vector<Tensor> meshgrid2d(Graph &, Tensor x, Tensor y) {
  if (x.rank() != 1 || y.rank() != 1)
    throw poputil::poplibs_error(
        "poplin::meshgrid2d: tensors of shapes " + x.shapeToString() + " and " +
        y.shapeToString() + "; they must have one dimension");
  return {x.expand({0}).broadcast(static_cast<unsigned>(y.dim(0)), 0),
          y.expand({1}).broadcast(static_cast<unsigned>(x.dim(0)), 1)};
}

} // namespace poplin
