// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records the accesses of contexts that run at the same time but are executed
// one after the other (Window.h). The result is that of interleaved execution
// if no context has touched memory that another one has written; else
// everything is undone. For example, worker 0 may store to bytes 0 to 7 while
// worker 1 loads bytes 8 to 15, but worker 1 must not load byte 4. Every access
// adds a span of bytes to a list, and so does a whole hardware loop. The old
// contents of memory are kept. In the end the few spans of writes are compared
// with all others. Marks at each word (AccessMarks.h) decide if spans overlap,
// because two contexts wrote the same bytes or one wrote into the gaps of
// another one's loop, or if the lists become too long. Translated code and the
// interpreter (as a Watcher) note accesses.

#ifndef POPULUS_RUNTIME_EMULATOR_TILE_ACCESSRECORD_H
#define POPULUS_RUNTIME_EMULATOR_TILE_ACCESSRECORD_H

#include "runtime/Emulator/Machine/Context.h"
#include "runtime/Emulator/Tile/AccessMarks.h"
#include "runtime/Emulator/Tile/UndoLog.h"

#include <algorithm>
#include <array>

namespace populus::runtime::emulator {

/// Spans of bytes, by offset in memory, in the order in which they were
/// accessed.
struct SpanList {
  static constexpr std::size_t Most = 1024;
  /// Room behind the last span, for code that reads several at once.
  static constexpr std::size_t Spare = 8;

  // Its type differs from the lists' elements, so that compilers see that
  // adding to the lists does not change it.
  std::size_t number = 0;
  alignas(32) std::array<std::int32_t, Most + Spare> begin;
  alignas(32) std::array<std::int32_t, Most + Spare> end;

  void add(std::uint32_t offset, std::uint32_t bytes) {
    begin[number] = static_cast<std::int32_t>(offset);
    end[number] = static_cast<std::int32_t>(offset + bytes);
    ++number;
  }
};

/// Receives every access before it is made, in the order of the context
/// (QuickCheck.h). A hardware loop is reported at once: each access of its body
/// for all rounds, and then the end of the rounds.
class AccessListener {
public:
  virtual ~AccessListener() = default;
  /// Reports `bytes` bytes at `offset`, and in each later round `stride` bytes
  /// further on.
  virtual void accessed(unsigned context, std::uint32_t offset,
                        std::int64_t stride, std::uint32_t bytes,
                        std::uint32_t rounds, bool store) = 0;
  virtual void endRounds() = 0;
  /// The context takes the lowest bits of a value.
  virtual void takesLowest(unsigned context, std::uint32_t value) = 0;
  /// The context joins these values to one; translated code does not report
  /// sums.
  virtual void joins(unsigned context, std::uint32_t a, std::uint32_t b) = 0;
  /// The context is about to be interpreted at a slot, which may join or take
  /// bits.
  virtual void interprets(const Context &c, const Slot *slot) = 0;
  /// Begins or ends a sequence that is reported before it is made, except for
  /// some accesses that are reported when they are made.
  virtual void disorder(bool begins) = 0;
  /// Returns false if nothing more should be done.
  virtual bool goesOn() const = 0;
};

class AccessRecord : public Watcher {
public:
  /// The most accesses that may be noted before settle() is called.
  static constexpr std::size_t MostUnsettled = 32;

  AccessRecord();

  /// Sets the listener; null: none. Call it while nothing is recorded.
  void setListener(AccessListener *next) {
    listener = next;
    // Each access is settled at once.
    fullFrom = next ? 1 : FullFrom;
  }
  AccessListener *currentListener() const { return listener; }

  /// Sets the memory of the following accesses. Nothing is recorded yet.
  void begin(std::uint8_t *memory) { overwritten.begin(memory); }
  /// Attributes the following accesses to this context.
  void enter(unsigned context) {
    if (numSections == 0 || sections[numSections - 1].context != context)
      beginSection(context);
  }
  /// Returns whether a context has touched what another one has written.
  bool conflict();
  /// Puts back what was overwritten.
  void undo() const { overwritten.undo(); }
  /// Forgets everything.
  void clear();

  /// Notes an access that is good, `offset` bytes behind the beginning of the
  /// memory, before it is made.
  [[gnu::always_inline]] void noteUnsettled(std::uint32_t offset,
                                            std::uint32_t bytes, bool store) {
    if (store)
      overwritten.keep(offset, bytes);
    (store ? writes : reads).add(offset, bytes);
  }
  /// Makes room in the lists. Members that are large are called by pointers, so
  /// that translated code finds them.
  [[gnu::always_inline]] void settle() {
    if (std::max(reads.number, writes.number) >= fullFrom) [[unlikely]]
      makeRoom(this);
  }
  [[gnu::always_inline]] void note(std::uint32_t offset, std::uint32_t bytes,
                                   bool store) {
    noteUnsettled(offset, bytes, store);
    settle();
  }
  /// Notes that the context's control flow depends on its next read.
  [[gnu::always_inline]] void noteControl() {
    if (numControlReads == MostControlReads) [[unlikely]]
      uncertain = true;
    else
      controlReads[numControlReads++] =
          static_cast<std::uint32_t>(reads.number);
  }
  /// Notes that it depends on something else.
  [[gnu::always_inline]] void noteUncertain() { uncertain = true; }
  /// Notes a hardware loop's accesses in `rounds` rounds, the first one at
  /// `offset`, and each other one `stride` bytes behind the one before.
  [[gnu::always_inline]] void noteRounds(std::uint32_t offset,
                                         std::int64_t stride,
                                         std::uint32_t bytes,
                                         std::uint32_t rounds, bool store) {
    const std::int64_t distance = stride * (std::int64_t(rounds) - 1);
    const auto first = static_cast<std::uint32_t>(
        offset + std::min<std::int64_t>(distance, 0));
    const std::uint32_t span = magnitude(distance) + bytes;
    const std::uint32_t step = magnitude(stride);
    if (store)
      noteStores(this, first, span, step, bytes);
    else if (step <= bytes)
      reads.add(first, span);
    else
      noteGaps(first, span, step, bytes);
  }

  /// Does the work of noteRounds() and settle() for a record with a listener.
  void noteEach(std::uint32_t offset, std::int64_t stride, std::uint32_t bytes,
                std::uint32_t rounds, bool store) {
    noteHeard(this, offset, stride, bytes, rounds, store);
  }

  // Code that finds out only afterwards that it has done something wrong uses
  // what is kept here, too.

  /// Returns a mark in front of the stores that follow.
  std::size_t markOverwritten() const { return overwritten.numPieces(); }
  /// Returns whether the stores since a mark can be put back on their own.
  bool keepsAllSinceMark() const { return overwritten.hasOnlyPieces(); }
  /// Puts that back; it may be overwritten again.
  void putBackSince(std::size_t mark) { putBack(this, mark); }

  // Questions of the learner (Remembered.h).

  /// Returns whether the lists contain all accesses, and contexts depend only
  /// on the values that they have read.
  bool isCertain() const { return !uncertain && marks.empty(); }
  /// Calls `visit(context, offset, bytes)`; gaps of loops are included.
  template <typename Visit> void forEachWrite(Visit visit) const {
    for (std::size_t i = 0; i != numSections; ++i)
      for (std::size_t w = sections[i].write; w != endOf(i).write; ++w)
        visit(sections[i].context, static_cast<std::uint32_t>(writes.begin[w]),
              static_cast<std::uint32_t>(writes.end[w] - writes.begin[w]));
  }
  /// Calls `visit(offset, bytes)`, of reads that contexts depend on.
  template <typename Visit> void forEachControlRead(Visit visit) const {
    for (std::size_t i = 0; i != numControlReads; ++i) {
      const std::uint32_t r = controlReads[i];
      visit(static_cast<std::uint32_t>(reads.begin[r]),
            static_cast<std::uint32_t>(reads.end[r] - reads.begin[r]));
    }
  }

  bool before(Context &c, const Slot *slot) override {
    if (listener)
      listener->interprets(c, slot);
    return true;
  }
  bool access(Context &c, Address address, unsigned bytes, bool store) override;

private:
  /// Notes that pieces of so many bytes are stored to, `step` apart; `span` is
  /// from the first byte of the first one to the last byte of the last one.
  using PiecesNoter = void (*)(AccessRecord *record, std::uint32_t first,
                               std::uint32_t span, std::uint32_t step,
                               std::uint32_t bytes);
  /// Pieces of which the list has the span, at an index.
  struct Gaps {
    std::size_t index;
    std::uint32_t step, bytes;
  };
  struct GapList {
    static constexpr std::size_t Most = 256;
    std::size_t number = 0;
    std::array<Gaps, Most + 1> gaps; // and what ends them
  };
  /// The context of the spans from these indices on.
  struct Section {
    unsigned context;
    std::size_t read, write;
  };
  static constexpr std::size_t MostSections = 64;
  static constexpr std::size_t MostControlReads = SpanList::Most;
  static constexpr std::size_t FullFrom = SpanList::Most - MostUnsettled + 1;
  class Writes;

  static std::uint32_t magnitude(std::int64_t distance) {
    return static_cast<std::uint32_t>(distance < 0 ? -distance : distance);
  }
  static void spansMarker(AccessRecord *record);
  static void roomMaker(AccessRecord *record);
  static void heardNoter(AccessRecord *record, std::uint32_t offset,
                         std::int64_t stride, std::uint32_t bytes,
                         std::uint32_t rounds, bool store);
  bool isFull() const {
    return std::max(reads.number, writes.number) >= FullFrom;
  }
  void tellOfLast();
  static void backPutter(AccessRecord *record, std::size_t mark);
  static void storesNoter(AccessRecord *record, std::uint32_t first,
                          std::uint32_t span, std::uint32_t step,
                          std::uint32_t bytes);
  [[gnu::always_inline]] void addGaps(GapList &list, const SpanList &spans,
                                      std::uint32_t step, std::uint32_t bytes) {
    if (list.number == GapList::Most) [[unlikely]]
      markAll(this);
    list.gaps[list.number++] = {spans.number, step, bytes};
  }
  /// Notes reads as noteStores notes stores.
  [[gnu::always_inline]] void noteGaps(std::uint32_t first, std::uint32_t span,
                                       std::uint32_t step,
                                       std::uint32_t bytes) {
    addGaps(readGaps, reads, step, bytes);
    reads.add(first, span);
  }
  void mark(unsigned context, const SpanList &spans, std::size_t first,
            std::size_t last, const Gaps *&gaps, bool store);
  void beginSection(unsigned context);
  Section endOf(std::size_t section) const {
    return section + 1 != numSections ? sections[section + 1]
                                      : Section{0, reads.number, writes.number};
  }
  bool areApart() const;
  bool mayConflict();
  void forgetSpans();

  SpanList reads, writes;
  bool uncertain = false;
  std::size_t numControlReads = 0;
  std::array<std::uint32_t, MostControlReads> controlReads; // indices of reads
  UndoLog overwritten;
  std::size_t fullFrom = FullFrom;
  AccessListener *listener = nullptr;
  std::size_t numWritesTold = 0; // of those in the list
  void (*const makeRoom)(AccessRecord *record);
  void (*const markAll)(AccessRecord *record);
  void (*const noteHeard)(AccessRecord *record, std::uint32_t offset,
                          std::int64_t stride, std::uint32_t bytes,
                          std::uint32_t rounds, bool store);
  const PiecesNoter noteStores;
  void (*const putBack)(AccessRecord *record, std::size_t mark);
  GapList readGaps, writeGaps;
  std::size_t numSections = 0;
  std::array<Section, MostSections> sections;
  AccessMarks marks;
};

/// Returns the record for all tiles that a thread of the host runs.
AccessRecord &recordOfThread();

} // namespace populus::runtime::emulator

#endif
