// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scripts are a list of words, for there is one for each vertex. Slots are
// numbers, counted from the first slot of the code.

#include "runtime/Emulator/Windows/Script.h"

#include "runtime/Emulator/Translation/Translations.h"
#include "runtime/Emulator/Windows/Ahead.h"
#include "runtime/Support/Prefetch.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>

namespace populus::runtime::emulator {

namespace {

std::uint32_t numberOf(const Tile &tile, const Slot *slot) {
  return static_cast<std::uint32_t>(slot - tile.code->firstSlot());
}

constexpr const char *OtherWay = "a vertex has gone another way";

} // namespace

// ---- Doing it ---------------------------------------------------------------

bool Script::isPossible(Tile &tile) const {
  bool possible = true;
  for (const std::uint32_t entry : entries) {
    if (tile.translations->find(entry, CodeKind::Plain))
      continue;
    // The entry has been executed often enough to be worth a translation.
    constexpr std::int64_t Turns = 1000;
    tile.translations->interpreted(entry, CodeKind::Plain, Turns);
    possible = false;
  }
  return possible;
}

void Script::fetch() const {
  constexpr std::size_t MostLines = 4; // the host sees where that leads
  const auto *begin = reinterpret_cast<const char *>(words.data());
  for (std::size_t i = 0; i != MostLines; ++i)
    prefetch<Access::Read>(begin + i * HostLine);
  prefetch<Access::Read>(entries.data());
}

void Script::run(Tile &tile) const {
  const std::uint64_t begin = tile.now;
  for (const std::uint32_t *at = words.data(), *end = at + words.size();
       at != end;) {
    const std::uint32_t number = *at >> ActionBits;
    switch (static_cast<Action>(*at++ & ((1u << ActionBits) - 1))) {
    case Action::Store:
      at = store(tile, at, number);
      break;
    case Action::LoadWeights:
      at = loadWeights(tile, at, number);
      break;
    case Action::Start:
      at = start(tile, at, number);
      break;
    }
  }
  tile.weightLoad = weightLoad;
  tile.now = begin + cycles;
  tile.turns = turns;
  Context &supervisor = tile.contexts[Supervisor];
  supervisor.active = false;
  if (!hasSupervisor)
    return;
  supervisor.exited = true;
  std::copy(registers.begin(), registers.end(), supervisor.m);
}

const std::uint32_t *Script::store(Tile &tile, const std::uint32_t *at,
                                   std::uint32_t number) const {
  std::uint8_t *memory = tile.contexts[Supervisor].memory;
  for (std::uint32_t i = 0; i != number; ++i, at += 2)
    std::memcpy(memory + at[0], &at[1], sizeof(at[1]));
  return at;
}

const std::uint32_t *Script::loadWeights(Tile &tile, const std::uint32_t *at,
                                         std::uint32_t number) const {
  tile.weightLoad = *at++;
  for (const std::uint32_t *end = at + number; at != end; ++at)
    if (!loadWeightRun(tile.contexts[Supervisor], tile.code->firstSlot() + *at))
      throw std::logic_error(OtherWay);
  return at;
}

const std::uint32_t *Script::start(Tile &tile, const std::uint32_t *at,
                                   std::uint32_t workers) const {
  constexpr std::int64_t ToTheEnd = std::int64_t(1) << 60;
  const Slot *entry = tile.code->firstSlot() + at[0];
  Ahead &ahead = aheadOfThread();
  for (std::uint32_t left = workers; left != 0; left &= left - 1) {
    const auto worker = static_cast<unsigned>(std::countr_zero(left));
    tile.launch(worker, entry, at[1] + worker * at[2]);
    ahead.fetch();
    if (!runUnrecorded(tile, worker, ToTheEnd))
      throw std::logic_error(OtherWay);
    tile.contexts[worker].active = false;
  }
  return at + 3;
}

// ---- Writing it down --------------------------------------------------------

ScriptWriter::ScriptWriter(const Tile &tile) : begin(tile.now) {
  script.hasSupervisor = tile.contexts[Supervisor].active;
}

/// Writes down the stores, with the values that they have left; no later store
/// has changed them.
void ScriptWriter::flush(const Tile &tile) {
  loads = NoLoads;
  if (stored.empty())
    return;
  std::sort(stored.begin(), stored.end());
  stored.erase(std::unique(stored.begin(), stored.end()), stored.end());
  add(Script::Action::Store, static_cast<std::uint32_t>(stored.size()));
  for (const std::uint32_t offset : stored) {
    std::uint32_t value;
    std::memcpy(&value, tile.contexts[Supervisor].memory + offset,
                sizeof(value));
    script.words.insert(script.words.end(), {offset, value});
  }
  stored.clear();
}

void ScriptWriter::hasLoadedWeights(const Tile &tile, const Slot *slot,
                                    Address address) {
  if (!stored.empty())
    flush(tile);
  if (loads == NoLoads || address != nextAddress) {
    loads = script.words.size();
    add(Script::Action::LoadWeights, 0);
    script.words.push_back(address);
  }
  script.words[loads] += 1u << Script::ActionBits;
  script.words.push_back(numberOf(tile, slot));
  nextAddress = tile.weightLoad;
}

void ScriptWriter::starts(const Tile &tile, unsigned workers) {
  flush(tile);
  // Most often all are started by one instruction.
  const auto first = static_cast<unsigned>(std::countr_zero(workers));
  const Slot *entry = tile.contexts[first].launchedFrom;
  const Address state = tile.contexts[first].m[VertexBase];
  const std::uint32_t spacing =
      std::popcount(workers) == 1
          ? 0
          : tile.contexts[first + 1].m[VertexBase] - state;
  const Address base = state - first * spacing;
  bool isSame = true;
  for (unsigned i = 0; i != NumWorkers; ++i)
    isSame &= !(workers >> i & 1) ||
              (tile.contexts[i].launchedFrom == entry &&
               tile.contexts[i].m[VertexBase] == base + i * spacing);
  if (isSame)
    return addStart(tile, workers, numberOf(tile, entry), base, spacing);
  for (unsigned i = 0; i != NumWorkers; ++i)
    if (workers >> i & 1)
      addStart(tile, 1u << i, numberOf(tile, tile.contexts[i].launchedFrom),
               tile.contexts[i].m[VertexBase], 0);
}

void ScriptWriter::addStart(const Tile &tile, unsigned workers,
                            std::uint32_t slot, Address state,
                            std::uint32_t spacing) {
  if (!tile.code->contains(tile.code->firstSlot() + slot))
    giveUp();
  add(Script::Action::Start, workers);
  script.words.insert(script.words.end(), {slot, state, spacing});
  if (std::find(script.entries.begin(), script.entries.end(), slot) ==
      script.entries.end())
    script.entries.push_back(slot);
}

bool ScriptWriter::finish(const Tile &tile, Script &result) {
  flush(tile);
  if (!isKnown)
    return false;
  script.cycles = tile.now - begin;
  script.turns = tile.turns;
  script.weightLoad = tile.weightLoad;
  std::copy_n(tile.contexts[Supervisor].m, script.registers.size(),
              script.registers.begin());
  script.words.shrink_to_fit();
  result = std::move(script);
  return true;
}

} // namespace populus::runtime::emulator
