// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks a vertex while recording code runs it (AccessRecord.h), whole hardware
// loops at once. The only answer is whether all is certainly good: no access
// outside of the vertex's memory, none that is aligned by chance, no load of
// unknown bytes, no store in vain. If there is any doubt, the vertices of the
// tile are run again, slot by slot, and Checker finds the error. Epochs
// (Window.h) detect races of contexts. Races of vertices are impossible if
// their writes are apart (areApart()).

#ifndef POPULUS_RUNTIME_EMULATOR_CHECKS_QUICKCHECK_H
#define POPULUS_RUNTIME_EMULATOR_CHECKS_QUICKCHECK_H

#include "runtime/Emulator/Checks/AlignmentTests.h"
#include "runtime/Emulator/Checks/KnownBytes.h"
#include "runtime/Emulator/Checks/ProvenAccesses.h"
#include "runtime/Emulator/Checks/VertexRegions.h"
#include "runtime/Emulator/Code/SlotFacts.h"
#include "runtime/Emulator/Tile/AccessRecord.h"
#include "runtime/Session/Findings.h"

#include <array>
#include <optional>
#include <vector>

namespace populus::runtime::emulator {

class QuickCheck final : public AccessListener {
public:
  /// The parts that do not change while the check is in use.
  struct Subject {
    const CheckOptions &options;
    const Executable &executable;
    const TileSetup &setup;
    const ImageFacts &facts;
    KnownBytes &known;
    Address lo, hi; // of the tile's memory
  };

  /// Begins the check of a tile's vertices. There is no doubt yet.
  void begin(const Subject &next);
  void beginVertex(std::uint32_t vertex);
  void end();
  /// Returns the signatures of the vertices since begin().
  std::vector<std::uint64_t> signatures() const;

  void accessed(unsigned context, std::uint32_t offset, std::int64_t stride,
                std::uint32_t bytes, std::uint32_t rounds, bool store) override;
  void endRounds() override;
  void takesLowest(unsigned context, std::uint32_t value) override;
  void joins(unsigned context, std::uint32_t a, std::uint32_t b) override;
  void interprets(const Context &c, const Slot *slot) override;
  void disorder(bool begins) override;
  bool goesOn() const override { return isGood; }

private:
  /// The accesses of one instruction in all rounds of a loop.
  struct Walk {
    Walk(unsigned context, Address at, std::int64_t stride, std::uint32_t bytes,
         std::uint32_t rounds, bool store)
        : context(context), at(at), stride(stride), bytes(bytes),
          rounds(rounds), store(store) {
      const std::int64_t way = stride * (std::int64_t(rounds) - 1);
      begin = static_cast<Address>(at + std::min<std::int64_t>(way, 0));
      end = static_cast<Address>(at + std::max<std::int64_t>(way, 0)) + bytes;
    }

    unsigned context;
    Address at; // in the first round
    std::int64_t stride;
    std::uint32_t bytes;
    std::uint32_t rounds;
    bool store;
    Address begin, end; // of all rounds

    Address first() const { return begin; }
    Address last() const { return end; } // behind it
    std::uint32_t step() const {
      return static_cast<std::uint32_t>(stride < 0 ? -stride : stride);
    }
    bool hasGaps() const { return rounds > 1 && step() > bytes; }
    Walk round(std::uint32_t number) const {
      return {context, static_cast<Address>(at + stride * std::int64_t(number)),
              0,       bytes,
              1,       store};
    }
  };

  bool isInOrder(const Walk &walk) const;
  bool canBeTogether() const;
  static bool neverMeets(const Walk &a, const Walk &b);
  static bool isAhead(const Walk &read, const Walk &write);

  bool checkOne(unsigned context, Address at, std::uint32_t bytes, bool store);
  void check(const Walk &walk);
  void beginSignature(std::uint32_t vertex);
  void signPlace(unsigned context, const AllowedRegion &region, Address at,
                 std::uint32_t bytes, bool store);
  void sign(const Walk &walk, const AllowedRegion *region);
  bool isInStack(const Walk &walk) const;
  bool isInImage(const Walk &walk) const;
  bool checkRegion(const Walk &walk);
  static bool isPromised(const AllowedRegion &region, std::uint32_t promised,
                         std::uint32_t bytes);
  bool isAligned(const Walk &walk, const AllowedRegion &region) const;
  bool isAlignedInAll(const Walk &walk) const;
  void load(const Walk &walk, bool inRegion);
  bool isKnown(const Walk &walk) const;
  void store(const Walk &walk, bool inRegion);
  template <typename Do> static void forPieces(const Walk &walk, Do each);

  /// A range of the tile's words, by number.
  struct Words {
    std::size_t first, last;
  };
  Words wordsOf(Address first, Address last) const;
  void setUnread(const Words &words, std::uint8_t value);
  void markRead(Address first, Address last);
  bool wasRead(Address first, Address last) const;
  void markUnread(Address first, Address last);
  void forgetUnread();

  static constexpr unsigned WordBytes = 4;
  static constexpr std::size_t LineWords = 64;
  static constexpr unsigned NumContexts = 7;

  std::optional<Subject> subject;
  std::optional<TileStacks> stacks;
  bool isGood = true;
  bool hasVertex = false;
  AccessSignature signature; // of the vertex
  std::vector<std::uint64_t> earlierSignatures;
  bool looksAtUninit = false, looksAtDeadStores = false;
  VertexRegions regions;
  /// The regions of the last load and the last store of each context.
  std::array<std::array<const AllowedRegion *, 2>, NumContexts> lastRegions;
  /// The alignment tests of each context: the result of one worker's test may
  /// come too late for others.
  std::vector<AlignmentTests> alignment;
  std::vector<Walk> loop;
  /// The accesses that were reported before they are made, while others are
  /// reported when they are made.
  std::vector<Walk> early;
  bool isEarly = false; // what is told of
  /// For each word, 1 if it has been stored to and not been loaded since. Lines
  /// with such words are noted once.
  std::vector<std::uint8_t> unread;
  std::vector<std::uint8_t> isStored;
  std::vector<std::uint32_t> storedLines;
};

/// Returns whether no vertex of a compute set on a tile was given words that
/// another one writes.
bool areApart(const Executable &executable, Range vertices);

} // namespace populus::runtime::emulator

#endif
