// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The repetition. History.h says what it is worth.

#include "runtime/Emulator/Watching/History.h"

#include "runtime/Emulator/Tile/Launch.h"
#include "runtime/Emulator/Tile/Watch.h"
#include "runtime/Emulator/Watching/Fault.h"
#include "runtime/Session/HostCalls.h"

#include <algorithm>

namespace populus::runtime::emulator {

namespace {

constexpr std::size_t NumKept = 16;
/// Beyond this the repetition would be a second long run.
constexpr std::int64_t MostTurns = 50'000'000;

class Recorder : public Watcher {
public:
  explicit Recorder(const Context &faulted) : faulted(faulted) {}

  bool before(Context &c, const Slot *slot) override {
    ring[next++ % NumKept] = {c.number, slot};
    // A breakpoint stops a context when it comes there for the first time.
    if (slot == faulted.faultSlot && c.number == faulted.number &&
        faulted.faultKind == FaultKind::Breakpoint)
      return c.fault(FaultKind::Breakpoint, faulted.faultAddress);
    return true;
  }
  bool access(Context &c, Address address, unsigned bytes,
              bool store) override {
    return checkBounds(c, address, bytes, store);
  }

  std::vector<FaultReport::Executed> take(const Code &code) const {
    std::vector<FaultReport::Executed> result;
    for (std::size_t i = next < NumKept ? 0 : next - NumKept; i != next; ++i) {
      const Entry &entry = ring[i % NumKept];
      if (code.contains(entry.slot))
        result.push_back(
            {entry.context, placeOf(code, code.addressOf(entry.slot))});
    }
    return result;
  }

private:
  struct Entry {
    unsigned context;
    const Slot *slot;
  };
  const Context &faulted;
  std::array<Entry, NumKept> ring = {};
  std::size_t next = 0;
};

/// Replays the host's side of a vertex: its requests were carried out the first
/// time, and it gets the same input again.
class NoHost : public HostCalls {
public:
  explicit NoHost(std::string_view input) : rest(input) {}

  bool exit(std::int32_t) override { return true; }
  std::int32_t write(std::uint32_t, std::string_view bytes) override {
    return static_cast<std::int32_t>(bytes.size());
  }
  std::string read(std::size_t bytes) override {
    const std::string_view part = rest.substr(0, bytes);
    rest.remove_prefix(part.size());
    return std::string(part);
  }

private:
  std::string_view rest;
};

class Repetition {
public:
  Repetition(const Executable &executable, const Vertex &vertex,
             const Context &faulted)
      : executable(executable), vertex(vertex), faulted(faulted) {}

  /// Returns whether the vertex, run on this tile, ends as it did.
  bool endsTheSame(Tile &tile) {
    Recorder recorder(faulted);
    attachWatcher(tile, &recorder, false);
    const Context &c = *run(tile);
    last = recorder.take(*tile.code);
    return c.faultKind == faulted.faultKind && c.number == faulted.number &&
           c.faultAddress == faulted.faultAddress &&
           c.faultSlot == faulted.faultSlot &&
           std::equal(std::begin(c.m), std::end(c.m), faulted.m) &&
           std::equal(std::begin(c.a), std::end(c.a), faulted.a);
  }

  /// The last instructions of that.
  std::vector<FaultReport::Executed> last;

private:
  const Context *run(Tile &tile) {
    if (executable.vertexTypes[vertex.type].kind == VertexKind::Worker) {
      tile.launch(faulted.number, tile.code->find(vertex.entry), vertex.state);
      runWatchedWorker(tile, faulted.number, MostTurns);
      return &tile.contexts[faulted.number];
    }
    startAlone(tile, executable, vertex);
    const Context *stopped =
        runInterleaved(tile, MostTurns * timing::CyclesPerBundle);
    return stopped ? stopped : &tile.contexts[faulted.number];
  }

  const Executable &executable;
  const Vertex &vertex;
  const Context &faulted;
};

void forgetFault(Tile &tile) {
  for (Context &c : tile.contexts) {
    c.tile = &tile;
    c.faultKind = FaultKind::None;
    c.faultAddress = 0;
    c.faultSlot = nullptr;
    c.active = false;
    c.repeatCount = 0;
  }
}

} // namespace

std::vector<FaultReport::Executed>
lastInstructions(const Executable &executable, const DeviceMemory &memory,
                 const Tile &tile, const Vertex &vertex,
                 const Context &faulted) {
  if (faulted.issued > MostTurns ||
      faulted.faultKind == FaultKind::CycleLimit ||
      faulted.faultKind == FaultKind::Interrupted)
    return {};
  const std::string_view input =
      tile.hostCalls ? tile.hostCalls->consumed() : std::string_view();
  NoHost again(input), fromStart(input);
  Repetition repetition(executable, vertex, faulted);

  const std::uint8_t *now = faulted.memory;
  std::vector<std::uint8_t> bytes(now, now + tile.loadBytes);
  Tile copy = tile;
  copy.hostCalls = tile.hostCalls ? &again : nullptr;
  forgetFault(copy);
  setMemory(copy, executable, bytes.data());
  if (repetition.endsTheSame(copy))
    return std::move(repetition.last);

  std::fill(bytes.begin(), bytes.end(), 0);
  try {
    memory.loadTile(executable, tile.number,
                    reinterpret_cast<std::byte *>(bytes.data()));
  } catch (const FormatError &) {
    return {};
  }
  const std::unique_ptr<Tile> fresh =
      makeTile(executable, tile.number, tile.code, bytes.data(),
               tile.hostCalls ? &fromStart : nullptr);
  if (repetition.endsTheSame(*fresh))
    return std::move(repetition.last);
  return {};
}

} // namespace populus::runtime::emulator
