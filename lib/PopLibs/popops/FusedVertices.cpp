// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The vertex type has the hash of its source in its name, so that expressions
// that are computed in the same way share it. The source is complete: the
// headers of the codelets are part of this library, as text.

#include "lib/PopLibs/popops/FusedVertices.h"

#include "lib/PopLibs/popops/ElementWiseVertices.h"
#include "lib/PopLibs/popops/FusedHeaders.h"
#include "lib/PopLibs/popops/VertexCycles.h"
#include "lib/PopLibs/popops/VertexWork.h"
#include "lib/Poplar/GeneratedCodelets.h"
#include "runtime/Support/ContentHash.h"

#include <poputil/Broadcast.hpp>

using namespace poplar;
using namespace poplar::program;

namespace popops {
namespace {

/// The operand that the result overwrites; their number if it is none.
std::size_t overwritten(const FusedExpression &fused, const Tensor &out) {
  std::size_t i = 0;
  while (i != fused.operands.size() && !(fused.operands[i].tensor == out))
    ++i;
  return i;
}

std::string fieldOf(std::size_t operand) {
  return "in" + std::to_string(operand);
}

/// The members of the vertex type.
std::string members(const FusedExpression &fused, std::size_t inPlace) {
  const bool isInPlace = inPlace != fused.operands.size();
  std::string fields, singles, parameters, arguments;
  if (isInPlace)
    parameters = "auto x" + std::to_string(inPlace);
  for (std::size_t i = 0; i != fused.operands.size(); ++i) {
    if (i == inPlace)
      continue;
    const FusedOperand &operand = fused.operands[i];
    const std::string name = "x" + std::to_string(i);
    fields += "  Input<Vector<" + spell(operand.tensor.elementType()) +
              ", VectorLayout::ONE_PTR>> " + fieldOf(i) + ";\n";
    if (operand.isSingle) {
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

/// The name of the vertex type; its code is in the graph afterwards.
std::string addVertexType(Graph &graph, const FusedExpression &fused,
                          std::size_t inPlace) {
  const std::string code = members(fused, inPlace);
  populus::runtime::ContentHash hash;
  hash.add(code);
  const std::string name = "Fused_" + hash.digits();
  const std::string full = "popops::" + name;
  if (!graph.hasCodelet(full))
    core::addGeneratedCodelets(graph,
                               FusedHeaders +
                                   ("using namespace poplar;\n"
                                    "namespace popops {\n"
                                    "class " +
                                    name + " : public Vertex {\npublic:\n") +
                                   code + "};\n}\n",
                               full);
  return full;
}

std::uint64_t cyclesOf(const FusedExpression &fused, const Target &target,
                       std::size_t count) {
  const auto accesses = [&](const Type &type) {
    const std::size_t bytes = fused.blockSize * target.getTypeSize(type);
    return static_cast<unsigned>((bytes + 7) / 8);
  };
  unsigned total = accesses(fused.type);
  for (const FusedOperand &operand : fused.operands)
    if (!operand.isSingle)
      total += accesses(operand.tensor.elementType());
  return fusedCycles(fused.blockSize, fused.bundles, total, count);
}

} // namespace

void addFusedOp(Graph &graph, const FusedExpression &fused, const Tensor &out,
                Sequence &prog, const DebugContext &debugContext) {
  const std::size_t inPlace = overwritten(fused, out);
  const std::string type = addVertexType(graph, fused, inPlace);
  const auto work = divideWork(graph, out);
  const auto outs = selectWork(out, work);
  std::vector<std::vector<Tensor>> ins;
  for (std::size_t i = 0; i != fused.operands.size(); ++i) {
    Tensor view = fused.operands[i].tensor;
    if (i == inPlace || fused.operands[i].isSingle) {
      ins.emplace_back();
      continue;
    }
    poputil::broadcastToMatch(view, out.shape());
    ins.push_back(selectWork(view, work));
  }
  const ComputeSet cs = graph.addComputeSet({debugContext, "Fused"});
  for (std::size_t i = 0; i != work.size(); ++i) {
    const VertexRef v = graph.addVertex(cs, type);
    graph.connect(v["out"], outs[i]);
    for (std::size_t k = 0; k != ins.size(); ++k)
      if (k != inPlace)
        graph.connect(v[fieldOf(k)], fused.operands[k].isSingle
                                         ? fused.operands[k].tensor.flatten()
                                         : ins[k][i]);
    const std::size_t count = outs[i].numElements();
    graph.setPerfEstimate(v, cyclesOf(fused, graph.getTarget(), count),
                          count * fused.operations);
    graph.setTileMapping(v, work[i].tile);
  }
  prog.add(Execute(cs, debugContext));
}

} // namespace popops
