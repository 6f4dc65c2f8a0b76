// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memoises the control flow and the accesses of a vertex, keyed by the words
// that determine them. Most vertices do the same in every step, except for the
// numbers that they compute with. Their accesses and branches depend only on
// the words that they load into the registers $m, on the registers that they
// begin with, and on their own stores from $m. If all epochs (Window.h) of a
// vertex have been found to be without conflicts, these words are memoised. If
// they have the same values when the vertex runs again, the accesses are the
// same ones, so nothing has to be recorded or kept. The supervisor does the
// same, too, and is not executed again (Script.h).
//
// A vertex learns these words while it runs. It is not memoised if one of its
// contexts reads the time or the state of the floating point unit, takes
// numbers from $a to $m, by registers or by memory, loads a word that it may
// then overwrite, or may fault depending on computed values.

#ifndef POPULUS_RUNTIME_EMULATOR_WINDOWS_REMEMBERED_H
#define POPULUS_RUNTIME_EMULATOR_WINDOWS_REMEMBERED_H

#include "runtime/Emulator/Tile/Tile.h"
#include "runtime/Emulator/Windows/Script.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <vector>

namespace populus::runtime::emulator {

/// The words that a vertex's way depends on, and their values before it ran.
class Remembered {
public:
  /// Returns whether the vertex that the tile is about to begin follows the
  /// memoised path, within a number of cycles.
  bool isSame(const Tile &tile, std::uint64_t cycleLimit) const;
  /// The actions of the supervisor on that path.
  const Script &script() const { return whatItDoes; }
  /// Fetches the words that isSame() reads first; fetchDetails() the words
  /// behind them.
  void fetch() const;
  void fetchDetails() const;
  /// Returns the memory that this takes.
  std::size_t bytes() const;

private:
  friend class Learner;

  /// The registers of a context, except for those that are set when it starts.
  static constexpr std::size_t NumRegisters = WorkerBase;
  using Registers = std::array<std::uint32_t, NumRegisters>;
  /// Bytes of the tile's memory.
  struct Range {
    std::uint32_t offset, bytes;
  };

  std::array<Registers, NumWorkers + 1> registers;
  std::uint32_t weightLoad;
  std::uint32_t fpInitialControl;
  std::vector<Range> ranges;
  std::vector<std::uint8_t> values; // of these, in order
  Script whatItDoes;
};

/// Finds them out while a vertex runs; watches the supervisor.
class Learner : public Watcher {
public:
  /// The tile is about to begin a vertex.
  explicit Learner(Tile &tile);
  ~Learner() override;
  Learner(const Learner &) = delete;
  Learner &operator=(const Learner &) = delete;

  /// Notes the supervisor's accesses in `record`, too, until endWindow().
  void beginWindow(AccessRecord &record) { window = &record; }
  /// Workers have been started, and have done nothing yet.
  void starts(unsigned workers) { writer.starts(tile, workers); }
  /// Takes the accesses of the epoch's workers, before they are known to be
  /// right.
  void take(const AccessRecord &record);
  void endWindow() { window = nullptr; }
  /// The vertex cannot be remembered.
  void giveUp() { isKnown = false; }

  /// The vertex has ended. Null: it cannot be remembered.
  std::unique_ptr<Remembered> finish();

  bool before(Context &c, const Slot *slot) override;
  bool access(Context &c, Address address, unsigned bytes, bool store) override;
  /// Does the work of before() for consecutive slots.
  void beforeLine(const Slot *slot, unsigned number);
  /// A run of loads is done, from this address on.
  void hasLoadedWeights(const Slot *slot, Address address) {
    writer.hasLoadedWeights(tile, slot, address);
  }

  /// The history of a word: loaded with its first value; stored by the
  /// supervisor; loaded after that.
  enum Mark : std::uint8_t { Loaded = 1, Derived = 2, LoadedDerived = 4 };

private:
  void noteRead(std::uint32_t offset, std::uint32_t bytes);
  void noteStored(std::uint32_t offset, std::uint32_t bytes);
  bool dependsOnResults() const;

  Tile &tile;
  Remembered result;
  ScriptWriter writer;
  AccessRecord *window = nullptr;
  bool isKnown = true;
};

/// The memoised vertices of a device. Different threads may run different
/// vertices.
class VertexMemory {
public:
  explicit VertexMemory(std::size_t numVertices) : entries(numVertices) {}

  /// A vertex that several tiles run is not remembered.
  void setShared(std::size_t vertex) { entries[vertex].isShared = true; }

  /// Runs the vertex that the tile has been set up to begin, as
  /// runInterleaved() does.
  Context *run(Tile &tile, std::size_t vertex, std::uint64_t cycleLimit);
  /// Runs the vertex if it is memoised and follows the same path again. Returns
  /// false if nothing has been done.
  bool recall(Tile &tile, std::size_t vertex, std::uint64_t cycleLimit) {
    return recall(tile, entries[vertex], cycleLimit);
  }

  // For code that runs vertices in another way (CheckedVertices.h).
  bool isRemembered(std::size_t vertex) const {
    return entries[vertex].remembered != nullptr;
  }
  /// Returns whether run() would learn or recall. If not, the call counts as a
  /// run.
  bool wantsRun(const Tile &tile, std::size_t vertex);

  /// Fetches what is remembered of a vertex that this thread is going to run,
  /// in two steps, of which the second one needs the first.
  void fetch(std::size_t vertex) const {
    if (const auto &remembered = entries[vertex].remembered)
      remembered->fetch();
  }
  void fetchDetails(std::size_t vertex) const {
    if (const auto &remembered = entries[vertex].remembered)
      remembered->fetchDetails();
  }

  /// Returns how many times a vertex has run from its memoised script.
  std::uint32_t numRecalls(std::size_t vertex) const {
    return entries[vertex].recalls;
  }

private:
  struct Entry {
    std::unique_ptr<Remembered> remembered;
    std::uint32_t recalls = 0;
    /// Runs before it learns; many vertices run once, and the registers that
    /// the first run begins with are not those that later ones do.
    std::uint8_t runsBefore = 1;
    /// The attempts to learn that failed or whose result has changed.
    std::uint8_t tries = 0;
    bool isShared = false;

    void learnLater() {
      constexpr std::uint8_t MostTries = 7;
      tries = std::min<std::uint8_t>(tries + 1, MostTries);
      runsBefore = static_cast<std::uint8_t>(1u << tries);
    }
  };
  /// The most memory for all vertices; vertices beyond it run as before.
  static constexpr std::size_t MostBytes = std::size_t(384) << 20;

  static bool recall(Tile &tile, Entry &entry, std::uint64_t cycleLimit);
  bool mayLearn(const Tile &tile) const;
  Context *learn(Tile &tile, Entry &entry, std::uint64_t cycleLimit);

  std::vector<Entry> entries;
  std::atomic<std::size_t> bytes = 0;
};

} // namespace populus::runtime::emulator

#endif
