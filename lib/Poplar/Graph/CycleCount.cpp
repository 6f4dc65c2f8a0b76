// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cycle counter as tensors.

#include <poplar/CycleCount.hpp>

#include "lib/Poplar/Graph/Access.h"
#include "lib/Poplar/Graph/ProgramNode.h"

namespace poplar {

namespace {

/// A program of a node that has no public class.
class Stamp : public program::Program {
public:
  enum Kind { Count = 0, Difference = 1 };

  Stamp(const Tensor &result, Kind kind, const DebugContext &context)
      : Program(std::make_shared<core::ProgramNode>()) {
    node->kind = core::ProgramNode::CycleStamp;
    node->index = kind;
    node->name = context.getPathName();
    node->tensor = result;
  }
};

Tensor addCounter(Graph &graph, unsigned tile, const DebugContext &context) {
  const Tensor counter = graph.addVariable(UNSIGNED_INT, {2}, context);
  graph.setTileMapping(counter, tile);
  return counter;
}

} // namespace

Tensor cycleStamp(Graph &graph, program::Sequence &prog, unsigned tile,
                  SyncType syncType, const DebugContext &debugContext) {
  const Tensor result = addCounter(graph, tile, debugContext);
  prog.add(program::Sync(syncType, debugContext));
  prog.add(Stamp(result, Stamp::Count, debugContext));
  return result;
}

// The sync before the first stamp brings the tiles together; the one before
// the second is part of what is measured, as it waits for the slowest tile.
Tensor cycleCount(Graph &graph, program::Sequence &prog, unsigned tile,
                  SyncType syncType, const DebugContext &debugContext) {
  const Tensor result = addCounter(graph, tile, debugContext);
  program::Sequence counted;
  counted.add(program::Sync(syncType, debugContext));
  counted.add(Stamp(result, Stamp::Count, debugContext));
  counted.add(prog);
  counted.add(program::Sync(syncType, debugContext));
  counted.add(Stamp(result, Stamp::Difference, debugContext));
  prog = counted;
  return result;
}

Tensor cycleStamp(Graph &graph, program::Sequence &prog, unsigned tile,
                  const DebugContext &debugContext) {
  return cycleStamp(graph, prog, tile, SyncType::INTERNAL, debugContext);
}

Tensor cycleCount(Graph &graph, program::Sequence &prog, unsigned tile,
                  const DebugContext &debugContext) {
  return cycleCount(graph, prog, tile, SyncType::INTERNAL, debugContext);
}

} // namespace poplar
