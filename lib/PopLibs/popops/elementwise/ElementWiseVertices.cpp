// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One vertex for each piece of work on the result. An operand that repeats each
// of its elements for a long run of the result (a scalar, or a value for each
// channel) is not stretched: its vertex takes the value of each run once.

#include "lib/PopLibs/popops/elementwise/ElementWiseVertices.h"

#include "lib/PopLibs/popops/elementwise/BroadcastViews.h"
#include "lib/PopLibs/popops/vertices/VertexCycles.h"
#include "lib/PopLibs/popops/vertices/VertexTypes.h"
#include "lib/PopLibs/popops/vertices/VertexWork.h"

#include <popops/ExprOpUtils.hpp>
#include <poputil/Broadcast.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>

using namespace poplar;
using namespace popops::expr;
using poputil::poplibs_error;
using poputil::templateVertex;

namespace popops {
namespace {

/// The length of a run is stored in 16 bits.
constexpr std::size_t MaxRun = 0xffff;

/// Fails with a message of this library where a vertex for the types does not
/// exist, rather than with the name of the missing vertex.
template <class Op>
void requireVertex(const Graph &graph, const std::string &vertex, Op op,
                   const Type &type) {
  if (graph.hasCodelet(vertex))
    return;
  const char *hint = "; call popops::addCodelets(graph) first";
  if (graph.hasCodelet("popops::Fill<float>"))
    hint = "; cast the operands to a type that has it";
  throw poplibs_error("popops: there is no operation " + spell(op) +
                      " for elements of type " + type.toString() + hint);
}

/// The values that an operand takes on a piece of work, and for how many
/// elements each.
struct Runs {
  Tensor values;
  RunLengths lengths;
};

void appendRun(std::size_t index, std::size_t length,
               std::vector<Interval> &indices, RunLengths &lengths) {
  for (; length != 0;) {
    const std::size_t part = std::min(length, MaxRun);
    const bool adjacent = !indices.empty() && indices.back().end() == index;
    if (adjacent)
      indices.back() = Interval(indices.back().begin(), index + 1);
    else
      indices.emplace_back(index, index + 1);
    lengths.push_back(part);
    length -= part;
  }
}

Runs selectRuns(const RepeatedOperand &operand,
                const std::vector<Interval> &elements) {
  std::vector<Interval> indices;
  Runs runs;
  for (const Interval &interval : elements)
    for (std::size_t i = interval.begin(); i != interval.end();) {
      const std::size_t end =
          std::min(interval.end(), (i / operand.run + 1) * operand.run);
      appendRun(i / operand.run, end - i, indices, runs.lengths);
      i = end;
    }
  runs.values = concat(operand.flat.slices(indices));
  return runs;
}

/// A constant as an operand with one run for each piece of work.
struct ConstantOperand {
  Tensor onTiles;

  Runs select(const VertexWork &work) const {
    std::size_t length = 0;
    for (const Interval &interval : work.elements)
      length += interval.size();
    Runs runs;
    std::vector<Tensor> values;
    for (; length != 0; length -= runs.lengths.back()) {
      runs.lengths.push_back(std::min(length, MaxRun));
      values.push_back(onTiles.slice(work.tile, work.tile + 1));
    }
    runs.values = concat(values);
    return runs;
  }
};

Operand reordered(const ByMemory &byMemory, const Operand &operand) {
  Operand result = operand;
  if (!operand.isConstant())
    result.tensor = byMemory(operand.tensor);
  return result;
}

Tensor stretched(const Tensor &t, const std::vector<std::size_t> &shape) {
  Tensor view = t;
  poputil::broadcastToMatch(view, shape);
  return view;
}

std::size_t elementsOf(const VertexWork &work) {
  std::size_t count = 0;
  for (const Interval &interval : work.elements)
    count += interval.size();
  return count;
}

/// Adds the vertices where both operands have an element for each result.
void addDense(Graph &graph, BinaryOpType op, const Tensor &a, const Tensor &b,
              const Tensor &out, bool inPlace,
              const std::vector<VertexWork> &work, ComputeSet cs) {
  const std::string name = inPlace ? templateVertex("popops::BinaryOp1DInPlace",
                                                    spell(op), a.elementType())
                                   : binaryVertex(op, a.elementType());
  requireVertex(graph, name, op, a.elementType());
  const auto outs = selectWork(out, work);
  const auto as = inPlace ? std::vector<Tensor>() : selectWork(a, work);
  const auto bs = selectWork(b, work);
  for (std::size_t i = 0; i != work.size(); ++i) {
    const VertexRef v = graph.addVertex(cs, name);
    graph.connect(v["in2"], bs[i]);
    if (inPlace) {
      graph.connect(v["in1Out"], outs[i]);
    } else {
      graph.connect(v["in1"], as[i]);
      graph.connect(v["out"], outs[i]);
    }
    graph.setPerfEstimate(v,
                          binaryCycles(op, a.elementType(), OperandForm::Dense,
                                       inPlace, elementsOf(work[i])),
                          elementsOf(work[i]));
    graph.setTileMapping(v, work[i].tile);
  }
}

/// Adds the vertices where one operand is given by runs.
template <class Select>
void addBroadcast(Graph &graph, BinaryOpType op, const Tensor &dense,
                  const Tensor &out, bool reversed, bool inPlace,
                  const std::vector<VertexWork> &work, ComputeSet cs,
                  Select select) {
  const Type type = dense.elementType();
  const std::string name =
      inPlace
          ? templateVertex("popops::BroadcastOp1DInPlace", spell(op), type)
          : templateVertex("popops::BroadcastOp1D", spell(op), type, reversed);
  requireVertex(graph, name, op, type);
  const auto outs = selectWork(out, work);
  const auto ins = inPlace ? std::vector<Tensor>() : selectWork(dense, work);
  for (std::size_t i = 0; i != work.size(); ++i) {
    const Runs runs = select(work[i]);
    const VertexRef v = graph.addVertex(cs, name);
    if (inPlace) {
      graph.connect(v["denseOut"], outs[i]);
    } else {
      graph.connect(v["dense"], ins[i]);
      graph.connect(v["out"], outs[i]);
    }
    graph.connect(v["repeated"], runs.values);
    graph.setInitialValue(v["runs"], runs.lengths);
    graph.setPerfEstimate(
        v,
        binaryCycles(op, type,
                     reversed ? OperandForm::ReversedRuns : OperandForm::Runs,
                     inPlace, elementsOf(work[i]), runs.lengths),
        elementsOf(work[i]));
    graph.setTileMapping(v, work[i].tile);
  }
}

} // namespace

Tensor addConstantOnTiles(Graph &graph, const Type &type, double value,
                          const DebugContext &debugContext) {
  const unsigned numTiles = graph.getTarget().getNumTiles();
  const Tensor constant =
      type == FLOAT || type == HALF
          ? graph.addConstant<float>(type, {numTiles},
                                     static_cast<float>(value), debugContext)
          : graph.addConstant<long long>(
                type, {numTiles}, static_cast<long long>(value), debugContext);
  Graph::TileToTensorMapping mapping(numTiles);
  for (unsigned tile = 0; tile != numTiles; ++tile)
    mapping[tile].emplace_back(tile, tile + 1);
  graph.setTileMapping(constant, mapping);
  return constant;
}

void addUnaryOp(Graph &graph, UnaryOpType op, const Tensor &operand,
                const Tensor &result, ComputeSet cs) {
  const bool inPlace = operand == result;
  const ByMemory byMemory(result);
  const Tensor out = byMemory(result).flatten();
  const Tensor in = inPlace ? out : byMemory(operand).flatten();
  const std::string name = inPlace ? templateVertex("popops::UnaryOp1DInPlace",
                                                    spell(op), in.elementType())
                                   : unaryVertex(op, in.elementType());
  requireVertex(graph, name, op, in.elementType());
  const auto work = divideWork(graph, out);
  const auto outs = selectWork(out, work);
  const auto ins = inPlace ? std::vector<Tensor>() : selectWork(in, work);
  for (std::size_t i = 0; i != work.size(); ++i) {
    const VertexRef v = graph.addVertex(cs, name);
    if (inPlace) {
      graph.connect(v["inOut"], outs[i]);
    } else {
      graph.connect(v["in"], ins[i]);
      graph.connect(v["out"], outs[i]);
    }
    graph.setPerfEstimate(
        v, unaryCycles(op, in.elementType(), inPlace, elementsOf(work[i])),
        elementsOf(work[i]));
    graph.setTileMapping(v, work[i].tile);
  }
}

void addBinaryOp(Graph &graph, BinaryOpType op, const Operand &left,
                 const Operand &right, const Tensor &result, ComputeSet cs,
                 const DebugContext &debugContext) {
  const ByMemory byMemory(result);
  const Operand a = reordered(byMemory, left), b = reordered(byMemory, right);
  const Tensor out = byMemory(result);
  const auto shape = out.shape();
  const auto work = divideWork(graph, out);
  const bool inPlace = !a.isConstant() && a.tensor == out;
  const bool reversed =
      a.isConstant() ||
      (!b.isConstant() && !inPlace && runLength(b.tensor, shape) < MinRun &&
       runLength(a.tensor, shape) >= MinRun);
  const Operand &dense = reversed ? b : a;
  const Operand &other = reversed ? a : b;
  if (other.isConstant()) {
    const ConstantOperand constant{
        addConstantOnTiles(graph, other.type, other.value, debugContext)};
    addBroadcast(
        graph, op, stretched(dense.tensor, shape), out, reversed, inPlace, work,
        cs, [&](const VertexWork &piece) { return constant.select(piece); });
  } else if (runLength(other.tensor, shape) >= MinRun) {
    const RepeatedOperand repeated = repeatedOperand(other.tensor, shape);
    addBroadcast(graph, op, stretched(dense.tensor, shape), out, reversed,
                 inPlace, work, cs, [&](const VertexWork &piece) {
                   return selectRuns(repeated, piece.elements);
                 });
  } else {
    addDense(graph, op, stretched(a.tensor, shape), stretched(b.tensor, shape),
             out, inPlace, work, cs);
  }
}

void addSelect(Graph &graph, const Tensor &a, const Tensor &b,
               const Tensor &condition, const Tensor &result, ComputeSet cs) {
  const bool inPlace = a == result;
  const ByMemory byMemory(result);
  const Tensor out = byMemory(result);
  const std::string name =
      templateVertex(inPlace ? "popops::Select1DInPlace" : "popops::Select1D",
                     out.elementType());
  if (!graph.hasCodelet(name))
    throw poplibs_error("popops: cannot select between elements of type " +
                        out.elementType().toString() +
                        "; cast the operands, or call "
                        "popops::addCodelets(graph) first if that is missing");
  const auto shape = result.shape();
  const auto select = [&](const Tensor &t,
                          const std::vector<VertexWork> &work) {
    return selectWork(byMemory(stretched(t, shape)), work);
  };
  const auto work = divideWork(graph, out);
  const auto outs = selectWork(out, work);
  const auto as = inPlace ? std::vector<Tensor>() : select(a, work);
  const auto bs = select(b, work);
  const auto conditions = select(condition, work);
  for (std::size_t i = 0; i != work.size(); ++i) {
    const VertexRef v = graph.addVertex(cs, name);
    graph.connect(v[inPlace ? "in1Out" : "out"], outs[i]);
    if (!inPlace)
      graph.connect(v["in1"], as[i]);
    graph.connect(v["in2"], bs[i]);
    graph.connect(v["condition"], conditions[i]);
    graph.setPerfEstimate(v,
                          selectCycles(out.elementType(), elementsOf(work[i])));
    graph.setTileMapping(v, work[i].tile);
  }
}

} // namespace popops
