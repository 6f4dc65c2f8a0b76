// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each vertex has some rows of one tile, with their labels.

#include "lib/PopLibs/popnn/RowWork.h"

#include <popnn/LogLikelihood.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>

#include <string>

using namespace poplar;
using namespace poplar::program;

namespace popnn {
namespace {

/// Rows [rows, columns] with what there is for each.
struct Rows {
  Tensor p, labels;
  std::vector<RowWork> work;
};

Rows rowsOf(const Graph &graph, const Tensor &p, const Tensor &labels) {
  if (p.rank() == 0 || labels.elementType() != INT ||
      labels.numElements() * p.dim(p.rank() - 1) != p.numElements())
    throw poputil::poplibs_error("popnn: the likelihood of labels of shape " +
                                 labels.shapeToString() + " and type " +
                                 labels.elementType().toString() +
                                 " for classes of shape " + p.shapeToString() +
                                 "; labels must be INT, one for each row");
  if (p.numElements() == 0 || p.elementType() != FLOAT)
    return {};
  const Tensor rows = p.reshape({labels.numElements(), p.dim(p.rank() - 1)});
  return {rows, labels.flatten(), rowWork(graph, rows)};
}

std::size_t gradientBundles(LikelihoodBy kind, std::size_t rows,
                            std::size_t columns) {
  switch (kind) {
  case LikelihoodBy::LOGITS:
    return 15 + rows * (28 + 2 * columns);
  case LikelihoodBy::LOGARITHMS:
    return 13 + rows * (77 + columns / 2);
  case LikelihoodBy::PROBABILITIES:
    break;
  }
  // With a quotient.
  return 17 + rows * (85 + columns / 2);
}

VertexRef addRows(Graph &graph, ComputeSet cs, const std::string &type,
                  const Rows &rows, const RowWork &work) {
  if (!graph.hasCodelet(type))
    throw poputil::poplibs_error(
        "popnn::addCodelets(graph) has not been called");
  const auto &[begin, end] = std::pair(work.rows.begin(), work.rows.end());
  const VertexRef v = graph.addVertex(cs, type);
  graph.connect(v["p"], rows.p.slice(begin, end).flatten());
  graph.connect(v["labels"], rows.labels.slice(begin, end));
  graph.setInitialValue(v["columns"], rows.p.dim(1));
  graph.setTileMapping(v, work.tile);
  return v;
}

} // namespace

Tensor negativeLogLikelihood(Graph &graph, const Tensor &p,
                             const Tensor &labels, LikelihoodOf kind,
                             Sequence &prog, const DebugContext &dc) {
  const Rows rows = rowsOf(graph, p, labels);
  if (rows.work.empty())
    return {};
  const std::string type = poputil::templateVertex(
      "popnn::LogLikelihood", kind == LikelihoodOf::LOGARITHMS);
  const Tensor loss = graph.addVariable(FLOAT, {rows.p.dim(0)}, {dc, "losses"});
  const ComputeSet cs = graph.addComputeSet({dc, "LogLikelihood"});
  for (const RowWork &work : rows.work) {
    const Tensor part = loss.slice(work.rows);
    graph.setTileMapping(part, work.tile);
    const VertexRef v = addRows(graph, cs, type, rows, work);
    graph.connect(v["loss"], part);
    graph.setPerfEstimate(v, 10 + 16 * work.rows.size());
  }
  prog.add(Execute(cs, dc));
  return loss.reshape(labels.shape());
}

Tensor negativeLogLikelihoodGradient(Graph &graph, const Tensor &p,
                                     const Tensor &labels, const Tensor &deltas,
                                     LikelihoodBy kind, Sequence &prog,
                                     const DebugContext &dc) {
  const Rows rows = rowsOf(graph, p, labels);
  if (rows.work.empty())
    return {};
  const bool ofLogits = kind == LikelihoodBy::LOGITS;
  const std::string type =
      poputil::templateVertex("popnn::LogLikelihoodGradient", ofLogits,
                              kind == LikelihoodBy::LOGARITHMS);
  const Tensor out = graph.addVariable(FLOAT, rows.p.shape(), {dc, "gradient"});
  const Tensor scales = deltas.flatten();
  const ComputeSet cs = graph.addComputeSet({dc, "LogLikelihoodGradient"});
  for (const RowWork &work : rows.work) {
    const Tensor part = out.slice(work.rows).flatten();
    graph.setTileMapping(part, work.tile);
    const VertexRef v = addRows(graph, cs, type, rows, work);
    graph.connect(v["deltas"], scales.slice(work.rows));
    graph.connect(v["out"], part);
    graph.setPerfEstimate(
        v, gradientBundles(kind, work.rows.size(), rows.p.dim(1)));
  }
  prog.add(Execute(cs, dc));
  return out.reshape(p.shape());
}

} // namespace popnn
