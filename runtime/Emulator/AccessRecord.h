// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What contexts access that run at the same time but are executed one after the
// other (Window.h). That gives what taking turns would have given if none of
// them has touched a word that another one has written; else it is undone. So
// every access leaves the mark of its context at the word, and before a line of
// memory is written for the first time it is saved. Marks are bytes, so that an
// instruction marks all its words at once; translated code and the interpreter
// (as a Watcher) make them.

#ifndef POPULUS_RUNTIME_EMULATOR_ACCESSRECORD_H
#define POPULUS_RUNTIME_EMULATOR_ACCESSRECORD_H

#include "runtime/Emulator/Context.h"

#include <array>
#include <memory>
#include <span>

namespace populus::runtime::emulator {

/// Accesses of the rounds of a hardware loop, without a gap in a round: in the
/// first one at `first`, in each other one `stride` after the one before.
struct Walk {
  std::int64_t first;
  std::int64_t stride;
  std::uint32_t bytes;
  std::uint32_t store; // 0 or 1
};

class AccessRecord : public Watcher {
public:
  static constexpr unsigned WordShift = 2;
  static constexpr unsigned LineShift = 8;
  /// Of a tile's memory.
  static constexpr std::size_t MostBytes = 640 << 10;
  /// Of what noteWords() takes.
  static constexpr std::uint32_t ShortBytes = 64;

  AccessRecord();

  /// From now on what is noted is of this memory. Nothing is recorded.
  void begin(std::uint8_t *tileMemory) { memory = tileMemory; }
  /// Whether a context has touched what another one has written.
  bool conflicts() const;
  /// Puts back what was overwritten.
  void undo() const;
  /// Forgets everything.
  void clear();

  /// The marks of a context, as many as an access has words at most.
  static std::uint32_t marksOf(unsigned context) {
    return 0x01010101u << context;
  }

  /// Notes an access that is good, `offset` bytes behind the beginning of the
  /// memory. `saveLine` and not a member is called, so that translated code
  /// finds it.
  void note(std::uint32_t marks, std::uint32_t offset, std::uint32_t bytes,
            bool store) {
    const std::uint32_t line = offset >> LineShift;
    if (store && !saved[line]) [[unlikely]]
      saveLine(this, line);
    lines[line] = 1;
    std::uint8_t *at = &touched[offset >> WordShift];
    if (bytes <= 4)
      mark<std::uint8_t>(at, marks, store);
    else if (bytes == 8)
      mark<std::uint16_t>(at, marks, store);
    else
      mark<std::uint32_t>(at, marks, store);
  }
  /// The same for a few words.
  [[gnu::always_inline]] void noteWords(std::uint32_t marks,
                                        std::uint32_t offset,
                                        std::uint32_t words, bool store) {
    const std::uint32_t first = offset >> LineShift;
    const std::uint32_t last = (offset + 4 * words - 1) >> LineShift;
    if (store && !(saved[first] & saved[last])) [[unlikely]] {
      saveLine(this, first);
      saveLine(this, last);
    }
    lines[first] = 1;
    lines[last] = 1;
    std::uint8_t *at = &touched[offset >> WordShift];
    const std::uint64_t wide = marks | std::uint64_t(marks) << 32;
    for (; words >= 8; words -= 8, at += 8)
      mark<std::uint64_t>(at, wide, store);
    if (words & 4)
      mark<std::uint32_t>(at, marks, store);
    at += words & 4;
    if (words & 2)
      mark<std::uint16_t>(at, marks, store);
    at += words & 2;
    if (words & 1)
      mark<std::uint8_t>(at, marks, store);
  }
  /// The same for the first and the last byte of a range.
  void noteEnds(std::uint32_t marks, std::uint32_t offset, std::uint32_t bytes,
                bool store) {
    note(marks, offset, 1, store);
    note(marks, offset + bytes - 1, 1, store);
  }
  void noteRange(std::uint32_t marks, std::uint32_t offset, std::uint32_t bytes,
                 bool store);
  /// Notes accesses of a hardware loop that runs `count` times.
  void noteWalks(std::uint32_t marks, Address lo, std::span<const Walk> walks,
                 std::uint32_t count);

  bool before(Context &, const Slot *) override { return true; }
  bool access(Context &c, Address address, unsigned bytes, bool store) override;

  /// For translated code.
  void (*rangeNoter)(AccessRecord *record, std::uint32_t marks,
                     std::uint32_t offset, std::uint32_t bytes, bool store);
  void (*walkNoter)(AccessRecord *record, std::uint32_t marks, Address lo,
                    const Walk *walks, std::uint32_t number,
                    std::uint32_t count);

private:
  /// Beside the marks of contexts.
  static constexpr std::uint64_t Written = 0x8080808080808080;
  static constexpr std::size_t LineBytes = std::size_t(1) << LineShift;
  static constexpr std::size_t LineWords = LineBytes >> WordShift;
  static constexpr std::size_t MostLines = MostBytes >> LineShift;

  template <typename Marks>
  static void mark(std::uint8_t *at, std::uint64_t marks, bool store) {
    Marks old;
    std::memcpy(&old, at, sizeof(old));
    old = static_cast<Marks>(old | marks | (store ? Written : 0));
    std::memcpy(at, &old, sizeof(old));
  }
  /// Saves a line, unless that has been done.
  static void save(AccessRecord *record, std::uint32_t line);
  void markLines(std::size_t first, std::size_t last, bool store);
  void markWords(std::size_t first, std::size_t last, std::uint64_t marks);

  void (*saveLine)(AccessRecord *record, std::uint32_t line);
  std::uint8_t *memory = nullptr;
  std::array<std::uint8_t, MostLines> lines = {}; // 1: something is marked
  std::array<std::uint8_t, MostLines> saved = {}; // 1: written, and saved
  alignas(64) std::array<std::uint8_t, MostLines * LineWords> touched = {};
  std::size_t numSaved = 0;
  std::array<std::uint32_t, MostLines> savedLines;
  std::unique_ptr<std::uint8_t[]> savedBytes; // of these, in their order
};

} // namespace populus::runtime::emulator

#endif
