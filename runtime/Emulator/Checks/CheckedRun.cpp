// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Good vertices write only to their edges, state and stacks, so these are saved
// before the run. The record undoes the stores of other vertices before the
// error was noticed.

#include "runtime/Emulator/Checks/CheckedRun.h"

#include <memory>

namespace populus::runtime::emulator {

CheckedRun::State &CheckedRun::stateOfThread() {
  thread_local const auto state = std::make_unique<State>();
  return *state;
}

CheckedRun::CheckedRun(Tile &tile, const Executable &executable, Range vertices,
                       Checker &checker)
    : state(stateOfThread()), tile(tile), subject(checker.quickSubject()) {
  state.tile = tile;
  saveMemory(executable, vertices, subject.setup);
  removeWatchers();
}

void CheckedRun::saveMemory(const Executable &executable, Range vertices,
                            const TileSetup &setup) {
  state.pieces.clear();
  std::size_t bytes = 0;
  const auto add = [&](Address first, Address last, bool isStack) {
    state.pieces.push_back({first, last - first, isStack});
    bytes += last - first;
  };
  VertexRegions regions;
  for (std::uint32_t i = 0; i != vertices.count; ++i) {
    regions.find(executable, vertices.first + i);
    for (const AllowedRegion &region : regions.all())
      if (!region.isInput)
        add(region.begin, region.wordEnd, false);
  }
  const TileStacks::Span stacks = TileStacks(setup).all(subject.lo, subject.hi);
  if (stacks.first < stacks.last)
    add(stacks.first, stacks.last, true);
  state.memory.resize(bytes);
  state.known.resize(bytes);
  const std::uint8_t *memory = tile.contexts[0].memory;
  std::size_t at = 0;
  for (const Piece &piece : state.pieces) {
    std::memcpy(state.memory.data() + at, memory + (piece.address - subject.lo),
                piece.bytes);
    if (!piece.isStack)
      subject.known.save(piece.address, piece.bytes, state.known.data() + at);
    at += piece.bytes;
  }
}

void CheckedRun::removeWatchers() {
  for (Context &c : tile.contexts) {
    c.watcher = nullptr;
    c.size = tile.loadBytes;
    c.storeSize = tile.storeBytes;
  }
}

void CheckedRun::check() {
  state.check.begin(subject);
  AccessRecord &record = recordOfThread();
  record.setListener(&state.check);
  record.begin(tile.contexts[0].memory);
  for (Context &c : tile.contexts)
    c.record = &record;
  // The supervisor is interpreted.
  Context &supervisor = tile.contexts[Supervisor];
  supervisor.watcher = &record;
  supervisor.size = 0;
  supervisor.storeSize = 0;
  tile.recordsAll = true;
  isChecking = true;
}

void CheckedRun::end() {
  if (!isChecking)
    return;
  isChecking = false;
  state.check.end();
  AccessRecord &record = recordOfThread();
  record.clear();
  record.setListener(nullptr);
  tile.recordsAll = false;
}

void CheckedRun::keep() {
  end();
  for (std::size_t i = 0; i != tile.contexts.size(); ++i) {
    Context &c = tile.contexts[i];
    const Context &before = state.tile.contexts[i];
    c.watcher = before.watcher;
    c.size = before.size;
    c.storeSize = before.storeSize;
  }
}

/// Calls `restorePiece` with each one and where what was saved of it begins.
template <typename Restore> void CheckedRun::restore(Restore restorePiece) {
  if (isChecking)
    recordOfThread().undo();
  end();
  tile = state.tile;
  std::uint8_t *memory = tile.contexts[0].memory;
  std::size_t at = 0;
  for (const Piece &piece : state.pieces) {
    std::memcpy(memory + (piece.address - subject.lo), state.memory.data() + at,
                piece.bytes);
    restorePiece(piece, at);
    at += piece.bytes;
  }
}

void CheckedRun::putBack() {
  restore([this](const Piece &piece, std::size_t at) {
    if (!piece.isStack)
      subject.known.restore(piece.address, piece.bytes,
                            state.known.data() + at);
  });
}

void CheckedRun::rewind() {
  restore([](const Piece &, std::size_t) {});
  removeWatchers();
}

} // namespace populus::runtime::emulator
