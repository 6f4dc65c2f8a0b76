// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The checker of codelets, for one tile: compares every access of a vertex with
// what the graph compiler gave it, and keeps a shadow of the tile's memory that
// knows which bytes have been written and which vertex touched a word last.
//
// A word of memory is the unit of races and dead stores, because tiles store
// whole words, and the graph compiler keeps written data in words of its own. A
// codelet that stores a part of a word loads the word first; such a load does
// not count as a use. On stacks, and in plain programs, a load of unset memory
// is no mistake by itself (UnsetRegisters.h).

#ifndef POPULUS_RUNTIME_EMULATOR_CHECKS_CHECKER_H
#define POPULUS_RUNTIME_EMULATOR_CHECKS_CHECKER_H

#include "runtime/Emulator/Checks/Agents.h"
#include "runtime/Emulator/Checks/AlignmentTests.h"
#include "runtime/Emulator/Checks/KnownBytes.h"
#include "runtime/Emulator/Checks/Provenance.h"
#include "runtime/Emulator/Checks/QuickCheck.h"
#include "runtime/Emulator/Checks/UnsetRegisters.h"
#include "runtime/Emulator/Checks/VertexRegions.h"
#include "runtime/Emulator/Tile/Tile.h"
#include "runtime/Session/Findings.h"

#include <array>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace populus::runtime::emulator {

class Checker {
public:
  /// \p facts are those of the tile's image.
  Checker(const CheckOptions &options, const Executable &executable,
          std::uint32_t tile, const ImageFacts &facts);
  /// Attaches the checker to a tile; call it before the first vertex.
  void attach(const Tile &tile) {
    code = tile.code;
    firstSlot = slot = code->firstSlot();
  }

  /// Bytes that the host or an exchange has written.
  void written(Address address, std::uint32_t bytes) {
    known.set(address, bytes);
  }
  /// Takes over the known bytes of the source tile for an exchange's copy.
  void copied(const Checker *source, Address from, Address to,
              std::uint32_t bytes);

  void beginComputeSet() { agents.beginComputeSet(); }
  void beginVertex(std::uint32_t vertex);

  /// The bundle that is executed next.
  void before(const Context &c, const Slot &next) {
    slot = &next;
    numLoads = 0;
    const auto index = static_cast<std::size_t>(&next - firstSlot);
    if (index >= numSlots) [[unlikely]] // it cannot be executed
      return;
    if (followsPointers)
      provenance.before(c, facts.pointers[index]);
    if (special[index] || unset[c.number].any()) [[unlikely]]
      noteSlot(c, facts.slots[index]);
  }
  /// An access that does not fault.
  void access(const Context &c, Address address, unsigned bytes, bool store);

  /// Returns the input of a quick check (QuickCheck.h), which records the bytes
  /// that become known here.
  QuickCheck::Subject quickSubject() {
    return {options, executable, setup, facts, known, lo, hi};
  }
  /// Returns whether a quick check is possible. It is not in plain programs, in
  /// which nothing has a place of its own.
  bool allowsQuickChecks() const { return hasRegions && !stacks.isShared(); }
  const KnownBytes &knownBytes() const { return known; }
  /// Returns whether accesses have to belong to the regions that their pointers
  /// came from, which a quick check cannot tell.
  bool checksProvenance() const { return followsPointers; }
  /// Counts accesses out of bounds, also those of known mistakes.
  std::uint64_t numStrayAccesses() const { return strayAccesses; }

  /// Findings since the last call, with all but tile and compute set.
  std::vector<Finding> take();

private:
  /// The last accesses of a word: the numbers of the agents, and the places.
  struct Word {
    std::uint32_t writer = 0;
    // Two different ones, unless they are ordered.
    std::uint32_t reader = 0;
    std::uint32_t otherReader = 0;
    Address loadedAt = 0; // by the reader
    Address otherLoadedAt = 0;
    Address storedAt : 31 = 0; // by the writer
    Address unread : 1 = 0;    // since the last store
  };
  /// A load of a word that is not known, which a store may explain.
  struct Pending {
    unsigned context;
    unsigned age; // in accesses of the context
    Address word;
    Address pc;
  };
  enum class Owner { Nobody, Vertex, Stack, Image };
  static constexpr unsigned NumContexts = NumWorkers + 1;

  /// Returns the index of the current slot, which can be executed.
  std::size_t slotIndex() const {
    return static_cast<std::size_t>(slot - firstSlot);
  }
  Address pc() const {
    return image.base + static_cast<Address>(4 * slotIndex());
  }
  Word &wordAt(Address address) { return words[(address - lo) / 4]; }
  Owner ownerOf(const Context &c, Address address, unsigned bytes, bool store);
  bool isMeant(unsigned context, Address address, unsigned bytes, bool store);
  void reportStray(Address address, unsigned bytes, bool store);
  std::string elementOf(const AllowedRegion &of, Address address,
                        unsigned bytes) const;

  void noteSlot(const Context &c, const SlotFacts &slotFacts);
  void noteBits(const Context &c, const SlotFacts &slotFacts);
  void noteUse(unsigned context, const SlotFacts &slotFacts);
  void noteOrder(const Tile &tile, SlotFacts::Workers workers);
  void checkAlignment(Address address, unsigned bytes, bool store);
  void checkKnown(unsigned context, Owner owner, Address address,
                  unsigned bytes);
  void markLoaded(unsigned context, Address address, unsigned bytes);
  void setStored(unsigned context, Address address, unsigned bytes);
  void settlePending(unsigned context, Address address, bool store);
  void reportPending();
  void checkLoad(Word &word, std::uint32_t me, Address address, unsigned bytes);
  void checkStore(Word &word, std::uint32_t me, Address address, unsigned bytes,
                  bool isEdge);
  void forgetStacks();

  void report(Check check, Address pc, Address address, unsigned bytes,
              bool store, const Finding::Place *other = nullptr,
              const std::string &context = {});
  void reportRace(std::uint32_t me, std::uint32_t other, Address otherAt,
                  Address address, unsigned bytes, bool store);
  Finding::Place placeOf(std::uint32_t vertex, Address pc) const;
  std::string describe(Address address) const;

  const CheckOptions &options;
  const Executable &executable;
  const TileSetup &setup;
  const CodeImage &image;
  const ImageFacts &facts;
  /// Without regions nothing is known to be the vertex's.
  const bool hasRegions;
  const bool followsPointers;
  const TileStacks stacks;
  const bool looksForRaces;
  const bool looksAtUses; // for races and dead stores
  Address lo;             // of the tile's memory
  Address hi;
  const Code *code = nullptr;
  const Slot *firstSlot = nullptr;
  const std::size_t numSlots;
  const std::uint8_t *const special; // of facts
  KnownBytes known;
  std::unique_ptr<Word[], void (*)(void *)> words;
  Agents agents;

  std::uint32_t vertex = 0;
  VertexRegions regions;
  const AllowedRegion *region =
      nullptr; // of the last access to what is the vertex's
  Provenance provenance;
  /// The region that the pointer of the last access came from, if it is known.
  const AllowedRegion *meant = nullptr;
  std::uint64_t strayAccesses = 0;
  /// The regions of the last load and the last store of each context.
  std::array<std::array<const AllowedRegion *, 2>, NumContexts> lastRegions =
      {};
  AlignmentTests alignment;
  // The current slot.
  const Slot *slot = nullptr;
  unsigned numLoads = 0;
  std::array<UnsetRegisters, NumContexts> unset;
  std::vector<Pending> pending;

  std::vector<Finding> findings; // since the last call of take()
  std::unordered_map<std::string, std::size_t> indices; // of them, by key
};

} // namespace populus::runtime::emulator

#endif
