// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memoised actions of a vertex's supervisor (Remembered.h), in the form
// that is fastest to repeat. A vertex that follows the same path again stores
// the same words, loads weights from the same addresses, starts the same
// workers with the same states, and takes the same cycles. So its supervisor is
// not executed: the script lists its actions once, in order. Only the workers,
// which compute with other numbers, run as translated code. A vertex without a
// supervisor merely starts its workers.

#ifndef POPULUS_RUNTIME_EMULATOR_WINDOWS_SCRIPT_H
#define POPULUS_RUNTIME_EMULATOR_WINDOWS_SCRIPT_H

#include "runtime/Emulator/Tile/Tile.h"

#include <array>
#include <cstdint>
#include <vector>

namespace populus::runtime::emulator {

class Script {
public:
  /// Returns whether all workers that the script starts have translated code.
  bool isPossible(Tile &tile) const;
  /// Does all of it, in a tile that has been set up to begin the vertex.
  void run(Tile &tile) const;

  /// Fetches its beginning.
  void fetch() const;

  std::uint64_t numCycles() const { return cycles; }
  /// Returns the memory that this takes, beside the object itself.
  std::size_t bytes() const {
    return words.capacity() * sizeof(words[0]) +
           entries.capacity() * sizeof(entries[0]);
  }

private:
  friend class ScriptWriter;

  enum class Action : std::uint8_t {
    Store,       // number words: offset, value
    LoadWeights, // address; slots of number runs of loads
    Start,       // number: workers, as bits; slot, state, bytes between states
  };
  static constexpr unsigned ActionBits = 8;

  const std::uint32_t *store(Tile &tile, const std::uint32_t *at,
                             std::uint32_t number) const;
  const std::uint32_t *loadWeights(Tile &tile, const std::uint32_t *at,
                                   std::uint32_t number) const;
  const std::uint32_t *start(Tile &tile, const std::uint32_t *at,
                             std::uint32_t workers) const;

  std::vector<std::uint32_t> words;
  std::vector<std::uint32_t> entries; // slots where workers begin, each once
  std::uint64_t cycles = 0;
  std::uint64_t turns = 0;
  std::uint32_t weightLoad = 0;
  bool hasSupervisor = false;
  std::array<std::uint32_t, WorkerBase> registers = {}; // of the supervisor
};

/// Writes down what is told of a vertex that runs.
class ScriptWriter {
public:
  /// The tile is about to begin the vertex.
  explicit ScriptWriter(const Tile &tile);

  /// The supervisor stores a word of memory.
  void stores(std::uint32_t offset) { stored.push_back(offset); }
  /// The supervisor has loaded weights from an address on: the whole run of
  /// loads that begins at the slot.
  void hasLoadedWeights(const Tile &tile, const Slot *slot, Address address);
  /// The supervisor has started workers, given as bits, which have not run yet.
  void starts(const Tile &tile, unsigned workers);
  /// The vertex does what no script does.
  void giveUp() { isKnown = false; }

  /// The vertex has ended. False: there is no script for it.
  bool finish(const Tile &tile, Script &result);

private:
  void add(Script::Action action, std::uint32_t number) {
    script.words.push_back(static_cast<std::uint32_t>(action) |
                           number << Script::ActionBits);
  }
  void flush(const Tile &tile);
  void addStart(const Tile &tile, unsigned workers, std::uint32_t slot,
                Address state, std::uint32_t spacing);

  Script script;
  const std::uint64_t begin;
  bool isKnown = true;
  std::vector<std::uint32_t> stored; // offsets since the last action
  // Loads of weights that follow each other.
  static constexpr std::size_t NoLoads = ~std::size_t(0);
  std::size_t loads = NoLoads; // where they begin in the words
  Address nextAddress = 0;
};

} // namespace populus::runtime::emulator

#endif
