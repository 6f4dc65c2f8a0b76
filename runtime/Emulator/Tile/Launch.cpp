// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// First states.

#include "runtime/Emulator/Tile/Launch.h"

#include "runtime/Target/RepeatCounter.h"

namespace populus::runtime::emulator {

namespace {

/// A first state of the random number generators that differs for each context
/// of each tile and is never zero.
std::uint64_t mixBits(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

const TileSetup &setupOf(const Executable &executable, std::uint32_t tile) {
  return executable.tileSetups[executable.tileSetup[tile]];
}

} // namespace

void setMemory(Tile &tile, const Executable &executable, std::uint8_t *memory) {
  // The test of an access needs bounds that are aligned to the largest one.
  constexpr Address LargestAccess = 16;
  const TargetInfo &target = *findTarget(executable.target);
  const CodeImage &image =
      executable.images[setupOf(executable, tile.number).image];
  const Address lo = target.regions[0].begin;
  const Address storeLo =
      (image.base + image.textBytes) / LargestAccess * LargestAccess;
  tile.loadBytes = target.regions[1].end - lo;
  tile.storeBytes = target.regions[1].end - storeLo;
  for (Context &c : tile.contexts) {
    c.lo = lo;
    c.size = tile.loadBytes;
    c.memory = memory;
    c.storeLo = storeLo;
    c.storeSize = tile.storeBytes;
    c.storeMemory = memory + (storeLo - lo);
    c.interleavedBegin = target.regions[1].begin;
  }
}

std::unique_ptr<Tile> makeTile(const Executable &executable,
                               std::uint32_t number, const Code *code,
                               std::uint8_t *memory, HostCalls *hostCalls) {
  const TileSetup &setup = setupOf(executable, number);
  auto tile = std::make_unique<Tile>();
  tile->number = number;
  const TargetInfo &target = *findTarget(executable.target);
  tile->region0 = target.regions[0].begin;
  tile->accumulatorSets = target.accumulatorSets;
  tile->repeatMask = (1u << repeatBits(target.archVersion)) - 1;
  tile->code = code;
  tile->hostCalls = hostCalls;
  for (unsigned i = 0; i != tile->contexts.size(); ++i) {
    Context &c = tile->contexts[i];
    c.tile = tile.get();
    c.number = i;
    if (i < NumWorkers)
      c.m[WorkerBase] = setup.workerBase[i];
    c.prng[0] = mixBits(2 * (number * 8ull + i));
    c.prng[1] = mixBits(2 * (number * 8ull + i) + 1);
  }
  setMemory(*tile, executable, memory);
  tile->contexts[Supervisor].m[StackPointer] = setup.supervisorStack;
  return tile;
}

void startAlone(Tile &tile, const Executable &executable,
                const Vertex &vertex) {
  const Slot *entry = tile.code->find(vertex.entry);
  tile.turns = 0;
  if (executable.vertexTypes[vertex.type].kind == VertexKind::Multi) {
    for (unsigned i = 0; i != NumWorkers; ++i)
      tile.launch(i, entry, vertex.state);
    return;
  }
  Context &c = tile.contexts[Supervisor];
  c.m[0] = vertex.state;
  c.m[LinkRegister] = SupervisorReturn;
  c.m[StackPointer] = setupOf(executable, tile.number).supervisorStack;
  c.issued = 0;
  c.waiting = 0;
  c.resume = entry;
  c.exited = false;
  c.active = true;
}

} // namespace populus::runtime::emulator
