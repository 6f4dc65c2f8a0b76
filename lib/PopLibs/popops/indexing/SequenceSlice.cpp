// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Works out for each row of the output which row of the input it takes, if any,
// and looks the rows up.

#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Encoding.hpp>
#include <popops/SequenceSlice.hpp>
#include <popops/Zero.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

using namespace poplar;
using namespace poplar::program;

namespace popops {
namespace {

void checkOperands(const Tensor &in, const Tensor &out, const Tensor &n,
                   const Tensor &inOffset, const Tensor &outOffset) {
  bool fit = in.rank() != 0 && in.rank() == out.rank() &&
             in.elementType() == out.elementType();
  for (unsigned i = 1; fit && i != in.rank(); ++i)
    fit = in.dim(i) == out.dim(i);
  if (!fit)
    throw poputil::poplibs_error(
        "popops::sequenceSlice: from shape " + in.shapeToString() + " of " +
        in.elementType().toString() + " to shape " + out.shapeToString() +
        " of " + out.elementType().toString());
  for (const Tensor *t : {&n, &inOffset, &outOffset})
    if (t->rank() != 1 || t->shape() != n.shape() ||
        t->elementType() != UNSIGNED_INT)
      throw poputil::poplibs_error(
          "popops::sequenceSlice: lengths and offsets must be vectors of "
          "unsigned int of one length; one has shape " +
          t->shapeToString() + " and type " + t->elementType().toString());
}

} // namespace

void sequenceSlice(Graph &graph, const Tensor &tIn, const Tensor &tOut,
                   const Tensor &tN, const Tensor &tInOffset,
                   const Tensor &tOutOffset, bool zeroUnused, Sequence &prog,
                   const DebugContext &debugContext) {
  namespace pe = popops::expr;
  checkOperands(tIn, tOut, tN, tInOffset, tOutOffset);
  const DebugContext dc(debugContext, "SequenceSlice");
  if (zeroUnused)
    zero(graph, tOut, prog, dc);
  if (tOut.numElements() == 0 || tIn.numElements() == 0)
    return;
  const std::size_t rows = tOut.dim(0);
  const Tensor row = graph.addVariable(UNSIGNED_INT, {rows}, {dc, "row"});
  poputil::mapTensorLinearly(graph, row);
  iota(graph, row, 0u, prog, dc);
  const Tensor source = graph.clone(row, {dc, "source"});
  zero(graph, source, prog, dc);
  const Tensor covered = graph.clone(BOOL, row, {dc, "covered"});
  zero(graph, covered, prog, dc);
  // Unsigned: rows before the sequence are far beyond its length.
  for (std::size_t s = 0; s != tN.numElements(); ++s) {
    const Tensor n = tN.slice(s, s + 1), from = tInOffset.slice(s, s + 1),
                 to = tOutOffset.slice(s, s + 1);
    const Tensor inside =
        map(graph, (pe::_1 - pe::_2) < pe::_3, {row, to, n}, prog, dc);
    mapInPlace(graph, pe::Select(pe::_2 - pe::_3 + pe::_4, pe::_1, pe::_5),
               {source, row, to, from, inside}, prog, dc);
    logicalOrInPlace(graph, covered, inside, prog, dc);
  }
  const Tensor in2d = tIn.reshape({tIn.dim(0), tIn.numElements() / tIn.dim(0)});
  const Tensor taken = multiSlice(graph, in2d, source.expand({1}), {0}, {1},
                                  prog, SlicePlan(), {}, dc)
                           .reshape(tOut.shape());
  std::vector<std::size_t> shape(tOut.rank(), 1);
  shape[0] = rows;
  mapInPlace(graph, pe::Select(pe::_2, pe::_1, pe::_3),
             {tOut, taken, covered.reshape(shape)}, prog, dc);
}

} // namespace popops
