// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Learning marks each word of the tile's memory that was loaded into $m or
// stored to. A word that was loaded first must not be stored to afterwards, for
// its first value is taken from memory in the end; one that the supervisor has
// stored before, which can do so only from $m, has the same value whenever all
// others have; and one that workers have stored may be a result.

#include "runtime/Emulator/Windows/Remembered.h"

#include "runtime/Emulator/Semantics/ControlRegisters.h"
#include "runtime/Emulator/Semantics/FloatEnvironment.h"
#include "runtime/Emulator/Watching/Watch.h"

#include <algorithm>
#include <span>
#include <string_view>

namespace populus::runtime::emulator {

namespace {

/// Of all words of a tile.
class WordMarks {
public:
  static constexpr unsigned WordShift = 2;

  /// Those of some bytes of the memory.
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
  /// Calls `visit` with each range of words that have been loaded, in order.
  template <typename Visit> void forEachLoaded(Visit visit) {
    std::sort(touched.begin(), touched.end());
    std::uint32_t begin = 0, end = 0;
    for (std::uint32_t line : touched)
      for (std::uint32_t i = line * LineWords; i != (line + 1) * LineWords;
           ++i) {
        if (!(words[i] & Learner::Loaded))
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

/// Of the one row that is such.
template <typename Predicate> StepHandler stepOf(Predicate isSuch) {
  const auto at = std::find_if(rows().begin(), rows().end(), isSuch);
  return handlersOf(static_cast<std::size_t>(at - rows().begin())).stepLone;
}

/// Whether what a supervisor's slot leaves in $m depends only on $m, and
/// workers do not depend on more.
bool isPredictable(const Slot *slot) {
  static const StepHandler put = stepOf(
      [](const RowInfo &row) { return row.facts.csr == Csr::WritesLower; });
  static const StepHandler atom = stepOf([](const RowInfo &row) {
    return row.facts.bitMoves == BitMoves::Copies;
  });
  if (slot->step == put)
    return slot->mainOperands.imm != csr::FpInitialControl;
  return slot->others() != Others::MayMatter && slot->step != atom &&
         !slot->aux;
}

constexpr std::uint32_t MayFault = FpInvalid | FpDivideByZero | FpOverflow;

} // namespace

// ---- What is remembered -----------------------------------------------------

bool Remembered::isSame(const Tile &tile, std::uint64_t cycleLimit) const {
  if (tile.weightLoad != weightLoad ||
      tile.fpInitialControl != fpInitialControl || cycles > cycleLimit)
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

std::size_t Remembered::bytes() const {
  return sizeof(*this) + ranges.capacity() * sizeof(Range) + values.capacity();
}

// ---- Learning ---------------------------------------------------------------

Learner::Learner(Tile &tile) : tile(tile) {
  marksOfThread().clear();
  for (std::size_t i = 0; i != tile.contexts.size(); ++i)
    std::copy_n(tile.contexts[i].m, Remembered::NumRegisters,
                result.registers[i].begin());
  result.weightLoad = tile.weightLoad;
  result.fpInitialControl = tile.fpInitialControl;
  result.cycles = tile.now;
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
  loadsWeights = slot->others() == Others::LoadsWeights;
  if (!isPredictable(slot))
    giveUp();
  return true;
}

bool Learner::access(Context &c, Address address, unsigned bytes, bool store) {
  if (!(window ? window->access(c, address, bytes, store)
               : checkBounds(c, address, bytes, store)))
    return false;
  const std::uint32_t offset = address - c.lo;
  constexpr unsigned WordBytes = 1u << WordMarks::WordShift;
  if (store)
    noteWritten(offset, bytes, bytes < WordBytes ? Stored : Derived);
  else if (!loadsWeights)
    noteRead(offset, bytes);
  return true;
}

void Learner::take(const AccessRecord &record) {
  if (!record.isCertain())
    return giveUp();
  record.forEachWrite(
      [&](unsigned context, std::uint32_t offset, std::uint32_t bytes) {
        if (context != Supervisor)
          noteWritten(offset, bytes, Stored);
      });
  record.forEachControlRead([&](std::uint32_t offset, std::uint32_t bytes) {
    noteRead(offset, bytes);
  });
}

void Learner::noteRead(std::uint32_t offset, std::uint32_t bytes) {
  unsigned before = 0;
  for (std::uint8_t &mark : marksOfThread().of(offset, bytes)) {
    before |= mark;
    mark |= mark & Derived ? 0 : Loaded;
  }
  if (before & Stored)
    giveUp();
}

void Learner::noteWritten(std::uint32_t offset, std::uint32_t bytes, Mark how) {
  unsigned before = 0;
  for (std::uint8_t &mark : marksOfThread().of(offset, bytes)) {
    before |= mark;
    mark |= how;
  }
  if (before & Loaded)
    giveUp();
}

std::unique_ptr<Remembered> Learner::finish() const {
  if (!isKnown)
    return nullptr;
  Remembered r = result;
  r.cycles = tile.now - r.cycles;
  const std::uint8_t *memory = tile.contexts[Supervisor].memory;
  marksOfThread().forEachLoaded([&](std::uint32_t begin, std::uint32_t end) {
    const std::uint32_t offset = begin << WordMarks::WordShift;
    const std::uint32_t bytes = (end - begin) << WordMarks::WordShift;
    r.ranges.push_back({offset, bytes});
    r.values.insert(r.values.end(), memory + offset, memory + offset + bytes);
  });
  return std::make_unique<Remembered>(r);
}

// ---- All vertices -----------------------------------------------------------

Context *VertexMemory::run(Tile &tile, std::size_t vertex,
                           std::uint64_t cycleLimit) {
  if (!tile.translations || tile.hostCalls || tile.contexts[Supervisor].watcher)
    return runInterleaved(tile, cycleLimit);
  Entry &entry = entries[vertex];
  if (entry.isShared)
    return runInterleaved(tile, cycleLimit);
  if (entry.remembered) {
    if (entry.remembered->isSame(tile, cycleLimit)) {
      constexpr std::uint32_t Many = 16;
      if (++entry.recalls % Many == 0)
        entry.tries = 0;
      return runInterleaved(tile, cycleLimit, {nullptr, true});
    }
    bytes -= entry.remembered->bytes();
    entry.remembered = nullptr;
    entry.learnLater();
  }
  if (entry.runsBefore == 0 && mayLearn(tile))
    return learn(tile, entry, cycleLimit);
  entry.runsBefore -= entry.runsBefore != 0;
  return runInterleaved(tile, cycleLimit);
}

bool VertexMemory::mayLearn(const Tile &tile) const {
  return bytes < MostBytes && (tile.fpInitialControl & MayFault) == 0;
}

Context *VertexMemory::learn(Tile &tile, Entry &entry,
                             std::uint64_t cycleLimit) {
  Learner learner(tile);
  Context *faulted = runInterleaved(tile, cycleLimit, {&learner, false});
  entry.remembered = faulted ? nullptr : learner.finish();
  if (entry.remembered)
    bytes += entry.remembered->bytes();
  else
    entry.learnLater();
  return faulted;
}

} // namespace populus::runtime::emulator
