// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops as Repeat, where the number of rounds is known, and RepeatWhileTrue.

#include <popops/ElementWise.hpp>
#include <popops/Fill.hpp>
#include <popops/Loop.hpp>
#include <poputil/exceptions.hpp>

using namespace poplar;
using namespace poplar::program;
using poputil::poplibs_error;

namespace popops {
namespace {

void setCounter(Graph &graph, const Tensor &counter, long long value,
                Sequence &prog, const DebugContext &debugContext) {
  if (counter.elementType() == INT)
    fill<int>(graph, counter, prog, static_cast<int>(value), debugContext);
  else
    fill<unsigned>(graph, counter, prog, static_cast<unsigned>(value),
                   debugContext);
}

void advance(Graph &graph, const Tensor &counter, long long step,
             Sequence &prog, const DebugContext &debugContext) {
  namespace pe = popops::expr;
  if (counter.elementType() == INT)
    mapInPlace(graph, pe::_1 + pe::Const(static_cast<int>(step)), {counter},
               prog, debugContext);
  else
    mapInPlace(graph, pe::_1 + pe::Const(static_cast<unsigned>(step)),
               {counter}, prog, debugContext);
}

} // namespace

Sequence countedLoop(Graph &graph, std::size_t begin, std::size_t end,
                     std::size_t step, const CountedLoopBodyType &body,
                     const DebugContext &debugContext) {
  if (step == 0)
    throw poplibs_error("popops::countedLoop: the step is 0");
  if (begin >= end)
    throw poplibs_error("popops::countedLoop: no counter is in [" +
                        std::to_string(begin) + ", " + std::to_string(end) +
                        "), so the body would never run; leave the loop out");
  const DebugContext dc(debugContext, "CountedLoop");
  const Tensor counter = graph.addVariable(
      UNSIGNED_INT, {}, VariableMappingMethod::LINEAR, {dc, "counter"});
  Sequence loop({}, dc);
  setCounter(graph, counter, static_cast<long long>(begin), loop, dc);
  Sequence round;
  round.add(body(counter));
  advance(graph, counter, static_cast<long long>(step), round, dc);
  loop.add(Repeat(static_cast<unsigned>((end - begin + step - 1) / step), round,
                  dc));
  return loop;
}

Sequence countedLoop(Graph &graph, std::size_t count,
                     const CountedLoopBodyType &body,
                     const DebugContext &debugContext) {
  return countedLoop(graph, 0, count, 1, body, debugContext);
}

namespace {

void checkCounter(const char *function, const Tensor &count,
                  const Tensor &countLimit) {
  if (count.elementType() != countLimit.elementType() ||
      (count.elementType() != INT && count.elementType() != UNSIGNED_INT) ||
      count.numElements() != 1 || countLimit.numElements() != 1)
    throw poplibs_error(std::string(function) + ": the counter (type " +
                        count.elementType().toString() + ") and the limit (" +
                        countLimit.elementType().toString() +
                        ") must be scalars of one integer type");
}

} // namespace

Tensor addForLoopCounterVertex(Graph &graph, const Tensor &count,
                               const Tensor &countLimit, int countStep,
                               unsigned tile, Sequence &prog,
                               const DebugContext &debugContext) {
  checkCounter("popops::addForLoopCounterVertex", count, countLimit);
  const DebugContext dc(debugContext, "ForLoopCounter");
  const Tensor goesOn = graph.addVariable(BOOL, {}, dc);
  graph.setTileMapping(goesOn, tile);
  advance(graph, count, countStep, prog, dc);
  neqWithOutput(graph, count.reshape({}), countLimit.reshape({}), goesOn, prog,
                dc);
  return goesOn;
}

Sequence countedForLoop(Graph &graph, const Tensor &count, int initialCount,
                        const Tensor &countLimit, int countStep,
                        const Program &body, const DebugContext &debugContext) {
  checkCounter("popops::countedForLoop", count, countLimit);
  const DebugContext dc(debugContext, "CountedForLoop");
  Sequence loop({}, dc), condition, round;
  setCounter(graph, count, initialCount, loop, dc);
  const Tensor goesOn = neq(graph, count.reshape({}), countLimit.reshape({}),
                            condition, {dc, "Condition"});
  round.add(body);
  advance(graph, count, countStep, round, dc);
  loop.add(RepeatWhileTrue(condition, goesOn, round, dc));
  return loop;
}

Sequence countedForLoop(Graph &graph, int initialCount,
                        const Tensor &countLimit, int countStep,
                        const Program &body, const DebugContext &debugContext) {
  const Tensor count =
      graph.addVariable(countLimit.elementType(), {},
                        VariableMappingMethod::LINEAR, debugContext);
  return countedForLoop(graph, count, initialCount, countLimit, countStep, body,
                        debugContext);
}

} // namespace popops
