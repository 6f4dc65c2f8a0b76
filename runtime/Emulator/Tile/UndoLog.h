// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The old contents of a tile's memory, kept until the new ones are known to be
// right (Window.h): pieces in the order in which they were overwritten, put
// back in the opposite order. If there are too many of them, whole lines of
// memory are kept, each one once.

#ifndef POPULUS_RUNTIME_EMULATOR_TILE_UNDOLOG_H
#define POPULUS_RUNTIME_EMULATOR_TILE_UNDOLOG_H

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>

namespace populus::runtime::emulator {

class UndoLog {
public:
  /// The most memory of a tile.
  static constexpr std::size_t MostBytes = 640 << 10;

  UndoLog() : keepLines(linesKeeper) {}

  /// Sets the memory. Nothing has been kept yet.
  void begin(std::uint8_t *tileMemory) { memory = tileMemory; }

  /// Keeps so many bytes before they are overwritten. It calls `keepLines`
  /// instead of a member, so that translated code finds it.
  [[gnu::always_inline]] void keep(std::uint32_t offset, std::uint32_t bytes) {
    if (number == pieces.size() || bytes > room - used) [[unlikely]]
      return keepLines(this, offset, bytes);
    std::memcpy(&keptBytes[used], memory + offset, bytes);
    pieces[number++] = {offset, bytes};
    used += bytes;
  }

  /// Keeps a number of bytes that is not known in advance.
  void keepMany(std::uint32_t offset, std::uint32_t bytes);

  /// The pieces so far.
  std::size_t numPieces() const { return number; }
  /// Returns whether only pieces have been kept.
  bool hasOnlyPieces() const { return numLines == 0; }
  /// Puts back all pieces but the first `first` ones. The log stays as it is.
  void undoFrom(std::size_t first) const;
  /// Puts back what was overwritten.
  void undo() const;
  /// Forgets everything.
  void clear();

private:
  struct Piece {
    std::uint32_t offset, bytes;
  };
  static constexpr std::size_t Room = 512 << 10;
  static constexpr unsigned LineShift = 8;
  static constexpr std::size_t LineBytes = std::size_t(1) << LineShift;
  static constexpr std::size_t MostLines = MostBytes >> LineShift;

  static void linesKeeper(UndoLog *log, std::uint32_t offset,
                          std::uint32_t bytes);

  std::uint8_t *memory = nullptr;
  std::size_t number = 0;  // of pieces
  std::size_t used = 0;    // bytes
  std::size_t room = Room; // as many as are used when lines are kept
  std::array<Piece, 8192> pieces;
  alignas(64) std::array<std::uint8_t, Room> keptBytes; // of these, in order

  void (*const keepLines)(UndoLog *log, std::uint32_t offset,
                          std::uint32_t bytes);
  std::size_t numLines = 0;
  std::array<std::uint32_t, MostLines> lines;
  std::array<bool, MostLines> isKept = {};      // by line
  std::unique_ptr<std::uint8_t[]> bytesOfLines; // in the order of `lines`
};

} // namespace populus::runtime::emulator

#endif
