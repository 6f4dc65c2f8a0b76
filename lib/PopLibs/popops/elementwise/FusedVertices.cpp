// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The vertex type has the hash of its source in its name, so that expressions
// that are computed in the same way share it. The source is complete: the
// headers of the codelets are part of this library, as text.
//
// Vertices read operands element by element, or one element that serves for all
// of theirs. Work is divided so that an operand which repeats its elements for
// long runs of the result is of the second kind.

#include "lib/PopLibs/popops/elementwise/FusedVertices.h"

#include "lib/PopLibs/popops/elementwise/BroadcastViews.h"
#include "lib/PopLibs/popops/elementwise/ElementWiseVertices.h"
#include "lib/PopLibs/popops/elementwise/FusedHeaders.h"
#include "lib/PopLibs/popops/vertices/VertexCycles.h"
#include "lib/PopLibs/popops/vertices/VertexTypes.h"
#include "lib/PopLibs/popops/vertices/VertexWork.h"
#include "lib/Poplar/Graph/GeneratedCodelets.h"
#include "runtime/Support/ContentHash.h"

#include <algorithm>
#include <poputil/Broadcast.hpp>
#include <poputil/exceptions.hpp>

#include <limits>
#include <optional>

using namespace poplar;
using poputil::poplibs_error;

namespace popops {
namespace {

/// The run of an operand's only element.
constexpr std::size_t WholeResult = std::numeric_limits<std::size_t>::max();

/// The operand that the result overwrites; their number if it is none.
std::size_t overwritten(const FusedExpression &fused, const Tensor &out) {
  std::size_t i = 0;
  while (i != fused.operands.size() && !(fused.operands[i].tensor == out))
    ++i;
  return i;
}

/// An operand as the vertices see it.
struct OperandView {
  Tensor flat; // in the order of the work
  /// For how many elements of the result each of its elements serves, one after
  /// the other; 1 where vertices read it element by element.
  std::size_t run;
};

/// The division of the work, in the order of the result's memory.
struct Plan {
  Tensor out; // flat
  std::vector<VertexWork> work;
  std::vector<OperandView> operands;
};

/// Cuts the work so that no piece has elements of two runs.
std::vector<VertexWork> cutAtRuns(const std::vector<VertexWork> &work,
                                  std::size_t run) {
  std::vector<VertexWork> result;
  for (const VertexWork &piece : work) {
    std::size_t last = 0;
    bool isFirst = true;
    for (const Interval &interval : piece.elements)
      for (std::size_t i = interval.begin(); i != interval.end();) {
        const std::size_t end = std::min(interval.end(), (i / run + 1) * run);
        if (isFirst || i / run != last)
          result.push_back({piece.tile, {}});
        result.back().elements.emplace_back(i, end);
        last = i / run;
        isFirst = false;
        i = end;
      }
  }
  return result;
}

OperandView viewOf(const FusedOperand &operand, const ByMemory &byMemory,
                   const std::vector<std::size_t> &shape,
                   const std::vector<std::size_t> &reordered) {
  if (operand.kind == FusedOperand::Single)
    return {operand.tensor.flatten(), WholeResult};
  if (operand.kind == FusedOperand::Broadcast) {
    const RepeatedOperand repeated =
        repeatedOperand(byMemory(operand.tensor), reordered);
    if (repeated.run >= MinRun)
      return {repeated.flat, repeated.run};
  }
  Tensor view = operand.tensor;
  poputil::broadcastToMatch(view, shape);
  return {byMemory(view).flatten(), 1};
}

/// Nothing where the pieces would be too small.
std::optional<Plan> makePlan(const Graph &graph, const FusedExpression &fused,
                             const Tensor &out) {
  const ByMemory byMemory(out);
  const Tensor reordered = byMemory(out);
  Plan plan;
  plan.out = reordered.flatten();
  plan.work = divideWork(graph, plan.out);
  const std::size_t pieces = plan.work.size();
  for (const FusedOperand &operand : fused.operands) {
    plan.operands.push_back(
        operand.tensor == out
            ? OperandView{plan.out, 1}
            : viewOf(operand, byMemory, out.shape(), reordered.shape()));
    if (operand.kind == FusedOperand::Broadcast &&
        plan.operands.back().run != 1)
      plan.work = cutAtRuns(plan.work, plan.operands.back().run);
    if (plan.work.size() > 2 * pieces)
      return std::nullopt;
  }
  return plan;
}

/// Parts of an operand that the pieces of work read.
std::vector<Tensor> operandsOf(const OperandView &view,
                               const std::vector<VertexWork> &work) {
  if (view.run == 1)
    return selectWork(view.flat, work);
  std::vector<Interval> elements;
  for (const VertexWork &piece : work) {
    const std::size_t i = piece.elements.front().begin() / view.run;
    elements.emplace_back(i, i + 1);
  }
  return view.flat.slices(elements);
}

std::string fieldOf(std::size_t operand) {
  return "in" + std::to_string(operand);
}

/// The members of the vertex type.
std::string members(const FusedExpression &fused, const Plan &plan,
                    std::size_t inPlace) {
  const bool isInPlace = inPlace != fused.operands.size();
  std::string fields, singles, parameters, arguments;
  if (isInPlace)
    parameters = "auto x" + std::to_string(inPlace);
  for (std::size_t i = 0; i != fused.operands.size(); ++i) {
    if (i == inPlace)
      continue;
    const std::string name = 'x' + std::to_string(i);
    fields += "  Input<Vector<" +
              spell(fused.operands[i].tensor.elementType()) +
              ", VectorLayout::ONE_PTR>> " + fieldOf(i) + ";\n";
    if (plan.operands[i].run != 1) {
      singles +=
          "      const auto " + name + " = splat<N>(" + fieldOf(i) + "[0]);\n";
      continue;
    }
    parameters += (parameters.empty() ? "auto " : ", auto ") + name;
    arguments += ", &" + fieldOf(i) + "[0]";
  }
  return "  " + std::string(isInPlace ? "InOut" : "Output") + "<Vector<" +
         spell(fused.type) + ">> out;\n" + fields +
         "  bool compute() {\n"
         "    constexpr unsigned N = OnTile ? " +
         std::to_string(fused.blockSize) + " : 1;\n" + singles +
         fused.constants + "    mapFused<N, " + (isInPlace ? "true" : "false") +
         ">(&out[0], out.size(), [=](" + parameters + ") {\n" + fused.body +
         "      return " + fused.result + ";\n    }" + arguments +
         ");\n    return true;\n  }\n";
}

/// The name of the vertex type with these members, in namespace popops.
std::string nameOf(const std::string &code) {
  populus::runtime::ContentHash hash;
  hash.add(code);
  return "Fused_" + hash.digits();
}

std::string sourceOf(const std::string &code) {
  return FusedHeaders +
         ("using namespace poplar;\n"
          "namespace popops {\n"
          "class " +
          nameOf(code) + " : public Vertex {\npublic:\n") +
         code + "};\n}\n";
}

/// The name of the vertex type; its code is in the graph afterwards.
std::string addVertexType(Graph &graph, const FusedExpression &fused,
                          const Plan &plan, std::size_t inPlace) {
  const std::string code = members(fused, plan, inPlace);
  const std::string full = "popops::" + nameOf(code);
  if (!graph.hasCodelet(full))
    core::addGeneratedCodelets(graph, sourceOf(code), full);
  return full;
}

std::uint64_t cyclesOf(const FusedExpression &fused, const Plan &plan,
                       const Target &target, std::size_t count) {
  const auto accesses = [&](const Type &type) {
    const std::size_t bytes = fused.blockSize * target.getTypeSize(type);
    return static_cast<unsigned>((bytes + 7) / 8);
  };
  unsigned total = accesses(fused.type);
  for (std::size_t i = 0; i != fused.operands.size(); ++i)
    if (plan.operands[i].run == 1)
      total += accesses(fused.operands[i].tensor.elementType());
  const bool isOfBooleans =
      fused.type == BOOL &&
      std::all_of(fused.operands.begin(), fused.operands.end(),
                  [](const FusedOperand &operand) {
                    return operand.tensor.elementType() == BOOL;
                  });
  return fusedCycles(isOfBooleans, fused.blockSize, fused.bundles,
                     static_cast<unsigned>(fused.operands.size()), total,
                     count);
}

} // namespace

bool canAddFusedOp(const Graph &graph, const FusedExpression &fused,
                   const Tensor &like) {
  // Only what is repeated can cut the work into small pieces.
  return std::none_of(fused.operands.begin(), fused.operands.end(),
                      [](const FusedOperand &operand) {
                        return operand.kind == FusedOperand::Broadcast;
                      }) ||
         makePlan(graph, fused, like).has_value();
}

std::string fusedSource(const FusedExpression &fused) {
  Plan plan;
  for (const FusedOperand &operand : fused.operands)
    plan.operands.push_back(
        {operand.tensor,
         operand.kind == FusedOperand::Single ? WholeResult : 1});
  return sourceOf(members(fused, plan, fused.operands.size()));
}

void addFusedOp(Graph &graph, const FusedExpression &fused, const Tensor &out,
                ComputeSet cs) {
  const std::optional<Plan> plan = makePlan(graph, fused, out);
  if (!plan)
    throw poplibs_error("popops: the expression does not suit its result");
  const std::size_t inPlace = overwritten(fused, out);
  const std::string type = addVertexType(graph, fused, *plan, inPlace);
  const auto outs = selectWork(plan->out, plan->work);
  std::vector<std::vector<Tensor>> ins;
  for (std::size_t i = 0; i != plan->operands.size(); ++i)
    ins.push_back(i == inPlace ? std::vector<Tensor>()
                               : operandsOf(plan->operands[i], plan->work));
  for (std::size_t i = 0; i != outs.size(); ++i) {
    const VertexRef v = graph.addVertex(cs, type);
    graph.connect(v["out"], outs[i]);
    for (std::size_t k = 0; k != ins.size(); ++k)
      if (k != inPlace)
        graph.connect(v[fieldOf(k)], ins[k][i]);
    const std::size_t count = outs[i].numElements();
    graph.setPerfEstimate(v, cyclesOf(fused, *plan, graph.getTarget(), count),
                          count * fused.operations);
    graph.setTileMapping(v, plan->work[i].tile);
  }
}

} // namespace popops
