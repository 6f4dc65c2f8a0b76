// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Learning finds the key of a memoised vertex: the words of memory that its
// control flow and addresses depend on. For example, a vertex that adds two
// arrays:
//
//     state    p, n       loaded into $m        Loaded: part of the key
//     scratch  n / 6      stored by the         Derived, and LoadedDerived when
//                         supervisor, loaded    loaded: follows from the key
//     *p       floats     loaded into $a        no mark: only data
//     result   floats     stored by workers     kept as spans
//
// The learner marks each word of the tile's memory that was loaded into $m or
// that the supervisor stored to. A word that was loaded first must not be
// stored to afterwards, because its first value is taken from memory in the
// end. The supervisor can store only values of $m, so a word that it has stored
// has the same value whenever all words of the key have. A word that workers
// have stored may be a result, so no loaded word may be among these. The stores
// of workers are many, and most are repeated: they are kept as spans.

#include "runtime/Emulator/Windows/Remembered.h"

#include "runtime/Emulator/Semantics/ControlRegisters.h"
#include "runtime/Emulator/Semantics/FloatEnvironment.h"
#include "runtime/Emulator/Tile/Watch.h"
#include "runtime/Support/Prefetch.h"

#include <algorithm>
#include <span>
#include <string_view>

namespace populus::runtime::emulator {

namespace {

/// Marks for all words of a tile.
class WordMarks {
public:
  static constexpr unsigned WordShift = 2;

  /// Returns the marks of some bytes of the memory.
  std::span<std::uint8_t> of(std::uint32_t offset, std::uint32_t bytes) {
    const std::uint32_t first = offset >> WordShift;
    const std::uint32_t last = (offset + bytes - 1) >> WordShift;
    for (std::uint32_t line = first / LineWords; line <= last / LineWords;
         ++line)
      if (!isTouched[line]) {
        isTouched[line] = true;
        touched.push_back(line);
      }
    return {&words[first], last - first + 1};
  }
  void clear() {
    for (std::uint32_t line : touched) {
      std::memset(&words[line * LineWords], 0, LineWords);
      isTouched[line] = false;
    }
    touched.clear();
  }
  /// Calls `visit` with each range of words that have one of some marks, in
  /// order.
  template <typename Visit> void forEach(unsigned marks, Visit visit) {
    std::sort(touched.begin(), touched.end());
    std::uint32_t begin = 0, end = 0;
    for (std::uint32_t line : touched)
      for (std::uint32_t i = line * LineWords; i != (line + 1) * LineWords;
           ++i) {
        if (!(words[i] & marks))
          continue;
        if (i != end) {
          if (begin != end)
            visit(begin, end);
          begin = i;
        }
        end = i + 1;
      }
    if (begin != end)
      visit(begin, end);
  }

private:
  static constexpr std::size_t LineWords = 64;
  static constexpr std::size_t Words = AccessMarks::MostBytes >> WordShift;

  std::array<std::uint8_t, Words> words = {};
  std::array<bool, Words / LineWords> isTouched = {};
  std::vector<std::uint32_t> touched;
};

WordMarks &marksOfThread() {
  thread_local const auto marks = std::make_unique<WordMarks>();
  return *marks;
}

/// The stores of workers, by offset in memory.
class StoredSpans {
public:
  struct Span {
    std::uint32_t begin, end;
  };

  void add(std::uint32_t begin, std::uint32_t end) {
    Span &known = latest[(begin / 8 + end / 64) % latest.size()];
    if (known.begin == begin && known.end == end)
      return;
    known = {begin, end};
    spans.push_back(known);
  }
  void clear() {
    spans.clear();
    latest.fill({0, 0});
  }
  const std::vector<Span> &all() const { return spans; }

private:
  std::vector<Span> spans;
  std::array<Span, 64> latest = {}; // which need not be added again
};

StoredSpans &storedOfThread() {
  thread_local StoredSpans spans;
  return spans;
}

/// Returns the handler of the only row that satisfies a predicate.
template <typename Predicate> StepHandler stepOf(Predicate isSuch) {
  const auto at = std::find_if(rows().begin(), rows().end(), isSuch);
  return handlersOf(static_cast<std::size_t>(at - rows().begin())).stepLone;
}

/// Returns whether a supervisor's slot leaves in $m only values that depend on
/// $m, workers depend on no more, and the slot changes nothing that a script
/// leaves out.
bool isPredictable(const Slot *slot) {
  static const StepHandler put = stepOf(
      [](const RowInfo &row) { return row.facts.csr == Csr::WritesLower; });
  static const StepHandler atom = stepOf([](const RowInfo &row) {
    return row.facts.bitMoves == BitMoves::Copies;
  });
  if (slot->step == put)
    return slot->mainOperands.imm == csr::WeightLoad;
  return slot->others() != Others::MayMatter && slot->step != atom &&
         !slot->aux;
}

constexpr std::uint32_t MayFault = FpInvalid | FpDivideByZero | FpOverflow;

} // namespace

// ---- What is remembered -----------------------------------------------------

bool Remembered::isSame(const Tile &tile, std::uint64_t cycleLimit) const {
  if (tile.weightLoad != weightLoad ||
      tile.fpInitialControl != fpInitialControl ||
      whatItDoes.numCycles() > cycleLimit)
    return false;
  for (std::size_t i = 0; i != registers.size(); ++i)
    if (std::memcmp(registers[i].data(), tile.contexts[i].m,
                    sizeof(Registers)) != 0)
      return false;
  const std::uint8_t *memory = tile.contexts[Supervisor].memory;
  const std::uint8_t *value = values.data();
  for (const Range &range : ranges) {
    if (std::memcmp(value, memory + range.offset, range.bytes) != 0)
      return false;
    value += range.bytes;
  }
  return true;
}

void Remembered::fetch() const {
  const auto *begin = reinterpret_cast<const char *>(this);
  for (std::size_t at = 0; at < sizeof(*this); at += HostLine)
    prefetch<Access::Read>(begin + at);
}

void Remembered::fetchDetails() const {
  prefetch<Access::Read>(ranges.data());
  constexpr std::size_t MostLines = 4;
  for (std::size_t i = 0; i != MostLines; ++i)
    prefetch<Access::Read>(values.data() + i * HostLine);
  whatItDoes.fetch();
}

std::size_t Remembered::bytes() const {
  return sizeof(*this) + ranges.capacity() * sizeof(Range) + values.capacity() +
         whatItDoes.bytes();
}

// ---- Learning ---------------------------------------------------------------

Learner::Learner(Tile &tile) : tile(tile), writer(tile) {
  marksOfThread().clear();
  storedOfThread().clear();
  for (std::size_t i = 0; i != tile.contexts.size(); ++i)
    std::copy_n(tile.contexts[i].m, Remembered::NumRegisters,
                result.registers[i].begin());
  result.weightLoad = tile.weightLoad;
  result.fpInitialControl = tile.fpInitialControl;
  Context &supervisor = tile.contexts[Supervisor];
  supervisor.watcher = this;
  supervisor.size = 0;
  supervisor.storeSize = 0;
}

Learner::~Learner() {
  Context &supervisor = tile.contexts[Supervisor];
  supervisor.watcher = nullptr;
  supervisor.size = tile.loadBytes;
  supervisor.storeSize = tile.storeBytes;
}

bool Learner::before(Context &, const Slot *slot) {
  // Loads of weights that come one by one may be a part of a run only.
  if (slot->others() == Others::LoadsWeights || !isPredictable(slot))
    giveUp();
  return true;
}

void Learner::beforeLine(const Slot *slot, unsigned number) {
  if (!std::all_of(slot, slot + number,
                   [](const Slot &each) { return isPredictable(&each); }))
    giveUp();
}

bool Learner::access(Context &c, Address address, unsigned bytes, bool store) {
  if (!(window ? window->access(c, address, bytes, store)
               : checkBounds(c, address, bytes, store)))
    return false;
  const std::uint32_t offset = address - c.lo;
  if (store)
    noteStored(offset, bytes);
  else
    noteRead(offset, bytes);
  return true;
}

void Learner::take(const AccessRecord &record) {
  if (!record.isCertain())
    return giveUp();
  record.forEachWrite(
      [&](unsigned context, std::uint32_t offset, std::uint32_t bytes) {
        if (context != Supervisor)
          storedOfThread().add(offset, offset + bytes);
      });
  record.forEachControlRead([&](std::uint32_t offset, std::uint32_t bytes) {
    noteRead(offset, bytes);
  });
}

void Learner::noteRead(std::uint32_t offset, std::uint32_t bytes) {
  for (std::uint8_t &mark : marksOfThread().of(offset, bytes))
    mark |= mark & Derived ? LoadedDerived : Loaded;
}

/// Notes a store of the supervisor.
void Learner::noteStored(std::uint32_t offset, std::uint32_t bytes) {
  constexpr unsigned WordBytes = 1u << WordMarks::WordShift;
  if (bytes != WordBytes)
    return giveUp();
  std::uint8_t &mark = marksOfThread().of(offset, bytes).front();
  if (mark & Loaded)
    giveUp();
  mark |= Derived;
  writer.stores(offset);
}

/// Returns whether workers have stored to a word that was loaded.
bool Learner::dependsOnResults() const {
  std::vector<StoredSpans::Span> loaded; // in order
  marksOfThread().forEach(Loaded | LoadedDerived,
                          [&](std::uint32_t begin, std::uint32_t end) {
                            loaded.push_back({begin << WordMarks::WordShift,
                                              end << WordMarks::WordShift});
                          });
  const std::vector<StoredSpans::Span> &stored = storedOfThread().all();
  return std::any_of(
      stored.begin(), stored.end(), [&](const StoredSpans::Span &span) {
        const auto at = std::partition_point(
            loaded.begin(), loaded.end(),
            [&](const StoredSpans::Span &l) { return l.end <= span.begin; });
        return at != loaded.end() && at->begin < span.end;
      });
}

std::unique_ptr<Remembered> Learner::finish() {
  if (!isKnown || dependsOnResults() || !writer.finish(tile, result.whatItDoes))
    return nullptr;
  const std::uint8_t *memory = tile.contexts[Supervisor].memory;
  marksOfThread().forEach(Loaded, [&](std::uint32_t begin, std::uint32_t end) {
    const std::uint32_t offset = begin << WordMarks::WordShift;
    const std::uint32_t bytes = (end - begin) << WordMarks::WordShift;
    result.ranges.push_back({offset, bytes});
    result.values.insert(result.values.end(), memory + offset,
                         memory + offset + bytes);
  });
  result.ranges.shrink_to_fit();
  result.values.shrink_to_fit();
  return std::make_unique<Remembered>(std::move(result));
}

// ---- All vertices -----------------------------------------------------------

Context *VertexMemory::run(Tile &tile, std::size_t vertex,
                           std::uint64_t cycleLimit) {
  if (!tile.translations || tile.hostCalls || tile.contexts[Supervisor].watcher)
    return runInterleaved(tile, cycleLimit);
  Entry &entry = entries[vertex];
  if (entry.isShared)
    return runInterleaved(tile, cycleLimit);
  if (recall(tile, entry, cycleLimit))
    return nullptr;
  if (entry.remembered) {
    if (entry.remembered->isSame(tile, cycleLimit)) // without code for it yet
      return runInterleaved(tile, cycleLimit);
    bytes -= entry.remembered->bytes();
    entry.remembered = nullptr;
    entry.learnLater();
  }
  if (entry.runsBefore == 0 && mayLearn(tile))
    return learn(tile, entry, cycleLimit);
  entry.runsBefore -= entry.runsBefore != 0;
  return runInterleaved(tile, cycleLimit);
}

bool VertexMemory::recall(Tile &tile, Entry &entry, std::uint64_t cycleLimit) {
  if (!entry.remembered || !entry.remembered->isSame(tile, cycleLimit))
    return false;
  const Script &script = entry.remembered->script();
  if (!script.isPossible(tile))
    return false;
  constexpr std::uint32_t Many = 16;
  if (++entry.recalls % Many == 0)
    entry.tries = 0;
  script.run(tile);
  return true;
}

bool VertexMemory::wantsRun(const Tile &tile, std::size_t vertex) {
  Entry &entry = entries[vertex];
  if (entry.isShared)
    return false;
  if (entry.remembered || (entry.runsBefore == 0 && mayLearn(tile)))
    return true;
  entry.runsBefore -= entry.runsBefore != 0;
  return false;
}

bool VertexMemory::mayLearn(const Tile &tile) const {
  return bytes < MostBytes && (tile.fpInitialControl & MayFault) == 0;
}

Context *VertexMemory::learn(Tile &tile, Entry &entry,
                             std::uint64_t cycleLimit) {
  Learner learner(tile);
  Context *faulted = runInterleaved(tile, cycleLimit, &learner);
  entry.remembered = faulted ? nullptr : learner.finish();
  if (entry.remembered)
    bytes += entry.remembered->bytes();
  else
    entry.learnLater();
  return faulted;
}

} // namespace populus::runtime::emulator
