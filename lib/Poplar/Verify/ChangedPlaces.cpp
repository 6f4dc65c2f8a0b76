// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Visits each node, step and compute set once, however often it is used.

#include "lib/Poplar/Verify/ChangedPlaces.h"

#include "lib/Poplar/Graph/Access.h"
#include "lib/Poplar/Graph/NodeKinds.h"
#include "lib/Poplar/Verify/VerifyLowering.h"
#include "runtime/Format/StepKinds.h"

namespace poplar::core {

namespace rt = populus::runtime;
using rt::StepKind;

// ---- In the graph -----------------------------------------------------------

void ChangedPlacesFinder::addView(const TensorView &view,
                                  std::uint32_t replicas) {
  for (const VariableBytes &part : places.ofAll(view, replicas))
    changed.variables[part.variable].assign(part.begin, part.begin + part.bytes,
                                            Tag{1, 0});
}

void ChangedPlacesFinder::addComputeSet(std::uint32_t id) {
  if (!knownSets.insert(id).second)
    return;
  for (std::uint32_t v : graph.computeSets[id].vertices) {
    const Vertex &vertex = graph.vertices[v];
    const auto &fields = graph.vertexTypes[vertex.type].description->fields;
    for (std::size_t f = 0; f != fields.size(); ++f)
      if (fields[f].direction != populus::archive::Direction::Input)
        forEachRegionOf(
            graph, graph.slots[vertex.firstSlot + f],
            [&](const Region &region) {
              for (std::uint32_t r = 0; r != vertex.replication.factor; ++r)
                for (const VariableBytes &part :
                     places.of(graph.regionRuns.get(region.runs), r))
                  changed.variables[part.variable].assign(
                      part.begin, part.begin + part.bytes, Tag{1, 0});
            });
  }
}

void ChangedPlacesFinder::addNode(const ProgramNode &node) {
  switch (node.kind) {
  case ProgramNode::Execute:
    return addComputeSet(node.index);
  case ProgramNode::Copy:
  case ProgramNode::CrossReplica:
  case ProgramNode::WriteUndef:
    return addView(Access::view(node.tensor), 1);
  case ProgramNode::FloatControl:
    if (node.tensor.valid())
      addView(Access::view(node.tensor), 1);
    return;
  case ProgramNode::HostCall:
    for (std::size_t i = Access::data(node.hostFunction)->inputs.size();
         i < node.tensors.size(); ++i)
      addView(Access::view(node.tensors[i]), 1);
    return;
  default:
    if (const auto step = factsOf(node.kind).step;
        step && isWritten(rt::factsOf(*step)->tensor))
      addView(Access::view(node.tensor), 1);
    return;
  }
}

void ChangedPlacesFinder::add(const ProgramNode &node) {
  if (!knownNodes.insert(&node).second)
    return;
  addNode(node);
  for (const program::Program &child : node.children)
    add(*Access::node(child));
  if (node.kind == ProgramNode::Call)
    add(*Access::node(graph.functions[node.index]));
}

// ---- On tiles ---------------------------------------------------------------

void ChangedPlacesFinder::addTensor(std::uint32_t tensor) {
  const rt::Range range = exe.tensors[tensor].segments;
  for (std::uint32_t i = 0; i != range.count; ++i) {
    const rt::Segment &segment = exe.segments[range.first + i];
    addTile(segment.tile, segment.address, segment.bytes);
  }
}

void ChangedPlacesFinder::addExchange(const rt::Exchange &exchange) {
  for (const rt::CopyPiece &piece : exe.piecesOf(exchange))
    exe.forEachCopy(piece, [&](const rt::CopyPiece &copy) {
      addTile(copy.dstTile, copy.dst, copy.bytes);
    });
}

void ChangedPlacesFinder::add(std::uint32_t id) {
  if (!knownSteps.insert(id).second)
    return;
  const rt::Step &step = exe.steps[id];
  switch (step.kind) {
  case StepKind::Execute:
    sets.forEachWrite(
        step.computeSet(),
        [&](std::uint32_t tile, std::uint64_t begin, std::uint64_t bytes) {
          addTile(tile, begin, bytes);
        });
    break;
  case StepKind::Exchange:
    addExchange(exe.exchanges[step.exchange()]);
    break;
  case StepKind::Call:
    add(step.function());
    break;
  default:
    forEachTensor(exe, step, [&](std::uint32_t tensor, rt::TensorUse use) {
      if (isWritten(use))
        addTensor(tensor);
    });
  }
  for (std::uint32_t child : step.children)
    add(child);
}

} // namespace poplar::core
