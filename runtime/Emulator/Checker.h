// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The checker of codelets, for one tile: compares every access of a vertex with
// what the graph compiler gave it, and keeps a shadow of the tile's memory that
// knows which bytes have been written and which vertex touched a word last.
//
// A word of memory is the unit of races and dead stores, because tiles store
// whole words, and the graph compiler keeps what is written in words of its
// own. A codelet that stores a part of a word loads the word first; a load that
// such a store follows is no use of what it finds there.

#ifndef POPULUS_RUNTIME_EMULATOR_CHECKER_H
#define POPULUS_RUNTIME_EMULATOR_CHECKER_H

#include "runtime/Emulator/Tile.h"
#include "runtime/Format/Regions.h"
#include "runtime/Session/Findings.h"

#include <memory>
#include <set>
#include <string>
#include <vector>

namespace populus::runtime::emulator {

class Checker {
public:
  Checker(const CheckOptions &options, const Executable &executable,
          std::uint32_t tile);
  /// To be called before the first vertex.
  void attach(const Tile &tile) { code = tile.code; }

  /// Bytes that the host or an exchange has written.
  void written(Address address, std::uint32_t bytes);
  /// What an exchange copies from another tile is as good as it was there.
  void copied(const Checker *source, Address from, Address to,
              std::uint32_t bytes);

  void beginComputeSet() { firstRun = run + 1; }
  void beginVertex(std::uint32_t vertex);
  /// The bundle that is executed next.
  void before(const Context &c, const Slot &slot);
  /// An access that does not fault.
  void access(const Context &c, const Slot *slot, Address address,
              unsigned bytes, bool store);

  /// Findings since the last call, with all but tile and compute set.
  std::vector<Finding> take();

private:
  struct Word {
    std::uint32_t writer = 0; // run of a vertex
    std::uint32_t reader = 0; // the first one of a compute set
    Address storedAt = 0;     // by the writer
    Address loadedAt = 0;     // by the reader
    std::uint8_t known = 0;   // a bit for each byte that has been written
    bool unread = false;      // since the last store
  };
  /// What the vertex may touch, by address.
  struct Allowed {
    Address begin = 0;
    Address end = 0;
    /// The farthest end of this and all before it.
    Address reach = 0;
    const FieldInfo *field = nullptr; // null: the vertex state, or pointers
  };
  /// A load of a word that is not known, which a store may explain.
  struct Pending {
    unsigned context;
    unsigned age; // in accesses of the context
    Address word;
    Address pc;
  };
  enum class Owner { Nobody, Vertex, Stack, Image };

  Word *wordAt(Address address) { return &words[(address - lo) / 4]; }
  Address stackBegin(unsigned context) const;
  Address stackEnd(unsigned context) const;
  Owner ownerOf(const Context &c, Address address, unsigned bytes, bool store);
  const Allowed *findAllowed(Address address, unsigned bytes, bool store);
  bool belongs(const Allowed &region, Address address, unsigned bytes,
               bool store) const;

  void noteTest(Address address);
  bool isTested(const FieldInfo *field) const;
  void checkAlignment(Address address, unsigned bytes, bool store);
  void checkKnown(unsigned context, Address address, unsigned bytes,
                  bool isStack);
  void settlePending(unsigned context, Address address, bool store);
  void reportPending();
  void checkUse(Word &word, Address address, unsigned bytes, bool store,
                bool isEdge);
  void forgetStacks();

  void report(Check check, Address pc, Address address, unsigned bytes,
              bool store, const Finding::Place *other = nullptr);
  Finding::Place placeOf(std::uint32_t vertex, Address pc) const;
  Address pc() const; // of the slot in work
  std::string describe(Address address) const;

  const CheckOptions &options;
  const Executable &executable;
  const TileSetup &setup;
  const CodeImage &image;
  Address lo; // of the tile's memory
  Address hi;
  const Code *code = nullptr;
  std::unique_ptr<Word[], void (*)(void *)> words;

  // Vertices are numbered as they run on the tile.
  std::uint32_t run = 0;
  std::uint32_t firstRun = 1;             // of the compute set
  std::vector<std::uint32_t> vertexOfRun; // since firstRun

  std::uint32_t vertex = 0;
  std::vector<Allowed> allowed;
  const Allowed *last = nullptr; // the region of the last access
  // What the vertex has tested for being aligned.
  bool testsAll = false;
  bool joinsAddresses = false; // to test several at once
  std::vector<const FieldInfo *> testedFields;
  const Slot *slot = nullptr;
  std::vector<Pending> pending;

  std::vector<Finding> findings;
  std::set<std::string> seen;
};

} // namespace populus::runtime::emulator

#endif
