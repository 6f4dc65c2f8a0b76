// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The session: walks the control program and keeps the account of cycles. All
// tiles take a step together; within a step the tiles' work is shared among
// host threads. A step's cycles are those of its slowest tile, and everything
// is added up in an order that does not depend on the threads.

#include "runtime/Session/Session.h"

#include "runtime/Format/Verify.h"
#include "runtime/Session/Device.h"
#include "runtime/Session/DeviceMemory.h"
#include "runtime/Session/ExchangePlan.h"
#include "runtime/Session/PrintTensor.h"
#include "runtime/Session/RemoteMemory.h"
#include "runtime/Session/TensorIo.h"
#include "runtime/Session/WorkerPool.h"
#include "runtime/Target/Timing.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iostream>
#include <limits>
#include <optional>
#include <random>
#include <set>

namespace populus::runtime {

namespace {

Engine engineOf(const SessionOptions &options) {
  if (options.engine)
    return *options.engine;
  const char *name = std::getenv("POPULUS_ENGINE");
  if (!name || !*name)
    return Engine::Auto;
  if (const std::optional<Engine> engine = engineNamed(name))
    return *engine;
  throw RunError("POPULUS_ENGINE is '" + std::string(name) +
                 "'; expected auto, interpreter or translated");
}

/// What runs add up to.
struct Sums {
  Cycles cycles;
  std::uint64_t bundles = 0;
  /// Sum of all tiles' compute cycles, and what it would be if all tiles were
  /// as slow as the slowest.
  double usedTileCycles = 0;
  double possibleTileCycles = 0;

  Sums operator-(const Sums &other) const {
    Sums result = *this;
    for (std::uint64_t Cycles::*part :
         {&Cycles::total, &Cycles::compute, &Cycles::exchange, &Cycles::sync,
          &Cycles::host})
      result.cycles.*part -= other.cycles.*part;
    result.bundles -= other.bundles;
    result.usedTileCycles -= other.usedTileCycles;
    result.possibleTileCycles -= other.possibleTileCycles;
    return result;
  }
};

/// Four words for each worker of a tile, all different.
std::vector<std::uint64_t> seedsOf(std::uint64_t seed, std::uint32_t tile,
                                   std::uint32_t bytes) {
  std::seed_seq sequence = {static_cast<std::uint32_t>(seed),
                            static_cast<std::uint32_t>(seed >> 32), tile};
  std::mt19937_64 generator(sequence);
  std::vector<std::uint64_t> words(bytes / sizeof(std::uint64_t));
  std::generate(words.begin(), words.end(), std::ref(generator));
  return words;
}

class SessionImpl : public Session {
public:
  SessionImpl(std::shared_ptr<const Executable> program,
              const SessionOptions &options)
      : program(std::move(program)), options(options),
        target(targetOf(*this->program)), memory(*this->program),
        // A trace is in the order of tiles.
        remote(*this->program),
        pool(options.watch.trace.out ? 1 : options.threads),
        streams(this->program->streams.size()),
        hostFunctions(this->program->hostFunctions.size()),
        exchangeCosts(this->program->exchanges.size()),
        floatControl(options.floatControl),
        cyclesByTile(options.recordSteps ? this->program->tileVertices.size()
                                         : 0) {
    const bool emulated = this->program->device == DeviceKind::Ipu;
    if (options.watch.any() && !emulated)
      throw RunError("traces, breakpoints and checks need a program for the "
                     "IPU device; this one holds host code");
    device = emulated ? createEmulator(*this->program, memory, this->options,
                                       engineOf(options))
                      : createNativeDevice(*this->program, memory);
    if (floatControl != 0)
      device->setFloatControl(floatControl);
    if (options.seed)
      for (std::uint32_t tile = 0; tile != this->program->numTiles(); ++tile)
        device->writeSeeds(
            tile, seedsOf(*options.seed, tile, target.seedBytes()).data(),
            target.seedBytes());
    for (std::size_t i = 0; i != streams.size(); ++i)
      streams[i].resize(this->program->streams[i].replicas);
    for (std::size_t i = 0; i != hostFunctions.size(); ++i)
      hostFunctions[i].resize(this->program->hostFunctions[i].replicas);
  }

  const Executable &executable() const override { return *program; }

  void run(std::uint32_t index) override;
  void writeTensor(std::uint32_t hostTensor, const void *data) override;
  void readTensor(std::uint32_t hostTensor, void *data) const override;
  void connectStream(std::uint32_t stream, StreamFunction function,
                     std::uint32_t replica) override;
  void connectHostFunction(std::uint32_t hostFunction,
                           HostFunctionCall function,
                           std::uint32_t replica) override;
  void writeRemoteBuffer(std::uint32_t buffer, std::uint64_t row,
                         std::uint32_t replica, const void *data) override {
    std::memcpy(remote.row(buffer, row, replica), data,
                remote.rowBytes(buffer));
  }
  void readRemoteBuffer(std::uint32_t buffer, std::uint64_t row,
                        std::uint32_t replica, void *data) const override {
    std::memcpy(data, remote.row(buffer, row, replica),
                remote.rowBytes(buffer));
  }
  void setPrintStream(std::ostream &out) override { print = &out; }
  TileBytes tileMemory(std::uint32_t tile) const override {
    return {
        memory.begin(),
        {memory.at(tile, memory.begin()), memory.end(tile) - memory.begin()}};
  }
  std::vector<ContextState> contexts(std::uint32_t tile) const override {
    return device->contexts(tile);
  }
  const std::vector<Finding> &findings() const override { return found; }
  RunStats stats() const override;
  void resetStats() override;
  void recordSteps(bool on) override;
  const std::vector<StepRecord> &stepRecords() const override {
    return records;
  }
  const std::vector<std::uint64_t> &tileCycles() const override {
    return cyclesByTile;
  }

private:
  void runStep(std::uint32_t index);
  void runChild(const Step &step, std::size_t child);
  void repeatWhile(const Step &step);
  void switchTo(const Step &step);

  void execute(std::uint32_t step, const ComputeSet &computeSet);
  [[noreturn]] void throwFault(const ComputeSet &computeSet, std::size_t index,
                               FaultReport fault) const;
  void takeFindings(const ComputeSet &computeSet);
  void noteWritten(std::uint32_t tensor);
  Cycles exchange(std::uint32_t index);
  Cycles streamToDevice(const Step &step);
  Cycles deviceToStream(const Step &step);
  Cycles remoteCopy(const Step &step);
  Cycles hostCall(const Step &step);
  Cycles setFloatControl(const Step &step);
  Cycles moveSeeds(const Step &step);
  Cycles controlCycles() const;
  Cycles transferCycles(std::span<const std::uint32_t> tensors) const;
  Cycles sync(std::uint32_t kind) const;
  void printStep(const Step &step);
  Cycles stampCycles(const Step &step);

  StreamFunction &connected(std::uint32_t stream, std::uint32_t replica);
  std::vector<std::byte> read(std::uint32_t tensor) const;
  std::vector<std::byte> decision(std::uint32_t tensor) const;
  bool predicate(std::uint32_t tensor) const;
  bool anySet(std::uint32_t tensor) const;
  std::int32_t control(std::uint32_t tensor) const;
  void decide();
  void account(std::uint32_t step, const Cycles &cycles,
               std::uint64_t tileCycles = 0);
  void checkLimits() const;
  std::uint64_t remainingCycles() const;
  bool takesTime() const { return program->device != DeviceKind::Cpu; }

  std::shared_ptr<const Executable> program;
  SessionOptions options;
  const TargetInfo target;
  DeviceMemory memory;
  RemoteMemory remote;
  WorkerPool pool;
  std::unique_ptr<Device> device;
  std::vector<std::vector<StreamFunction>> streams; // by replica
  std::vector<std::vector<HostFunctionCall>> hostFunctions;
  std::vector<std::optional<ExchangeCost>> exchangeCosts; // when first needed
  std::ostream *print = &std::cerr;

  std::uint32_t floatControl;
  Sums sums;
  /// Cycles at the last contact with the host.
  std::uint64_t hostContact = 0;
  double hostSeconds = 0;
  std::vector<TileRun> runs; // of the compute set that runs
  /// While steps are not recorded: the sums when that began. And what was added
  /// in earlier times of that kind.
  std::optional<Sums> paused;
  Sums unrecorded;
  std::vector<StepRecord> records;
  std::vector<std::uint64_t> cyclesByTile; // by tileVertices, if recorded
  std::vector<Finding> found;
  std::set<std::string> foundKeys;
};

// ---- The control program ----------------------------------------------------

void SessionImpl::run(std::uint32_t index) {
  if (index >= program->programs.size())
    throw RunError("program " + std::to_string(index) +
                   " does not exist; the executable has " +
                   std::to_string(program->programs.size()));
  const auto start = std::chrono::steady_clock::now();
  hostContact = sums.cycles.total;
  runStep(program->programs[index]);
  hostSeconds +=
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
}

void SessionImpl::runChild(const Step &step, std::size_t child) {
  runStep(step.children[child]);
}

void SessionImpl::runStep(std::uint32_t index) {
  const Step &step = program->steps[index];
  switch (step.kind) {
  case StepKind::Sequence:
    for (std::uint32_t child : step.children)
      runStep(child);
    return;
  case StepKind::Execute:
    return execute(index, program->computeSets[step.index]);
  case StepKind::Exchange:
    return account(index, exchange(step.index));
  case StepKind::StreamToDevice:
    return account(index, streamToDevice(step));
  case StepKind::DeviceToStream:
    return account(index, deviceToStream(step));
  case StepKind::Repeat:
    for (std::uint32_t i = 0; i != step.index; ++i) {
      decide();
      runChild(step, 0);
    }
    return;
  case StepKind::RepeatWhile:
    return repeatWhile(step);
  case StepKind::If:
    decide();
    return runChild(step, predicate(step.tensor) ? 0 : 1);
  case StepKind::Switch:
    return switchTo(step);
  case StepKind::Call:
    return runStep(step.index);
  case StepKind::Print:
    return printStep(step);
  case StepKind::Sync:
    return account(index, sync(step.index));
  case StepKind::Abort:
    throw RunError("the program aborted: " + step.name);
  case StepKind::AbortIf:
    decide();
    if (anySet(step.tensor))
      throw RunError("the program aborted: " + step.name);
    return;
  case StepKind::CycleStamp:
    return account(index, stampCycles(step));
  case StepKind::RemoteToDevice:
  case StepKind::DeviceToRemote:
    return account(index, remoteCopy(step));
  case StepKind::HostCall:
    return account(index, hostCall(step));
  case StepKind::FloatControl:
  case StepKind::FloatRestore:
    return account(index, setFloatControl(step));
  case StepKind::ReadSeeds:
  case StepKind::WriteSeeds:
    return account(index, moveSeeds(step));
  }
}

void SessionImpl::repeatWhile(const Step &step) {
  const bool wanted = step.index != 0;
  for (;;) {
    runChild(step, 0);
    decide();
    if (predicate(step.tensor) != wanted)
      return;
    runChild(step, 1);
  }
}

void SessionImpl::switchTo(const Step &step) {
  decide();
  const auto found =
      std::find(step.values.begin(), step.values.end(), control(step.tensor));
  runChild(step, found - step.values.begin());
}

// A decision of the control program: supervisor code, so compute cycles.
void SessionImpl::decide() {
  if (!takesTime())
    return;
  sums.cycles.compute += timing::ControlCycles;
  sums.cycles.total += timing::ControlCycles;
  checkLimits();
}

void SessionImpl::account(std::uint32_t step, const Cycles &spent,
                          std::uint64_t tileCycles) {
  sums.cycles.compute += spent.compute;
  sums.cycles.exchange += spent.exchange;
  sums.cycles.sync += spent.sync;
  sums.cycles.host += spent.host;
  const std::uint64_t total =
      spent.compute + spent.exchange + spent.sync + spent.host;
  if (options.recordSteps) {
    records.push_back({step, spent, sums.cycles.total, tileCycles});
    records.back().cycles.total = total;
  }
  sums.cycles.total += total;
  if (spent.host != 0)
    hostContact = sums.cycles.total;
  checkLimits();
}

void SessionImpl::checkLimits() const {
  if (remainingCycles() != 0)
    return;
  if (options.maxCycles != 0 && sums.cycles.total > options.maxCycles)
    throw RunError("stopped at the limit of " +
                   std::to_string(options.maxCycles) + " cycles");
  if (options.hostTimeoutCycles != 0 &&
      sums.cycles.total - hostContact > options.hostTimeoutCycles)
    throw RunError("host sync timeout: the program has run " +
                   std::to_string(sums.cycles.total - hostContact) +
                   " cycles without a transfer from or to the host; the limit "
                   "is " +
                   std::to_string(options.hostTimeoutCycles));
}

std::uint64_t SessionImpl::remainingCycles() const {
  std::uint64_t remaining = std::numeric_limits<std::int64_t>::max();
  const auto limit = [&](std::uint64_t most, std::uint64_t used) {
    if (most != 0)
      remaining = std::min(remaining, most - std::min(most, used));
  };
  limit(options.maxCycles, sums.cycles.total);
  limit(options.hostTimeoutCycles, sums.cycles.total - hostContact);
  return remaining;
}

// ---- Compute ----------------------------------------------------------------

void SessionImpl::execute(std::uint32_t step, const ComputeSet &computeSet) {
  const std::size_t count = computeSet.tiles.count;
  const TileVertices *tiles =
      program->tileVertices.data() + computeSet.tiles.first;
  runs.clear();
  runs.resize(count);
  const std::uint64_t limit = remainingCycles();
  // After a fault only the tiles before it matter: the first tile that faults
  // is the one to report, whichever thread was faster.
  std::atomic<std::size_t> firstFault = count;
  pool.runRanges(count, [&](std::size_t first, std::size_t last, unsigned) {
    for (std::size_t i = first; i != last && i <= firstFault; ++i) {
      if (i + 1 != last)
        device->prepareTile(tiles[i + 1]);
      runs[i] = device->runTile(tiles[i], limit);
      if (!runs[i].fault)
        continue;
      std::size_t seen = firstFault;
      while (i < seen && !firstFault.compare_exchange_weak(seen, i)) {
      }
    }
  });
  if (device->isChecking())
    takeFindings(computeSet);
  if (firstFault != count)
    throwFault(computeSet, firstFault, std::move(*runs[firstFault].fault));

  Cycles spent;
  std::uint64_t used = 0;
  for (std::size_t i = 0; i != count; ++i) {
    spent.compute = std::max(spent.compute, runs[i].cycles);
    used += runs[i].cycles;
    sums.bundles += runs[i].bundles;
    if (options.recordSteps)
      cyclesByTile[computeSet.tiles.first + i] += runs[i].cycles;
  }
  sums.usedTileCycles += static_cast<double>(used);
  sums.possibleTileCycles +=
      static_cast<double>(spent.compute) * program->numTiles();
  account(step, spent, used);
}

void SessionImpl::throwFault(const ComputeSet &computeSet, std::size_t index,
                             FaultReport fault) const {
  fault.tile = program->tileVertices[computeSet.tiles.first + index].tile;
  fault.computeSet = computeSet.name;
  throw FaultError(std::make_shared<const FaultReport>(std::move(fault)));
}

/// The first finding of its kind, by tile, whatever the threads did.
void SessionImpl::takeFindings(const ComputeSet &computeSet) {
  for (std::uint32_t i = 0; i != computeSet.tiles.count; ++i) {
    const std::uint32_t tile =
        program->tileVertices[computeSet.tiles.first + i].tile;
    for (Finding &finding : device->takeFindings(tile)) {
      if (!foundKeys.insert(finding.key()).second)
        continue;
      finding.tile = tile;
      finding.computeSet = computeSet.name;
      found.push_back(std::move(finding));
    }
  }
}

void SessionImpl::noteWritten(std::uint32_t tensor) {
  if (!device->isChecking())
    return;
  const Range range = program->tensors[tensor].segments;
  for (std::uint32_t i = 0; i != range.count; ++i)
    device->written(program->segments[range.first + i]);
}

// ---- Exchange, streams, host access -----------------------------------------

Cycles SessionImpl::exchange(std::uint32_t index) {
  const Range range = program->exchanges[index].pieces;
  const std::span<const CopyPiece> pieces(
      program->copyPieces.data() + range.first, range.count);
  // Blocks, because a piece is often too small to be a task.
  constexpr std::size_t Block = 256;
  const std::size_t blocks = timing::divideUp(pieces.size(), Block);
  pool.run(blocks, [&](std::size_t block, unsigned) {
    const std::size_t first = block * Block;
    for (const CopyPiece &piece :
         pieces.subspan(first, std::min(Block, pieces.size() - first)))
      std::memcpy(memory.at(piece.dstTile, piece.dst),
                  memory.at(piece.srcTile, piece.src), piece.bytes);
  });

  if (device->isChecking())
    for (const CopyPiece &piece : pieces)
      device->copied(piece);

  Cycles spent;
  if (!takesTime())
    return spent;
  if (!exchangeCosts[index])
    exchangeCosts[index] = costOf(target, program->tilesPerIpu, pieces);
  spent.exchange = exchangeCosts[index]->cycles;
  spent.sync = exchangeCosts[index]->syncCycles;
  return spent;
}

namespace {

std::string ofReplica(std::uint32_t replica, std::size_t replicas) {
  return replicas == 1 ? "" : " of replica " + std::to_string(replica);
}

} // namespace

StreamFunction &SessionImpl::connected(std::uint32_t stream,
                                       std::uint32_t replica) {
  StreamFunction &function = streams[stream][replica];
  if (!function)
    throw RunError("stream '" + program->streams[stream].handle + "'" +
                   ofReplica(replica, streams[stream].size()) +
                   " is not connected; connect it before the run");
  return function;
}

Cycles
SessionImpl::transferCycles(std::span<const std::uint32_t> tensors) const {
  Cycles spent;
  if (!takesTime())
    return spent;
  spent.sync = timing::globalSyncCycles(target);
  for (std::uint32_t tensor : tensors)
    spent.host += timing::hostTransferCycles(
        target, tensorBytes(program->tensors[tensor]),
        busiestTileBytes(*program, tensor));
  return spent;
}

Cycles SessionImpl::streamToDevice(const Step &step) {
  const Stream &stream = program->streams[step.index];
  std::vector<std::byte> buffer(tensorBytes(program->tensors[step.tensor]));
  const std::size_t share = buffer.size() / stream.replicas;
  for (std::uint32_t r = 0; r != stream.replicas; ++r)
    if (stream.broadcast && r != 0)
      std::memcpy(buffer.data() + r * share, buffer.data(), share);
    else
      connected(step.index, r)(buffer.data() + r * share, share);
  scatter(*program, memory, step.tensor, buffer.data());
  noteWritten(step.tensor);
  return transferCycles({&step.tensor, 1});
}

Cycles SessionImpl::deviceToStream(const Step &step) {
  const std::uint32_t replicas = program->streams[step.index].replicas;
  std::vector<std::byte> buffer = read(step.tensor);
  const std::size_t share = buffer.size() / replicas;
  for (std::uint32_t r = 0; r != replicas; ++r)
    connected(step.index, r)(buffer.data() + r * share, share);
  return transferCycles({&step.tensor, 1});
}

Cycles SessionImpl::remoteCopy(const Step &step) {
  const RemoteBuffer &buffer = program->remoteBuffers[step.index];
  const bool toDevice = step.kind == StepKind::RemoteToDevice;
  std::vector<std::byte> data =
      toDevice
          ? std::vector<std::byte>(tensorBytes(program->tensors[step.tensor]))
          : read(step.tensor);
  const std::size_t bytes = remote.rowBytes(step.index);
  const std::size_t numRows = bytes == 0 ? 0 : data.size() / bytes;
  const std::size_t rowsPerReplica = numRows / buffer.replicas;
  const std::vector<std::byte> offsets =
      step.tensors.empty() ? std::vector<std::byte>() : read(step.tensors[0]);
  for (std::size_t i = 0; i != numRows; ++i) {
    auto row = static_cast<std::uint32_t>(i % rowsPerReplica);
    if (!offsets.empty())
      std::memcpy(&row, offsets.data() + i * sizeof(row), sizeof(row));
    std::byte *there = remote.row(
        step.index, row, static_cast<std::uint32_t>(i / rowsPerReplica));
    std::byte *here = data.data() + i * bytes;
    std::memcpy(toDevice ? here : there, toDevice ? there : here, bytes);
  }
  if (toDevice) {
    scatter(*program, memory, step.tensor, data.data());
    noteWritten(step.tensor);
  }
  std::vector<std::uint32_t> tensors = step.tensors;
  tensors.push_back(step.tensor);
  return transferCycles(tensors);
}

Cycles SessionImpl::hostCall(const Step &step) {
  const HostFunction &function = program->hostFunctions[step.index];
  const std::size_t numInputs = function.inputs.size();
  std::vector<std::vector<std::byte>> data;
  for (std::size_t i = 0; i != step.tensors.size(); ++i)
    data.push_back(i < numInputs ? read(step.tensors[i])
                                 : std::vector<std::byte>(tensorBytes(
                                       program->tensors[step.tensors[i]])));
  for (std::uint32_t r = 0; r != function.replicas; ++r) {
    const HostFunctionCall &call = hostFunctions[step.index][r];
    if (!call)
      throw RunError("host function '" + function.handle + "'" +
                     ofReplica(r, function.replicas) +
                     " is not connected; connect it before the run");
    std::vector<void *> share;
    for (std::vector<std::byte> &tensor : data)
      share.push_back(tensor.data() + r * (tensor.size() / function.replicas));
    const std::vector<const void *> inputs(share.begin(),
                                           share.begin() + numInputs);
    call(inputs, std::span(share).subspan(numInputs));
  }
  for (std::size_t i = numInputs; i != data.size(); ++i) {
    scatter(*program, memory, step.tensors[i], data[i].data());
    noteWritten(step.tensors[i]);
  }
  return transferCycles(step.tensors);
}

Cycles SessionImpl::sync(std::uint32_t kind) const {
  Cycles spent;
  if (takesTime())
    spent.sync = kind == 0 ? timing::internalSyncCycles(target)
                           : timing::globalSyncCycles(target);
  return spent;
}

/// Supervisor code of a few instructions.
Cycles SessionImpl::controlCycles() const {
  Cycles spent;
  if (takesTime())
    spent.compute = timing::ControlCycles;
  return spent;
}

Cycles SessionImpl::setFloatControl(const Step &step) {
  if (step.kind == StepKind::FloatRestore) {
    floatControl = static_cast<std::uint32_t>(control(step.tensor));
  } else {
    for (std::uint32_t tensor : step.tensors) {
      const std::vector<std::uint32_t> saved(
          tensorBytes(program->tensors[tensor]) / 4, floatControl);
      scatter(*program, memory, tensor, saved.data());
      noteWritten(tensor);
    }
    floatControl &= ~static_cast<std::uint32_t>(step.values[0]);
    floatControl |= static_cast<std::uint32_t>(step.values[1]);
  }
  device->setFloatControl(floatControl);
  return controlCycles();
}

Cycles SessionImpl::moveSeeds(const Step &step) {
  const Range range = program->tensors[step.tensor].segments;
  const std::uint32_t bytes = target.seedBytes();
  for (std::uint32_t i = 0; i != range.count; ++i) {
    const Segment &segment = program->segments[range.first + i];
    for (std::uint32_t at = 0; at != segment.bytes; at += bytes) {
      std::byte *place = memory.at(segment.tile, segment.address + at);
      if (step.kind == StepKind::ReadSeeds)
        device->readSeeds(segment.tile, place);
      else
        device->writeSeeds(segment.tile, place, bytes);
    }
  }
  if (step.kind == StepKind::ReadSeeds)
    noteWritten(step.tensor);
  return controlCycles();
}

Cycles SessionImpl::stampCycles(const Step &step) {
  Cycles spent;
  if (takesTime())
    spent.compute = timing::ControlCycles;
  std::uint64_t stamp = sums.cycles.total;
  if (step.index == 1) {
    // The difference leaves out the stamp that began it.
    std::uint32_t words[2];
    gather(*program, memory, step.tensor, words);
    stamp -= (words[0] | std::uint64_t(words[1]) << 32) + spent.compute;
  }
  const std::uint32_t words[2] = {static_cast<std::uint32_t>(stamp),
                                  static_cast<std::uint32_t>(stamp >> 32)};
  scatter(*program, memory, step.tensor, words);
  noteWritten(step.tensor);
  return spent;
}

void SessionImpl::printStep(const Step &step) {
  const TensorLayout &tensor = program->tensors[step.tensor];
  const std::vector<std::byte> data = read(step.tensor);
  const std::vector<std::int32_t> &v = step.values;
  if (v.empty())
    printTensor(*print, step.name, tensor.type, tensor.shape, data.data());
  else
    printTensor(*print, step.name, tensor.type, tensor.shape, data.data(),
                {v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]});
  print->flush();
}

std::vector<std::byte> SessionImpl::read(std::uint32_t tensor) const {
  std::vector<std::byte> data(tensorBytes(program->tensors[tensor]));
  gather(*program, memory, tensor, data.data());
  return data;
}

/// The element that decides. Replicas run in step, so theirs must agree.
std::vector<std::byte> SessionImpl::decision(std::uint32_t tensor) const {
  std::vector<std::byte> data = read(tensor);
  const std::size_t bytes = sizeOf(program->tensors[tensor].type);
  for (std::size_t at = bytes; at < data.size(); at += bytes)
    if (std::memcmp(data.data(), data.data() + at, bytes) != 0)
      throw RunError("replica " + std::to_string(at / bytes) +
                     " decides otherwise than replica 0, but all replicas must "
                     "take the same branches; reduce the tensor that decides "
                     "over the replicas");
  data.resize(bytes);
  return data;
}

namespace {

bool isSet(const std::vector<std::byte> &data) {
  return std::any_of(data.begin(), data.end(),
                     [](std::byte b) { return b != std::byte(0); });
}

} // namespace

bool SessionImpl::predicate(std::uint32_t tensor) const {
  return isSet(decision(tensor));
}

/// Whether it is set on any replica.
bool SessionImpl::anySet(std::uint32_t tensor) const {
  return isSet(read(tensor));
}

std::int32_t SessionImpl::control(std::uint32_t tensor) const {
  const std::vector<std::byte> data = decision(tensor);
  std::int32_t value;
  std::memcpy(&value, data.data(), sizeof(value));
  return value;
}

void SessionImpl::writeTensor(std::uint32_t hostTensor, const void *data) {
  const std::uint32_t tensor = program->hostTensors.at(hostTensor).tensor;
  scatter(*program, memory, tensor, data);
  noteWritten(tensor);
}

void SessionImpl::readTensor(std::uint32_t hostTensor, void *data) const {
  gather(*program, memory, program->hostTensors.at(hostTensor).tensor, data);
}

namespace {

template <typename Function>
void connectReplica(std::vector<Function> &byReplica, std::uint32_t replica,
                    Function function) {
  if (replica != AllReplicas)
    byReplica.at(replica) = std::move(function);
  else
    std::fill(byReplica.begin(), byReplica.end(), function);
}

} // namespace

void SessionImpl::connectStream(std::uint32_t stream, StreamFunction function,
                                std::uint32_t replica) {
  connectReplica(streams.at(stream), replica, std::move(function));
}

void SessionImpl::connectHostFunction(std::uint32_t hostFunction,
                                      HostFunctionCall function,
                                      std::uint32_t replica) {
  connectReplica(hostFunctions.at(hostFunction), replica, std::move(function));
}

// ---- Statistics -------------------------------------------------------------

RunStats SessionImpl::stats() const {
  RunStats stats;
  const Sums counted = (paused ? *paused : sums) - unrecorded;
  stats.cycles = counted.cycles;
  stats.secondsAtClock =
      static_cast<double>(stats.cycles.total) / target.clockHz;
  stats.bundles = counted.bundles;
  stats.hostSeconds = hostSeconds;
  if (counted.possibleTileCycles != 0)
    stats.tileBalance = counted.usedTileCycles / counted.possibleTileCycles;
  stats.engine = device->engine();
  stats.threads = pool.size();
  return stats;
}

void SessionImpl::resetStats() {
  sums = unrecorded = {};
  if (paused)
    paused.emplace();
  hostContact = 0;
  hostSeconds = 0;
  records.clear();
  std::fill(cyclesByTile.begin(), cyclesByTile.end(), 0);
}

void SessionImpl::recordSteps(bool on) {
  if (on == options.recordSteps)
    return;
  options.recordSteps = on;
  if (!on) {
    paused = sums;
    return;
  }
  const Sums counted = paused ? *paused - unrecorded : Sums();
  unrecorded = sums - counted;
  paused.reset();
  cyclesByTile.resize(program->tileVertices.size());
}

} // namespace

std::unique_ptr<Session>
Session::create(std::shared_ptr<const Executable> executable,
                const SessionOptions &options) {
  try {
    verify(*executable);
  } catch (const FormatError &error) {
    throw RunError(error.what());
  }
  return std::make_unique<SessionImpl>(std::move(executable), options);
}

} // namespace populus::runtime
