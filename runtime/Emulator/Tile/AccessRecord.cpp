// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates the lists. Loops are compared by their begins and ends only, so a
// reported overlap may be wrong, but a missing one may not. After a reported
// overlap all of the lists is marked word by word.

#include "runtime/Emulator/Tile/AccessRecord.h"

#include "runtime/Emulator/Tile/HostVectors.h"
#include "runtime/Emulator/Tile/Watch.h"

#include <limits>
#include <memory>

namespace populus::runtime::emulator {

/// Spans that were written, those that follow each other as one; few.
class AccessRecord::Writes {
public:
  /// False: they are too many.
  [[gnu::always_inline]] inline bool add(unsigned by, std::int32_t first,
                                         std::int32_t last) {
    lowest = std::min(lowest, first);
    highest = std::max(highest, last);
    if (number != 0 && context[number - 1] == static_cast<std::int32_t>(by) &&
        first <= end[number - 1] && last >= begin[number - 1]) {
      begin[number - 1] = std::min(begin[number - 1], first);
      end[number - 1] = std::max(end[number - 1], last);
      return true;
    }
    if (number == Most)
      return false;
    begin[number] = first;
    end[number] = last;
    context[number++] = static_cast<std::int32_t>(by);
    return true;
  }
  /// No more will be added.
  void finish() {
    for (std::size_t i = number; i % Lanes != 0; ++i) {
      begin[i] = std::numeric_limits<std::int32_t>::max();
      end[i] = 0;
      context[i] = 0;
    }
  }

  /// Returns whether a span may overlap one of the written spans.
  bool isNear(std::int32_t first, std::int32_t last) const {
    return first < highest && last > lowest;
  }
  /// Returns whether one of eight spans may overlap a written span.
  [[gnu::always_inline]] HOST_VECTORS inline bool
  isNear(const std::int32_t *first, const std::int32_t *last) const {
    Int8 firsts, lasts;
    std::memcpy(&firsts, first, sizeof(firsts));
    std::memcpy(&lasts, last, sizeof(lasts));
    return isAny((Vector32)((firsts < highest) & (lasts > lowest)));
  }
  /// Returns whether a context that accesses a span touches another one's
  /// writes.
  [[gnu::always_inline]] HOST_VECTORS inline bool
  touched(unsigned by, std::int32_t first, std::int32_t last) const {
    Int8 found = {};
    for (std::size_t i = 0; i < number; i += Lanes) {
      Int8 begins, ends, contexts;
      std::memcpy(&begins, &begin[i], sizeof(begins));
      std::memcpy(&ends, &end[i], sizeof(ends));
      std::memcpy(&contexts, &context[i], sizeof(contexts));
      found |= (begins < last) & (ends > first) &
               (contexts != static_cast<std::int32_t>(by));
    }
    return isAny((Vector32)found);
  }
  /// Returns whether two contexts wrote the same bytes.
  [[gnu::always_inline]] HOST_VECTORS inline bool overlap() const {
    for (std::size_t i = 0; i != number; ++i)
      if (touched(static_cast<unsigned>(context[i]), begin[i], end[i]))
        return true;
    return false;
  }

  static constexpr std::size_t Lanes = 8;

private:
  static constexpr std::size_t Most = 64;

  std::size_t number = 0;
  std::int32_t lowest = std::numeric_limits<std::int32_t>::max();
  std::int32_t highest = 0;
  alignas(32) std::array<std::int32_t, Most> begin;
  alignas(32) std::array<std::int32_t, Most> end;
  alignas(32) std::array<std::int32_t, Most> context;
};

AccessRecord::AccessRecord()
    : makeRoom(roomMaker), markAll(spansMarker), noteHeard(heardNoter),
      noteStores(storesNoter), putBack(backPutter) {}

AccessRecord &recordOfThread() {
  thread_local const auto record = std::make_unique<AccessRecord>();
  return *record;
}

void AccessRecord::beginSection(unsigned context) {
  if (numSections == MostSections)
    spansMarker(this);
  sections[numSections++] = {context, reads.number, writes.number};
}

bool AccessRecord::access(Context &c, Address address, unsigned bytes,
                          bool store) {
  if (!checkBounds(c, address, bytes, store))
    return false;
  enter(c.number);
  note(address - c.lo, bytes, store);
  return !listener || listener->goesOn() || c.fault(FaultKind::Breakpoint);
}

// ---- Listeners --------------------------------------------------------------

void AccessRecord::roomMaker(AccessRecord *record) {
  if (record->listener)
    record->tellOfLast();
  if (record->isFull())
    spansMarker(record);
}

void AccessRecord::tellOfLast() {
  const bool store = writes.number != numWritesTold;
  const SpanList &list = store ? writes : reads;
  const std::size_t last = list.number - 1;
  numWritesTold = writes.number;
  listener->accessed(
      sections[numSections - 1].context,
      static_cast<std::uint32_t>(list.begin[last]), 0,
      static_cast<std::uint32_t>(list.end[last] - list.begin[last]), 1, store);
}

void AccessRecord::heardNoter(AccessRecord *record, std::uint32_t offset,
                              std::int64_t stride, std::uint32_t bytes,
                              std::uint32_t rounds, bool store) {
  record->listener->accessed(record->sections[record->numSections - 1].context,
                             offset, stride, bytes, rounds, store);
  record->noteRounds(offset, stride, bytes, rounds, store);
  record->numWritesTold = record->writes.number;
  if (record->isFull())
    spansMarker(record);
}

void AccessRecord::backPutter(AccessRecord *record, std::size_t mark) {
  record->overwritten.undoFrom(mark);
}

// ---- Hardware loops ---------------------------------------------------------

void AccessRecord::storesNoter(AccessRecord *record, std::uint32_t first,
                               std::uint32_t span, std::uint32_t step,
                               std::uint32_t bytes) {
  UndoLog &overwritten = record->overwritten;
  constexpr std::uint32_t Near = 64;
  if (step <= bytes + Near)
    overwritten.keepMany(first, span);
  else
    for (std::uint32_t at = 0; at < span; at += step)
      overwritten.keep(first + at, bytes);
  if (step > bytes)
    record->addGaps(record->writeGaps, record->writes, step, bytes);
  record->writes.add(first, span);
}

// ---- Marks ------------------------------------------------------------------

void AccessRecord::mark(unsigned context, const SpanList &spans,
                        std::size_t first, std::size_t last, const Gaps *&gaps,
                        bool store) {
  for (std::size_t i = first; i != last; ++i) {
    const auto begin = static_cast<std::uint32_t>(spans.begin[i]);
    const auto end = static_cast<std::uint32_t>(spans.end[i]);
    if (gaps->index != i) {
      marks.mark(context, begin, end - begin, store);
      continue;
    }
    for (std::uint32_t at = begin; at < end; at += gaps->step)
      marks.mark(context, at, gaps->bytes, store);
    ++gaps;
  }
}

void AccessRecord::spansMarker(AccessRecord *record) {
  AccessRecord &r = *record;
  constexpr Gaps Last = {SpanList::Most, 0, 0}; // of no span
  r.readGaps.gaps[r.readGaps.number] = Last;
  r.writeGaps.gaps[r.writeGaps.number] = Last;
  const Gaps *readGaps = r.readGaps.gaps.data();
  const Gaps *writeGaps = r.writeGaps.gaps.data();
  for (std::size_t i = 0; i != r.numSections; ++i) {
    const Section &section = r.sections[i];
    const Section end = r.endOf(i);
    r.mark(section.context, r.reads, section.read, end.read, readGaps, false);
    r.mark(section.context, r.writes, section.write, end.write, writeGaps,
           true);
  }
  r.forgetSpans();
  if (r.numSections != 0)
    r.sections[0] = {r.sections[r.numSections - 1].context, 0, 0};
  r.numSections = std::min<std::size_t>(r.numSections, 1);
}

// ---- Conflicts --------------------------------------------------------------

/// Returns whether each context wrote in a range of its own, and no other one
/// accessed anything in it.
HOST_VECTORS bool AccessRecord::areApart() const {
  constexpr std::size_t Contexts = 8;
  alignas(32) std::array<std::int32_t, Contexts> begin, end;
  begin.fill(std::numeric_limits<std::int32_t>::max());
  end.fill(0);
  for (std::size_t i = 0; i != numSections; ++i)
    for (std::size_t w = sections[i].write, last = endOf(i).write; w != last;
         ++w) {
      const unsigned by = sections[i].context;
      begin[by] = std::min(begin[by], writes.begin[w]);
      end[by] = std::max(end[by], writes.end[w]);
    }
  Int8 begins, ends, found = {};
  std::memcpy(&begins, begin.data(), sizeof(begins));
  std::memcpy(&ends, end.data(), sizeof(ends));
  constexpr Int8 Index = {0, 1, 2, 3, 4, 5, 6, 7};
  for (std::size_t by = 0; by != Contexts; ++by)
    found |= (begins < end[by]) & (ends > begin[by]) &
             (Index != static_cast<std::int32_t>(by));
  const std::int32_t lowest = *std::min_element(begin.begin(), begin.end());
  const std::int32_t highest = *std::max_element(end.begin(), end.end());
  for (std::size_t i = 0; i != numSections; ++i) {
    const std::int32_t ownBegin = begin[sections[i].context];
    const std::int32_t ownEnd = end[sections[i].context];
    auto left = static_cast<std::int32_t>(endOf(i).read - sections[i].read);
    for (std::size_t r = sections[i].read; left > 0;
         r += Contexts, left -= Contexts) {
      Int8 first, last;
      std::memcpy(&first, &reads.begin[r], sizeof(first));
      std::memcpy(&last, &reads.end[r], sizeof(last));
      found |= (first < highest) & (last > lowest) &
               ((first < ownBegin) | (last > ownEnd)) & (Index < left);
    }
  }
  return !isAny((Vector32)found);
}

/// Tests for a conflict more precisely.
HOST_VECTORS bool AccessRecord::mayConflict() {
  Writes all;
  for (std::size_t i = 0; i != numSections; ++i)
    for (std::size_t w = sections[i].write, end = endOf(i).write; w != end; ++w)
      if (!all.add(sections[i].context, writes.begin[w], writes.end[w]))
        return true;
  all.finish();
  if (all.overlap())
    return true;
  // The list is padded with up to eight spans that are never near.
  for (std::size_t i = reads.number; i % Writes::Lanes != 0; ++i) {
    reads.begin[i] = std::numeric_limits<std::int32_t>::max();
    reads.end[i] = 0;
  }
  std::size_t section = 0;
  for (std::size_t i = 0; i < reads.number; i += Writes::Lanes) {
    if (!all.isNear(&reads.begin[i], &reads.end[i]))
      continue;
    for (std::size_t r = i; r != i + Writes::Lanes; ++r) {
      if (!all.isNear(reads.begin[r], reads.end[r]))
        continue;
      while (endOf(section).read <= r)
        ++section;
      if (all.touched(sections[section].context, reads.begin[r], reads.end[r]))
        return true;
    }
  }
  return false;
}

bool AccessRecord::conflict() {
  if (marks.empty() && (writes.number == 0 || areApart() || !mayConflict()))
    return false;
  spansMarker(this);
  return marks.conflict();
}

void AccessRecord::forgetSpans() {
  numWritesTold = 0;
  reads.number = 0;
  writes.number = 0;
  readGaps.number = 0;
  writeGaps.number = 0;
}

void AccessRecord::clear() {
  forgetSpans();
  numSections = 0;
  overwritten.clear();
  marks.clear();
  numControlReads = 0;
  uncertain = false;
}

} // namespace populus::runtime::emulator
