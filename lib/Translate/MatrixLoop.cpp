// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The matrix unit tests all results when they are finished, in the first phase.
// From then on the chain passes them on, a pair in a step, and takes partial
// sums in. No partial sum may leave before the next first phase has made sums
// of them: a set's chain may move on at most as many times as it has pairs.

#include "lib/Translate/MatrixLoop.h"

#include <algorithm>
#include <array>

namespace populus::translate {

using namespace runtime::emulator;

namespace {

struct Unit {
  bool isMatrix; // else slim convolution
  bool isSingle; // the inputs
  Rounded results;
  unsigned sets;
};

std::optional<Unit> unitOf(const InstructionFacts &facts) {
  const bool isMatrix = facts.engine == EngineKind::Matrix;
  if (facts.engine == EngineKind::None || (!isMatrix && facts.takesSingles))
    return std::nullopt;
  return Unit{isMatrix, facts.takesSingles,
              facts.givesSingles ? Rounded::Singles : Rounded::Halves,
              facts.setsTakeTurns ? 2u : 1u};
}

/// A step of a unit.
struct Step {
  const RowInfo *row;
  std::int32_t imm;
};

/// Returns whether the chains move on at most as often as they have pairs of
/// engines: between two first phases, before the first one and after the last
/// one.
bool passFirstPhases(const Unit &unit, const std::vector<Step> &steps) {
  constexpr unsigned MostMoves[] = {4, 2, 1}; // by the code of engines
  const std::int32_t engines = steps.front().imm >> 3;
  if (engines < 0 || engines > 2)
    return false;
  std::array<unsigned, 2> moves = {};
  for (const Step &step : steps) {
    const unsigned phase = step.imm & 7;
    if (step.imm >> 3 != engines)
      return false;
    if (phase == 0)
      moves = {};
    // Two sets of singles take turns.
    const unsigned set = unit.isSingle ? phase % 2 : 0;
    if (set < unit.sets && ++moves[set] > MostMoves[engines])
      return false;
  }
  return true;
}

/// Returns the format of the results if finished results show every unusual
/// event of these steps.
std::optional<Rounded> whetherResultsTell(const std::vector<Step> &steps) {
  if (steps.empty())
    return std::nullopt;
  const std::optional<Unit> unit = unitOf(steps.front().row->facts);
  if (!unit)
    return std::nullopt;
  for (const Step &step : steps)
    if (step.row != steps.front().row)
      return std::nullopt;
  if (unit->isMatrix && !passFirstPhases(*unit, steps))
    return std::nullopt;
  return unit->results;
}

/// Adds the steps of a piece, those of a loop twice; false if there may be
/// something else.
bool addSteps(const CodePiece &piece, std::vector<Step> &steps) {
  const std::size_t first = steps.size();
  for (const DecodedSlot &slot : piece.slots)
    if (slot.aux && !doesNothing(*slot.aux, slot.auxOperands))
      steps.push_back({slot.aux, slot.auxOperands.imm});
    else if (!slot.aux && !isMemoryAccess(slot) &&
             !doesNothing(*slot.main, slot.mainOperands))
      return false;
  if (!piece.repeat || first == steps.size())
    return true;
  // Without a first phase the chains move on in all rounds.
  const auto begin = steps.begin() + static_cast<std::ptrdiff_t>(first);
  if (begin->row->facts.engine == EngineKind::Matrix &&
      std::none_of(begin, steps.end(),
                   [](Step step) { return (step.imm & 7) == 0; }))
    return false;
  const std::vector<Step> again(begin, steps.end());
  steps.insert(steps.end(), again.begin(), again.end());
  return true;
}

} // namespace

bool doesNothing(const RowInfo &row, const Operands &operands) {
  const auto isSpare = [&](const OperandInfo &info) {
    const bool isA = info.kind == OperandKind::AWrite;
    return (isA || info.kind == OperandKind::MWrite) &&
           operands.r[info.slot] == (isA ? SpareA : SpareM);
  };
  return row.facts.bitMoves != BitMoves::None && isSpare(row.operands[0]);
}

std::optional<Rounded>
whetherResultsTell(const std::vector<CodePiece> &pieces) {
  std::vector<Step> steps;
  for (const CodePiece &piece : pieces)
    if (!addSteps(piece, steps))
      return std::nullopt;
  return whetherResultsTell(steps);
}

} // namespace populus::translate
