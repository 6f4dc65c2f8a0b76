// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Data for the host is spread evenly: each tile's share crosses at its pace.

#include <popops/HostSliceTensor.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

using namespace poplar;

namespace popops {

Tensor createHostTransferableTensor(Graph &graph, const Type &type,
                                    const std::vector<std::size_t> &shape, bool,
                                    unsigned offset,
                                    const DebugContext &debugContext) {
  const Tensor t = graph.addVariable(type, shape, debugContext);
  poputil::mapTensorLinearlyWithOffset(graph, t, offset);
  return t;
}

Tensor createHostTransferableTensor(Graph &graph, const Type &type,
                                    const std::vector<std::size_t> &shape,
                                    bool isRead,
                                    const DebugContext &debugContext) {
  return createHostTransferableTensor(graph, type, shape, isRead, 0u,
                                      debugContext);
}

IndicesAndTensor
createHostSliceableTensor(Graph &graph, const Type &type,
                          const std::vector<std::size_t> &shape, bool isRead,
                          unsigned offset, const DebugContext &debugContext) {
  if (shape.size() != 2)
    throw poputil::poplibs_error(
        "popops::createHostSliceableTensor: a shape of " +
        std::to_string(shape.size()) +
        " dimensions; it must be {rows, elements "
        "of a row}");
  return {createHostTransferableTensor(graph, UNSIGNED_INT, {shape[0]}, isRead,
                                       offset, {debugContext, "indices"}),
          createHostTransferableTensor(graph, type, shape, isRead, offset,
                                       {debugContext, "rows"})};
}

IndicesAndTensor
createHostSliceableTensor(Graph &graph, const Type &type,
                          const std::vector<std::size_t> &shape, bool isRead,
                          const DebugContext &debugContext) {
  return createHostSliceableTensor(graph, type, shape, isRead, 0u,
                                   debugContext);
}

} // namespace popops
