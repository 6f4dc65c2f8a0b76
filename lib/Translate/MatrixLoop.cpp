// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The matrix unit tests all results when they are finished, in the first phase.
// From then on the chain passes them on, a pair in a step, and takes partial
// sums in. None of these may leave before the next first phase has made sums of
// them: a set's chain may move on no more often than it has pairs.

#include "lib/Translate/MatrixLoop.h"

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

/// Whether the chains move on at most as often as they have pairs between two
/// first phases, in rounds one after the other.
bool passFirstPhases(const Unit &unit,
                     const std::vector<DecodedSlot> &bundles) {
  const std::int32_t engines = bundles.front().auxOperands.imm >> 3;
  constexpr unsigned MostMoves[] = {4, 2, 1}; // by the code of engines
  if (engines < 0 || engines > 2)
    return false;
  std::array<unsigned, 2> moves = {};
  bool seen = false;
  for (unsigned round = 0; round != 2; ++round)
    for (const DecodedSlot &bundle : bundles) {
      const std::int32_t imm = bundle.auxOperands.imm;
      const unsigned phase = imm & 7;
      if (imm >> 3 != engines)
        return false;
      if (phase == 0) {
        moves = {};
        seen = true;
      }
      // Two sets of singles take turns.
      if (unit.isSingle)
        ++moves[phase % 2];
      else
        ++moves[0];
      if (moves[0] > MostMoves[engines] ||
          (unit.sets == 2 && moves[1] > MostMoves[engines]))
        return false;
    }
  return seen;
}

} // namespace

std::optional<Rounded>
whetherResultsTell(const std::vector<DecodedSlot> &bundles) {
  const std::string_view name = bundles.front().aux->name;
  const std::optional<Unit> unit = unitOf(name);
  if (!unit)
    return std::nullopt;
  for (const DecodedSlot &bundle : bundles)
    if (bundle.aux->name != name)
      return std::nullopt;
  if (unit->isMatrix && !passFirstPhases(*unit, bundles))
    return std::nullopt;
  return unit->results;
}

} // namespace populus::translate
