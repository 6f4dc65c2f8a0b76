// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A compute set is lowered when something follows that cannot run with it. Then
// its inputs are known, and the copies before it are pending in the merger. A
// copy after it moves before it only if that lets the next compute set join it.

#include "lib/Poplar/Lowering/StraightLine.h"

#include "lib/Poplar/Lowering/Require.h"
#include "lib/Poplar/Lowering/VertexLowering.h"

#include <unordered_set>
#include <utility>

namespace poplar::core {

namespace rt = populus::runtime;

void StraightLine::copy(const TensorView &from, const TensorView &to,
                        LowerCopy lower) {
  if (!sets.empty() && merging.canPrecede(sets, from, to)) {
    waiting.push_back(std::move(lower));
    return;
  }
  lowerSets();
  lower(merger);
}

void StraightLine::execute(std::uint32_t computeSet) {
  if (!sets.empty() && merging.canJoin(sets, computeSet))
    lowerWaiting();
  else
    lowerSets();
  sets.push_back(computeSet);
}

std::vector<std::uint32_t> StraightLine::finish() {
  lowerSets();
  merger.finish();
  takeExchanges();
  return std::exchange(steps, {});
}

void StraightLine::lowerSets() {
  if (sets.empty())
    return;
  LoweredComputeSet lowered =
      lowerComputeSets(draft, sets, merging.overwritten(sets));
  merging.forget(sets);
  sets.clear();
  merger.addInputs(lowered.name + "/inputs", std::move(lowered.inputs));
  takeExchanges();
  if (!draft.operandBlocks[lowered.computeSet].empty())
    noteOperands(lowered.computeSet);
  addStep(rt::StepKind::Execute, lowered.name, lowered.computeSet);
  merger.add(lowered.name + "/outputs", std::move(lowered.outputs));
  lowerWaiting();
}

/// Records the exchange of the compute set's inputs, which fills all of its
/// operands and is the last exchange before it.
void StraightLine::noteOperands(std::uint32_t computeSet) {
  require(!steps.empty() &&
              draft.exe.steps[steps.back()].kind == rt::StepKind::Exchange,
          "operands are filled by an exchange before their compute set");
  const std::uint32_t exchange = draft.exe.steps[steps.back()].exchange();
  std::unordered_set<std::uint32_t> filled, broadcasts;
  draft.exchanges.forEachPiece(exchange, [&](const Piece &piece) {
    if (!piece.isBroadcast() && draft.isOperand(piece.to.block))
      filled.insert(piece.to.block);
    else if (piece.isBroadcast() &&
             draft.exchanges.goesToOperands(piece.broadcast) &&
             broadcasts.insert(piece.broadcast).second)
      for (Place receiver : draft.exchanges.receiversOf(piece.broadcast))
        filled.insert(receiver.block);
  });
  for (std::uint32_t block : draft.operandBlocks[computeSet])
    require(filled.contains(block), "one exchange fills all operands");
  draft.operandExchanges.emplace(exchange, computeSet);
}

void StraightLine::lowerWaiting() {
  for (const LowerCopy &lower : waiting)
    lower(merger);
  waiting.clear();
}

void StraightLine::takeExchanges() {
  for (const NamedExchange &exchange : merger.take())
    addStep(rt::StepKind::Exchange, exchange.name, exchange.id);
}

void StraightLine::addStep(rt::StepKind kind, const std::string &name,
                           std::uint32_t index) {
  steps.push_back(static_cast<std::uint32_t>(draft.exe.steps.size()));
  rt::Step step;
  step.kind = kind;
  step.name = name;
  step.index = index;
  draft.exe.steps.push_back(std::move(step));
}

} // namespace poplar::core
