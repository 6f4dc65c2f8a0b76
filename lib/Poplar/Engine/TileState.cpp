// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs that read and change registers of the tiles: the control of floating
// point, the state of random number generators.

#include "lib/Poplar/Graph/ProgramNode.h"
#include "lib/Poplar/Support/FloatControl.h"

#include <poplar/CSRFunctions.hpp>
#include <poplar/RandomSeed.hpp>

namespace poplar {

using core::ProgramNode;
namespace bits = core::float_control;

namespace {

/// A program of a node that has no public class.
class TileState : public program::Program {
public:
  TileState(ProgramNode::Kind kind, const DebugContext &context,
            const Tensor &tensor = Tensor())
      : Program(std::make_shared<ProgramNode>()) {
    node->kind = kind;
    node->name = context.getPathName();
    node->tensor = tensor;
  }
  TileState(std::uint32_t clear, std::uint32_t set, const DebugContext &context,
            const Tensor &saved = Tensor())
      : TileState(ProgramNode::FloatControl, context, saved) {
    node->values = {static_cast<std::int32_t>(clear),
                    static_cast<std::int32_t>(set)};
  }
};

std::uint32_t bitsOf(const FloatingPointBehaviour &behaviour) {
  return (behaviour.inv ? bits::Invalid : 0) |
         (behaviour.div0 ? bits::DivideByZero : 0) |
         (behaviour.oflo ? bits::Overflow : 0) |
         (behaviour.esr ? bits::StochasticRounding : 0) |
         (behaviour.nanoo ? bits::NanOnOverflow : 0);
}

/// Variable for the seeds; those of a tile are on the tile.
Tensor addSeeds(Graph &graph, const DebugContext &context) {
  const Target &target = graph.getTarget();
  const Tensor seeds = graph.addVariable(
      UNSIGNED_INT, {target.getNumTiles(), target.getNumWorkerContexts(), 4},
      context);
  for (unsigned tile = 0; tile != target.getNumTiles(); ++tile)
    graph.setTileMapping(seeds[tile], tile);
  return seeds;
}

} // namespace

void setFloatingPointBehaviour(Graph &, program::Sequence &prog,
                               const FloatingPointBehaviour &behaviour,
                               const DebugContext &debugContext) {
  prog.add(TileState(bits::All, bitsOf(behaviour), debugContext));
}

void setFloatingPointBehaviour(Graph &, program::Sequence &prog,
                               const Tensor &behaviour,
                               const DebugContext &debugContext) {
  if (behaviour.numElements() != 1 || behaviour.elementType() != UNSIGNED_INT)
    throw poplar_error("setFloatingPointBehaviour: " + behaviour.getDebugStr() +
                       " is not what getAndModifyFloatingPointBehaviour "
                       "returned");
  prog.add(TileState(ProgramNode::FloatRestore, debugContext, behaviour));
}

Tensor getAndModifyFloatingPointBehaviour(Graph &graph, program::Sequence &prog,
                                          const FloatingPointBehaviour &clear,
                                          const FloatingPointBehaviour &set,
                                          const DebugContext &debugContext) {
  const Tensor before = graph.addVariable(
      UNSIGNED_INT, {}, {debugContext, "floatingPointBehaviour"});
  graph.setTileMapping(before, 0);
  prog.add(TileState(bitsOf(clear), bitsOf(set), debugContext, before));
  return before;
}

void setStochasticRounding(Graph &, program::Sequence &prog, bool enable,
                           const DebugContext &debugContext) {
  prog.add(TileState(bits::StochasticRounding,
                     enable ? bits::StochasticRounding : 0, debugContext));
}

Tensor getHwSeeds(Graph &graph, program::Sequence &prog,
                  const DebugContext &debugContext) {
  const Tensor seeds = addSeeds(graph, {debugContext, "hwSeeds"});
  prog.add(TileState(ProgramNode::ReadSeeds, debugContext, seeds));
  return seeds;
}

void setHwSeeds(Graph &graph, const Tensor &seeds, program::Sequence &prog,
                const DebugContext &debugContext) {
  const Tensor own = addSeeds(graph, {debugContext, "hwSeeds"});
  prog.add(program::Copy(seeds.flatten(), own.flatten(), false, debugContext));
  prog.add(TileState(ProgramNode::WriteSeeds, debugContext, own));
}

} // namespace poplar
