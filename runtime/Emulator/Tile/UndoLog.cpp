// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lines, and putting back.

#include "runtime/Emulator/Tile/UndoLog.h"

#include "runtime/Emulator/Tile/HostVectors.h"

namespace populus::runtime::emulator {

void UndoLog::linesKeeper(UndoLog *log, std::uint32_t offset,
                          std::uint32_t bytes) {
  // No more pieces: lines are put back before all of them.
  log->room = log->used;
  if (!log->bytesOfLines)
    log->bytesOfLines =
        std::make_unique_for_overwrite<std::uint8_t[]>(MostBytes);
  const std::uint32_t last = (offset + bytes - 1) >> LineShift;
  for (std::uint32_t line = offset >> LineShift; line <= last; ++line) {
    if (log->isKept[line])
      continue;
    log->isKept[line] = true;
    std::memcpy(&log->bytesOfLines[log->numLines * LineBytes],
                log->memory + line * LineBytes, LineBytes);
    log->lines[log->numLines++] = line;
  }
}

HOST_VECTORS void UndoLog::keepMany(std::uint32_t offset, std::uint32_t bytes) {
  // A call of memcpy takes longer if there are few.
  constexpr std::uint32_t Part = sizeof(Vector32), Many = 16 * Part;
  if (bytes < Part || bytes > Many || number == pieces.size() ||
      bytes > room - used)
    return keep(offset, bytes);
  const std::uint8_t *from = memory + offset;
  std::uint8_t *to = &keptBytes[used];
  for (std::uint32_t i = 0; i < bytes - Part; i += Part)
    copyVectors<Part>(to + i, from + i);
  copyVectors<Part>(to + bytes - Part, from + bytes - Part);
  pieces[number++] = {offset, bytes};
  used += bytes;
}

void UndoLog::undoFrom(std::size_t first) const {
  std::size_t end = used;
  for (std::size_t i = number; i-- != first;) {
    end -= pieces[i].bytes;
    std::memcpy(memory + pieces[i].offset, &keptBytes[end], pieces[i].bytes);
  }
}

void UndoLog::undo() const {
  for (std::size_t i = 0; i != numLines; ++i)
    std::memcpy(memory + lines[i] * LineBytes, &bytesOfLines[i * LineBytes],
                LineBytes);
  undoFrom(0);
}

void UndoLog::clear() {
  number = 0;
  used = 0;
  room = Room;
  for (; numLines != 0; --numLines)
    isKept[lines[numLines - 1]] = false;
}

} // namespace populus::runtime::emulator
