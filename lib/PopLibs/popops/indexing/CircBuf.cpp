// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A table of tensors and the place of the last one.

#include <popops/CircBuf.hpp>

#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>
#include <poputil/exceptions.hpp>

using namespace poplar;
using namespace poplar::program;
using poputil::poplibs_error;

namespace popops {

namespace pe = popops::expr;

CircBuf::CircBuf(Graph &graph, Type type, unsigned size,
                 const std::vector<std::size_t> &shape,
                 const DebugContext &debugContext)
    : graph(graph), places(size) {
  if (size == 0)
    throw poplibs_error("popops::CircBuf: a buffer of no tensors");
  const DebugContext dc(debugContext, "CircBuf");
  std::vector<std::size_t> all = shape;
  all.insert(all.begin(), size);
  history =
      createSliceableTensor(graph, type, all, {0}, {1}, 0, {dc, "history"});
  graph.setInitialValue(history, 0);
  index = graph.addVariable(UNSIGNED_INT, {1}, {dc, "index"});
  graph.setTileMapping(index, 0);
  graph.setInitialValue(index, 0);
}

Tensor CircBuf::prev(unsigned i, Sequence &seq,
                     const DebugContext &debugContext) {
  if (i >= places)
    throw poplibs_error("popops::CircBuf: the tensor " + std::to_string(i) +
                        " before the last one, of a buffer of " +
                        std::to_string(places));
  const DebugContext dc(debugContext, "CircBufPrev");
  const Tensor place =
      map(graph, pe::Rem(pe::_1 + pe::Const(places - i), pe::Const(places)),
          {index}, seq, {dc, "place"});
  return dynamicSlice(graph, history, place, {0}, {1}, seq, dc).squeeze({0});
}

void CircBuf::add(Tensor t, Sequence &seq, const DebugContext &debugContext) {
  const std::vector<std::size_t> whole = history.shape();
  if (t.shape() != std::vector<std::size_t>(whole.begin() + 1, whole.end()) ||
      t.elementType() != history.elementType())
    throw poplibs_error("popops::CircBuf: a tensor of shape " +
                        t.shapeToString() + " and type " +
                        t.elementType().toString() +
                        " was added to a buffer of others");
  const DebugContext dc(debugContext, "CircBufAdd");
  mapInPlace(graph, pe::Rem(pe::_1 + pe::Const(1u), pe::Const(places)), {index},
             seq, {dc, "place"});
  dynamicUpdate(graph, history, t.expand({0}), index, {0}, {1}, seq, dc);
}

Graph::TileToTensorMapping CircBuf::getTileMapping() const {
  return graph.getTileMapping(history[0]);
}

} // namespace popops
