// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looking on.

#include "runtime/Emulator/TileWatch.h"

#include <algorithm>

namespace populus::runtime::emulator {

namespace {

/// Returns the image of a tile; None if the tile has no code.
std::uint32_t imageOf(const Executable &executable, std::uint32_t tile) {
  const std::uint32_t setup = executable.tileSetup[tile];
  return setup == None ? None : executable.tileSetups[setup].image;
}

} // namespace

bool TileWatch::beforeTracing(Context &c, const Slot *at) {
  if (!tile.code->contains(at))
    return true;
  const Address pc = tile.code->addressOf(at);
  if (tracer)
    tracer->before(c, pc);
  if (breakpoints.contains(tile.code->codeImage(), pc))
    return c.fault(FaultKind::Breakpoint, pc);
  return true;
}

bool TileWatch::before(Context &c, const Slot *at) {
  if (checker)
    checker->before(c, *at);
  if (counter)
    counter->before(c, at);
  if (looksAtCode && !beforeTracing(c, at))
    return false;
  return !debugger || !tile.code->contains(at) || debugger->before(c, at);
}

void TileWatch::letDebuggerLook(DebugHook::Look look) {
  const bool isNeeded = looksAtCode || counter || checker;
  const bool isWatched = isNeeded || look != DebugHook::Look::Away;
  attachWatcher(tile, isWatched ? this : nullptr,
                checker || look == DebugHook::Look::Accesses);
}

bool TileWatch::access(Context &c, Address address, unsigned bytes,
                       bool store) {
  if (!checkBounds(c, address, bytes, store))
    return false;
  if (checker)
    checker->access(c, address, bytes, store);
  if (debugger)
    debugger->access(c, address, bytes, store);
  return true;
}

DeviceWatch::DeviceWatch(const WatchOptions &given,
                         const Executable &executable)
    : options(given), executable(executable), tracer(options.trace),
      breakpoints(options.breakpoints, executable),
      watches(executable.numTiles()) {
  if (options.countInstructions)
    for (const CodeImage &image : executable.images)
      counts.emplace_back(image.textBytes / 4);
  if (!isChecking())
    return;
  for (const CodeImage &image : executable.images)
    facts.emplace_back(image);
  apart.resize(executable.tileVertices.size());
  // Data is written before any tile runs.
  checkers.resize(executable.numTiles());
  for (std::uint32_t tile = 0; tile != executable.tileSetup.size(); ++tile)
    if (imageOf(executable, tile) != None)
      checkers[tile] = std::make_unique<Checker>(
          options.checks, executable, tile, facts[imageOf(executable, tile)]);
  for (const DataBlock &block : executable.data)
    if (checkers[block.tile])
      checkers[block.tile]->written(block.address, block.bytes);
}

bool DeviceWatch::areApart(const TileVertices &vertices) {
  Apart &known = apart[static_cast<std::size_t>(
      &vertices - executable.tileVertices.data())];
  if (known == Apart::Unknown)
    known = emulator::areApart(executable, vertices.vertices) ? Apart::Yes
                                                              : Apart::No;
  return known == Apart::Yes;
}

void DeviceWatch::resetCounts() {
  for (std::vector<InstructionCount> &image : counts)
    std::fill(image.begin(), image.end(), InstructionCount());
}

void DeviceWatch::attach(Tile &tile) {
  Tracer *used = tracer.looksAt(tile.number) ? &tracer : nullptr;
  Checker *checker = this->checker(tile.number);
  if (!used && !breakpoints.any() && counts.empty() && !checker &&
      !options.debugger)
    return;
  if (checker)
    checker->attach(tile);
  std::optional<CodeCounter> counter;
  if (!counts.empty())
    counter.emplace(*tile.code, counts[imageOf(executable, tile.number)]);
  watches[tile.number] = std::make_unique<TileWatch>(
      tile, used, breakpoints, std::move(counter), checker, options.debugger);
}

} // namespace populus::runtime::emulator
