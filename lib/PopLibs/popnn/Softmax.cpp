// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Softmax and its logarithm from reductions and elementwise steps; of short
// rows one step. The largest element of a row is subtracted first, so that no
// exponential overflows.

#include "lib/PopLibs/popnn/Softmax.h"

#include "lib/PopLibs/popnn/RowWork.h"

#include <popnn/LogSoftmax.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>
#include <poputil/Util.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>

using namespace poplar;
using namespace poplar::program;

namespace popnn {
namespace {

namespace pe = popops::expr;

/// Reduces the rows; the dimension stays, with extent 1.
Tensor reduceRows(Graph &graph, const Tensor &t, popops::Operation op,
                  const Type &type, Sequence &prog, const DebugContext &dc) {
  const std::size_t last = t.rank() - 1;
  const Tensor result = popops::reduce(graph, t, type, {last}, {op}, prog, dc);
  return result.expand({last});
}

void subtractLargest(Graph &graph, const Tensor &t, Sequence &prog,
                     const DebugContext &debugContext) {
  const Tensor largest =
      reduceRows(graph, t, popops::Operation::MAX, t.elementType(), prog,
                 {debugContext, "Max"});
  popops::subInPlace(graph, t, largest, prog, {debugContext, "Sub"});
}

/// Halves are multiplied by inverses, which are a step of their own but take
/// less time than to divide each; of so few it is the step that takes longer.
bool areFew(const Graph &graph, const Tensor &t) {
  constexpr std::size_t FewForWorker = 32;
  const Target &target = graph.getTarget();
  return t.numElements() <=
         FewForWorker * target.getNumTiles() * target.getNumWorkerContexts();
}

bool hasRows(const Tensor &t) {
  if (t.rank() == 0)
    throw poputil::poplibs_error("popnn: softmax of a tensor without "
                                 "dimensions");
  return t.numElements() != 0;
}

/// Measured. A half takes its exponential twice.
std::size_t softmaxBundles(const Type &type, std::size_t rows,
                           std::size_t columns) {
  return type == HALF ? 20 + rows * (48 + 15 * columns)
                      : 20 + rows * (30 + 10 * columns);
}

/// False where the rows do not suit.
bool addSoftmaxOfRows(Graph &graph, const Tensor &t, float scale,
                      Sequence &prog, const DebugContext &dc) {
  const std::string type =
      poputil::templateVertex("popnn::SoftmaxRows", t.elementType());
  if (!graph.hasCodelet(type))
    return false;
  const std::size_t columns = t.dim(t.rank() - 1);
  const Tensor rows = t.reshape({t.numElements() / columns, columns});
  const std::vector<RowWork> work = rowWork(graph, rows);
  if (work.empty())
    return false;
  const ComputeSet cs = graph.addComputeSet(dc);
  for (const RowWork &each : work) {
    const VertexRef v = graph.addVertex(cs, type);
    graph.connect(v["data"], rows.slice(each.rows).flatten());
    graph.setInitialValue(v["rows"], each.rows.size());
    graph.setInitialValue(v["columns"], columns);
    graph.setInitialValue(v["scale"], scale);
    graph.setPerfEstimate(
        v, softmaxBundles(t.elementType(), each.rows.size(), columns));
    graph.setTileMapping(v, each.tile);
  }
  prog.add(Execute(cs, dc));
  return true;
}

} // namespace

Tensor copyForSoftmax(Graph &graph, const Tensor &t, Sequence &prog,
                      const DebugContext &debugContext) {
  if (t.rank() != 0 && graph.hasCodelet(poputil::templateVertex(
                           "popnn::SoftmaxRows", t.elementType()))) {
    const Tensor rows =
        makeRows(graph, t.elementType(), t.shape(), {debugContext, "rows"});
    if (rows.valid()) {
      prog.add(Copy(t, rows, false, debugContext));
      return rows;
    }
  }
  return poputil::duplicate(graph, t, prog, debugContext);
}

void addSoftmax(Graph &graph, const Tensor &t, float scale, Sequence &prog,
                const DebugContext &debugContext) {
  if (!hasRows(t))
    return;
  const DebugContext dc(debugContext, "SoftMax");
  if (addSoftmaxOfRows(graph, t, scale, prog, dc))
    return;
  subtractLargest(graph, t, prog, dc);
  popops::expInPlace(graph, t, prog, {dc, "Exp"});
  // Rows that halves can count are added up in float and rounded once. Of
  // longer ones the sum may not be a half.
  constexpr std::size_t MostForHalves = 32768;
  const bool divides =
      t.elementType() == FLOAT ||
      (t.dim(t.rank() - 1) <= MostForHalves && areFew(graph, t));
  const Tensor sum =
      reduceRows(graph, t, popops::Operation::ADD,
                 divides ? t.elementType() : FLOAT, prog, {dc, "Sum"});
  if (divides) {
    popops::divInPlace(graph, t, sum, prog, {dc, "Div"});
    if (scale != 1)
      popops::mulInPlace(graph, t, scale, prog, {dc, "Scale"});
    return;
  }
  const Tensor factors =
      popops::map(graph, pe::Cast(scale / pe::_1, t.elementType()), {sum}, prog,
                  {dc, "Inv"});
  popops::mulInPlace(graph, t, factors, prog, {dc, "Mul"});
}

void logSoftmaxInPlace(Graph &graph, Tensor t, Sequence &prog,
                       const DebugContext &debugContext) {
  if (!hasRows(t))
    return;
  const DebugContext dc(debugContext, "LogSoftMax");
  subtractLargest(graph, t, prog, dc);
  const Tensor terms = popops::exp(graph, t, prog, {dc, "Exp"});
  const Tensor sum = reduceRows(graph, terms, popops::Operation::ADD, FLOAT,
                                prog, {dc, "Sum"});
  const Tensor logs =
      popops::map(graph, pe::Cast(pe::Log(pe::_1), t.elementType()), {sum},
                  prog, {dc, "Log"});
  popops::subInPlace(graph, t, logs, prog, {dc, "Sub"});
}

Tensor logSoftmax(Graph &graph, const Tensor &t, Sequence &prog,
                  const DebugContext &debugContext) {
  const Tensor out = poputil::duplicate(graph, t, prog, debugContext);
  logSoftmaxInPlace(graph, out, prog, debugContext);
  return out;
}

} // namespace popnn
