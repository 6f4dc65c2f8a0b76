// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The matrix unit tests all results when they are finished, in the first phase.
// From then on the chain passes them on, a pair in a step, and takes partial
// sums in. None of these may leave before the next first phase has made sums of
// them: a set's chain may move on no more often than it has pairs.

#include "lib/Translate/MatrixLoop.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace populus::translate {

using namespace runtime::emulator;

namespace {

struct Unit {
  bool isMatrix; // else slim convolution
  bool isSingle; // the inputs
  Rounded results;
  unsigned sets;
};

std::optional<Unit> unitOf(std::string_view name) {
  const bool isMatrix = name.ends_with("AMP");
  const bool isSingle = name.starts_with("F32SISO");
  if (!isMatrix && (!name.ends_with("SLIC") || isSingle))
    return std::nullopt;
  const bool givesSingles = name.find("SISO") != name.npos;
  return Unit{isMatrix, isSingle,
              givesSingles ? Rounded::Singles : Rounded::Halves,
              name.find("V2AMP") != name.npos ? 2u : 1u};
}

/// A step of a unit.
struct Step {
  std::string_view name;
  std::int32_t imm;
};

/// Whether the chains move on at most as often as they have pairs between two
/// first phases, and before the first one and after the last one.
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

/// Whether results tell all in these steps.
std::optional<Rounded> whetherResultsTell(const std::vector<Step> &steps) {
  if (steps.empty())
    return std::nullopt;
  const std::optional<Unit> unit = unitOf(steps.front().name);
  if (!unit)
    return std::nullopt;
  for (const Step &step : steps)
    if (step.name != steps.front().name)
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
      steps.push_back({slot.aux->name, slot.auxOperands.imm});
    else if (!slot.aux && !isMemoryAccess(slot) &&
             !doesNothing(*slot.main, slot.mainOperands))
      return false;
  if (!piece.repeat || first == steps.size())
    return true;
  // Without a first phase the chains move on in all rounds.
  const auto begin = steps.begin() + static_cast<std::ptrdiff_t>(first);
  if (begin->name.ends_with("AMP") &&
      std::none_of(begin, steps.end(),
                   [](Step step) { return (step.imm & 7) == 0; }))
    return false;
  const std::vector<Step> again(begin, steps.end());
  steps.insert(steps.end(), again.begin(), again.end());
  return true;
}

} // namespace

bool doesNothing(const RowInfo &row, const Operands &operands) {
  const std::string_view name = row.name;
  return (name == "OR_m_rz" && operands.r[0] == SpareM) ||
         (name == "OR_a_rz" && operands.r[0] == SpareA);
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
