// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The session: walks the control program, whose steps the host executes one
// after another; within a step the tiles' work is shared among host threads. A
// step advances the clocks of the IPUs that it involves (CycleAccount.h) by the
// cycles of their slowest tiles, in an order that does not depend on the
// threads.

#include "runtime/Format/SequenceKinds.h"
#include "runtime/Format/StepKinds.h"
#include "runtime/Format/Verify.h"
#include "runtime/Session/DebugHook.h"
#include "runtime/Session/RunControl.h"
#include "runtime/Session/SessionImpl.h"
#include "runtime/Session/TensorIo.h"
#include "runtime/Target/Timing.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>
#include <span>

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

/// Host threads, which the environment may say where options do not.
unsigned threadsOf(const SessionOptions &options) {
  if (options.watch.trace.out || options.watch.debugger)
    return 1;
  const char *text = std::getenv("POPULUS_THREADS");
  if (options.threads != 0 || !text || !*text)
    return options.threads;
  unsigned threads = 0;
  const char *end = text + std::strlen(text);
  const auto [rest, error] = std::from_chars(text, end, threads);
  if (error != std::errc() || rest != end || threads > WorkerPool::MostThreads)
    throw RunError(std::string("POPULUS_THREADS is '") + text +
                   "', but must be a number from 1 to " +
                   std::to_string(WorkerPool::MostThreads) +
                   ", or 0 for as many as the machine has");
  return threads;
}

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

} // namespace

SessionImpl::SessionImpl(std::shared_ptr<const Executable> program,
                         const SessionOptions &options)
    : program(std::move(program)), options(options), costs(*this->program),
      distribution(*this->program, options.fabric, costs.ioTiles().clocks()),
      memory(*this->program, distribution.tiles()),
      // A trace is in the order of tiles.
      remote(*this->program), pool(threadsOf(options)),
      streams(this->program->streams.size()),
      hostFunctions(this->program->hostFunctions.size()),
      exchangeCopies(this->program->exchanges.size()),
      remoteTimes(this->program->remoteBuffers.size()),
      floatControl(options.floatControl),
      account(costs.ioTiles().clocks(), options),
      cyclesByTile(options.recordSteps ? this->program->tileVertices.size()
                                       : 0) {
  const bool emulated = this->program->device == DeviceKind::Ipu;
  if (options.watch.any() && !emulated)
    throw RunError("traces, breakpoints, counts of instructions and checks "
                   "need a program for the IPU device; this one holds host "
                   "code");
  device = emulated ? createEmulator(*this->program, memory, this->options,
                                     engineOf(options))
                    : createNativeDevice(*this->program, memory);
  if (floatControl != 0)
    device->setFloatControl(floatControl);
  if (options.seed)
    for (std::uint32_t tile = 0; tile != this->program->numTiles(); ++tile)
      if (memory.holds(tile))
        device->writeSeeds(
            tile,
            seedsOf(*options.seed, tile, costs.target().seedBytes()).data(),
            costs.target().seedBytes());
  for (std::size_t i = 0; i != streams.size(); ++i)
    streams[i].resize(
        distribution.ownOf(this->program->streams[i].replicas).count);
  for (std::size_t i = 0; i != hostFunctions.size(); ++i)
    hostFunctions[i].resize(
        distribution.ownOf(this->program->hostFunctions[i].replicas).count);
  for (std::size_t i = 0; i != remoteTimes.size(); ++i)
    remoteTimes[i].resize(this->program->remoteBuffers[i].replicas);
}

// ---- The control program ----------------------------------------------------

void SessionImpl::run(std::uint32_t index) {
  if (index >= program->programs.size())
    throw RunError("program " + std::to_string(index) +
                   " does not exist; the executable has " +
                   std::to_string(program->programs.size()));
  const auto start = std::chrono::steady_clock::now();
  try {
    const std::uint32_t step = program->programs[index];
    active.reset(); // after a run that has failed
    distribution.meet(step, account);
    account.meet(); // the host starts a run when the last one has ended
    account.contactHost();
    runStep(step);
    account.addDecision(costs.ioTiles().meetings());
    distribution.meet(step, account);
  } catch (const std::exception &error) {
    distribution.fail(error.what());
    throw;
  } catch (...) { // of the program's own callbacks
    distribution.fail("a callback threw");
    throw;
  }
  hostSeconds +=
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
}

void SessionImpl::runChild(const Step &step, std::size_t child) {
  runStep(step.children[child]);
}

/// Tells the control where the run is, and ends the run if it says so.
void SessionImpl::meetControl(std::uint32_t index, RunControl &control) const {
  control.cycles.store(account.now(), std::memory_order_relaxed);
  if (!control.interrupt.load(std::memory_order_relaxed)) [[likely]]
    return;
  const Step &step = program->steps[index];
  const std::string name = targetOf(*program, step);
  throw InterruptedError("interrupted at cycle " +
                         std::to_string(account.now()) + ", before the step " +
                         shortName(step.kind) +
                         (name.empty() ? "" : " '" + name + "'"));
}

void SessionImpl::runStep(std::uint32_t index) {
  if (options.control)
    meetControl(index, *options.control);
  DebugHook *debugger = options.watch.debugger;
  if (debugger)
    debugger->beforeStep(index);
  doStep(index);
  if (debugger)
    debugger->afterStep(index);
}

void SessionImpl::doStep(std::uint32_t index) {
  const Step &step = program->steps[index];
  switch (step.kind) {
  case StepKind::Sequence:
    return runSequence(index, step);
  case StepKind::Execute:
    return execute(index, program->computeSets[step.computeSet()]);
  case StepKind::Exchange:
    exchange(step.exchange(), index);
    return addStep(index);
  case StepKind::StreamToDevice:
    streamToDevice(step);
    return addStep(index);
  case StepKind::DeviceToStream:
    deviceToStream(step);
    return addStep(index);
  case StepKind::Repeat:
    for (std::uint32_t i = 0; i != step.repeatCount(); ++i) {
      account.addDecision(partsOf(index));
      runChild(step, 0);
    }
    return;
  case StepKind::RepeatWhile:
    return repeatWhile(index, step);
  case StepKind::If:
    return runIf(index);
  case StepKind::Switch:
    return switchTo(index);
  case StepKind::Call:
    return runStep(step.function());
  case StepKind::Print:
    distribution.meet(index, account);
    return printStep(step);
  case StepKind::Sync:
    if (active && step.syncClass() != 0)
      refuseBranch("the program syncs IPUs in it");
    if (distribution.crosses(costs.of(index)))
      distribution.meet(index, account);
    return addStep(index);
  case StepKind::Abort:
    throw RunError("the program aborted: " + step.name);
  case StepKind::AbortIf:
    decide(index);
    if (anySet(step.tensor))
      throw RunError("the program aborted: " + step.name);
    return;
  case StepKind::CycleStamp:
    stampCycles(index, step);
    return addStep(index);
  case StepKind::RemoteToDevice:
  case StepKind::DeviceToRemote:
    return remoteCopy(index, step);
  case StepKind::HostCall:
    hostCall(step);
    return addStep(index);
  case StepKind::FloatRestore:
    distribution.meet(index, account);
    [[fallthrough]];
  case StepKind::FloatControl:
    setFloatControl(step);
    return addStep(index);
  case StepKind::ReadSeeds:
  case StepKind::WriteSeeds:
    moveSeeds(step);
    return addStep(index);
  }
}

void SessionImpl::runSequence(std::uint32_t index, const Step &step) {
  const bool isRecorded =
      step.isKindOfSequence(SequenceKind::Block) && account.recordsSteps();
  std::vector<std::uint64_t> begins;
  if (isRecorded)
    begins = account.clocks();
  for (std::uint32_t child : step.children)
    runStep(child);
  if (isRecorded)
    account.addBlock(index, begins);
}

// ---- Compute ----------------------------------------------------------------

void SessionImpl::execute(std::uint32_t step, const ComputeSet &computeSet) {
  const std::span<const TileVertices> tiles = distribution.own(
      std::span(program->tileVertices)
          .subspan(computeSet.tiles.first, computeSet.tiles.count));
  const std::size_t count = tiles.size();
  runs.clear();
  runs.resize(count);
  // After a fault only the tiles before it matter: the first tile that faults
  // is the one to report, whichever thread was faster.
  std::atomic<std::size_t> firstFault = count;
  const auto runRange = [&](std::size_t first, std::size_t last, unsigned) {
    for (std::size_t i = first; i != last && i <= firstFault; ++i) {
      if (!runsTile(tiles[i].tile))
        continue;
      device->runTile(tiles.subspan(i, last - i),
                      account.remaining(ipuOf(tiles[i].tile)), runs[i]);
      if (!runs[i].fault)
        continue;
      std::size_t seen = firstFault;
      while (i < seen && !firstFault.compare_exchange_weak(seen, i)) {
      }
    }
  };
  if (count == 1 && runsTile(tiles.front().tile) &&
      device->dividesTile(tiles.front()))
    pool.run(tiles.front().vertices.count, [&](std::size_t i, unsigned) {
      device->runVertex(tiles.front(), static_cast<std::uint32_t>(i));
    });
  else
    pool.runRanges(count, std::cref(runRange)); // a copy would be allocated
  if (device->isPrinting())
    for (std::size_t i = 0; i != std::min<std::size_t>(firstFault + 1, count);
         ++i)
      device->flushPrints(tiles[i].tile);
  if (device->isChecking())
    takeFindings(computeSet);
  if (firstFault != count)
    throwFault(computeSet, tiles[firstFault].tile,
               std::move(*runs[firstFault].fault));

  if (account.recordsSteps())
    for (std::size_t i = 0; i != count; ++i)
      cyclesByTile[&tiles[i] - program->tileVertices.data()] += runs[i].cycles;
  addWork(step, tiles);
}

/// The work of `runs`, which belong to \p tiles, as a part for each IPU.
void SessionImpl::addWork(std::uint32_t step,
                          std::span<const TileVertices> tiles) {
  workParts.clear();
  for (std::size_t i = 0; i != tiles.size(); ++i) {
    if (!runsTile(tiles[i].tile))
      continue;
    const std::uint32_t ipu = ipuOf(tiles[i].tile);
    if (workParts.empty() || workParts.back().ipus.front() != ipu)
      workParts.push_back({{ipu}});
    StepPart &part = workParts.back();
    part.spent.compute = std::max(part.spent.compute, runs[i].cycles);
    part.work.used += runs[i].cycles;
    part.work.bundles += runs[i].bundles;
    part.work.translatedBundles += runs[i].translatedBundles;
  }
  if (workParts.empty() && !distribution.isOn() && !active)
    workParts.push_back({{0}});
  for (StepPart &part : workParts) {
    part.spent.addUp();
    part.work.possible = part.spent.compute * program->tilesPerIpu;
  }
  account.addStep(step, workParts);
}

void SessionImpl::throwFault(const ComputeSet &computeSet, std::uint32_t tile,
                             FaultReport fault) const {
  fault.tile = tile;
  fault.computeSet = computeSet.name;
  throw FaultError(std::make_shared<const FaultReport>(std::move(fault)));
}

/// The first finding of its kind, by tile, whatever the threads did.
void SessionImpl::takeFindings(const ComputeSet &computeSet) {
  for (std::uint32_t i = 0; i != computeSet.tiles.count; ++i) {
    const std::uint32_t tile =
        program->tileVertices[computeSet.tiles.first + i].tile;
    for (Finding &finding : device->takeFindings(tile)) {
      const auto [same, isNew] =
          foundByKey.try_emplace(finding.key(), found.size());
      if (!isNew) {
        found[same->second].count += finding.count;
        continue;
      }
      finding.tile = tile;
      finding.computeSet = computeSet.name;
      if (!tensorNames)
        tensorNames.emplace(*program);
      if (!finding.element.empty())
        finding.tensor = tensorNames->at(tile, finding.origin);
      found.push_back(std::move(finding));
    }
  }
}

// ---- Exchange and the supervisor's own work ---------------------------------

void SessionImpl::exchange(std::uint32_t index, std::uint32_t step) {
  if (active)
    return exchangeWithin(index);
  if (distribution.isOn())
    return distribution.exchange(index, step, account, memory, pool);
  const Exchange &exchange = program->exchanges[index];
  if (!exchangeCopies[index])
    exchangeCopies[index] =
        std::make_unique<const ExchangeCopies>(*program, exchange);
  const ExchangeCopies &copies = *exchangeCopies[index];
  pool.run(copies.numTasks(), [&](std::size_t task, unsigned) {
    copies.run(task, *program, memory);
  });

  if (device->isChecking())
    for (const CopyPiece &piece : program->piecesOf(exchange))
      program->forEachCopy(
          piece, [&](const CopyPiece &copy) { device->copied(copy); });
}

void SessionImpl::setFloatControl(const Step &step) {
  if (step.kind == StepKind::FloatRestore) {
    floatControl = static_cast<std::uint32_t>(control(step.tensor));
  } else {
    for (std::uint32_t tensor : step.tensors) {
      const std::vector<std::uint32_t> saved(
          tensorBytes(program->tensors[tensor]) / 4, floatControl);
      write(tensor, saved.data());
    }
    floatControl &= ~static_cast<std::uint32_t>(step.values[0]);
    floatControl |= static_cast<std::uint32_t>(step.values[1]);
  }
  device->setFloatControl(floatControl);
}

void SessionImpl::moveSeeds(const Step &step) {
  const Range range = program->tensors[step.tensor].segments;
  const std::uint32_t bytes = costs.target().seedBytes();
  for (std::uint32_t i = 0; i != range.count; ++i) {
    const Segment &segment = program->segments[range.first + i];
    if (!memory.holds(segment.tile) || !runsTile(segment.tile))
      continue;
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
}

/// Writes the clock of the IPU that holds the count.
void SessionImpl::stampCycles(std::uint32_t index, const Step &step) {
  if (!runsTensor(step.tensor))
    return;
  const StepPart &part = costs.of(index).front();
  // The process that has the tile writes the true one.
  std::uint64_t stamp = account.now(part.ipus.front());
  if (step.stampsDifference()) {
    // The difference leaves out the stamp that began it.
    std::uint32_t words[2] = {};
    gather(*program, memory, step.tensor, words);
    stamp -= (words[0] | std::uint64_t(words[1]) << 32) + part.spent.compute;
  }
  const std::uint32_t words[2] = {static_cast<std::uint32_t>(stamp),
                                  static_cast<std::uint32_t>(stamp >> 32)};
  write(step.tensor, words);
}

// ---- Statistics -------------------------------------------------------------

RunStats SessionImpl::stats() const {
  RunStats stats = account.stats();
  stats.secondsAtClock =
      static_cast<double>(stats.cycles.total) / costs.target().clockHz;
  stats.hostSeconds = hostSeconds;
  stats.engine = device->engine();
  stats.threads = pool.size();
  return stats;
}

void SessionImpl::resetStats() {
  account.reset();
  hostSeconds = 0;
  std::fill(cyclesByTile.begin(), cyclesByTile.end(), 0);
  device->resetCounts();
}

const InstructionCounts &SessionImpl::instructionCounts() const {
  static const InstructionCounts None;
  const InstructionCounts *counts = device->instructionCounts();
  return counts ? *counts : None;
}

void SessionImpl::recordSteps(bool on) {
  account.recordSteps(on);
  if (on)
    cyclesByTile.resize(program->tileVertices.size());
}

std::unique_ptr<Session> Session::create(VerifiedExecutable executable,
                                         const SessionOptions &options) {
  try {
    return std::make_unique<SessionImpl>(executable.shared(), options);
  } catch (const FormatError &error) { // the file has changed
    throw RunError(error.what());
  }
}

std::unique_ptr<Session>
Session::create(std::shared_ptr<const Executable> executable,
                const SessionOptions &options) {
  try {
    return create(VerifiedExecutable(std::move(executable)), options);
  } catch (const FormatError &error) {
    throw RunError(error.what());
  }
}

} // namespace populus::runtime
