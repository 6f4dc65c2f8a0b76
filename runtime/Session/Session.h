// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loaded program: the one interface through which poplar::Engine and ipu-run
// run an executable. A session owns the tiles' memory and a device (emulator or
// native host code) and walks the control program step by step; everything it
// reports (values, cycles, faults) is independent of the number of host
// threads.

#ifndef POPULUS_RUNTIME_SESSION_SESSION_H
#define POPULUS_RUNTIME_SESSION_SESSION_H

#include "runtime/Format/Executable.h"
#include "runtime/Format/Verify.h"
#include "runtime/Session/Cycles.h"
#include "runtime/Session/Engine.h"
#include "runtime/Session/Fabric.h"
#include "runtime/Session/InstructionCounts.h"
#include "runtime/Session/WatchOptions.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace populus::runtime {

class HostCalls;
struct RunControl;

/// The run failed: a fault on a tile, an abort, a stream that is not connected.
/// The message is complete (what, where, what to do).
class RunError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

struct SessionOptions {
  /// Host threads; 0: what POPULUS_THREADS says, or as many as there are.
  unsigned threads = 0;
  /// Stop with an error after this many modelled cycles; 0: no limit.
  std::uint64_t maxCycles = 0;
  /// The bits of $FP_CTL that vertices start with, until a program changes
  /// them.
  std::uint32_t floatControl = 0;
  /// Seeds the random number generators of all workers; nothing: as the
  /// machine starts.
  std::optional<std::uint64_t> seed;
  /// The engine that executes IPU code; nothing: the environment variable
  /// POPULUS_ENGINE decides (auto, interpreter, translated), else Engine::Auto.
  std::optional<Engine> engine;
  /// Record cycles step by step for profiles.
  bool recordSteps = false;
  /// Record the cycles of each vertex, too; for the emulator only.
  bool recordVertices = false;
  /// Print tensors in a PrintFormat also where the program names none.
  bool formatPrints = false;
  /// Receives the calls of `trap 1` on a tile (HostCalls.h); null: codelets may
  /// print. Has to outlive the session.
  HostCalls *hostCalls = nullptr;
  /// Follows and ends runs from another thread (RunControl.h); null: nobody
  /// does. Has to outlive the session.
  RunControl *control = nullptr;
  /// Traces, breakpoints, checks; for the emulator only.
  WatchOptions watch;
  /// The processes that share the program's replicas; null: this one runs all.
  /// A session then has only the replicas of its process: tensors, streams,
  /// remote buffers and host functions count from the first one of them.
  Fabric *fabric = nullptr;
};

struct RunStats {
  Cycles cycles;
  double secondsAtClock = 0;
  std::uint64_t bundles = 0;
  /// The bundles of these that ran as host code and not in the interpreter.
  std::uint64_t translatedBundles = 0;
  double hostSeconds = 0;
  /// Mean over slowest tile of compute cycles, weighted by step: 1 is perfect.
  double tileBalance = 0;
  std::string engine; // "auto", "interpreter", "translated", "native"
  unsigned threads = 0;
};

/// One execution of a step by one IPU, for profiles.
struct StepRecord {
  std::uint32_t step = 0;
  Cycles cycles;
  /// The IPU's clock when the step began; the IPU may wait for others first,
  /// which is part of the step's sync cycles.
  std::uint64_t start = 0;
  /// Compute cycles of all tiles together, and bundles that they issued (of a
  /// compute set).
  std::uint64_t tileCycles = 0;
  std::uint64_t bundles = 0;
};

/// All executions of a step by one IPU together.
struct StepTotal {
  std::uint64_t times = 0;
  Cycles cycles;
  std::uint64_t tileCycles = 0; // as in StepRecord
  std::uint64_t bundles = 0;
};

/// One execution of a block, for profiles.
struct BlockRecord {
  std::uint32_t step = 0;
  std::uint64_t begin = 0, end = 0; // of the IPU's clock
};

/// The most executions of steps, and of blocks, that a session keeps one by one
/// for each IPU.
inline constexpr std::size_t MostStepRecords = 1 << 16;

/// The recorded steps of one IPU.
struct IpuProfile {
  /// Executions of steps, all of which are in the totals.
  std::uint64_t executed = 0;
  /// The first of them, at most MostStepRecords, so that the record of a long
  /// run stays bounded.
  std::vector<StepRecord> steps;
  /// The first executions of blocks, by their ends.
  std::vector<BlockRecord> blocks;
  /// By number of the step; shorter where the last ones were not executed.
  std::vector<StepTotal> totals;
};

/// The registers of a context: 0 to 5 workers, 6 the supervisor.
struct ContextState {
  unsigned number = 0;
  std::array<std::uint32_t, 16> m = {};
  std::array<std::uint32_t, 8> a = {};
  std::uint32_t fpStatus = 0;
  std::uint32_t fpControl = 0;
};

/// Fills `bytes` of `buffer` for the next transfer to the device, or takes them
/// from it after a transfer to the host.
using StreamFunction = std::function<void(void *buffer, std::size_t bytes)>;

/// Computes the outputs of a host function from its inputs, each a packed
/// tensor.
using HostFunctionCall = std::function<void(std::span<const void *const> inputs,
                                            std::span<void *const> outputs)>;

/// Stands for all replicas of a program: one function serves them, one after
/// another.
inline constexpr std::uint32_t AllReplicas = ~std::uint32_t(0);

class Session {
public:
  virtual ~Session() = default;

  /// Loads a program. Throws RunError where it cannot run here. One that is not
  /// known to be verified is verified first.
  static std::unique_ptr<Session> create(VerifiedExecutable executable,
                                         const SessionOptions &options = {});
  static std::unique_ptr<Session>
  create(std::shared_ptr<const Executable> executable,
         const SessionOptions &options = {});

  virtual const Executable &executable() const = 0;

  /// Runs executable().programs[program].
  virtual void run(std::uint32_t program) = 0;

  /// `data` holds the tensor's elements in order, packed. `hostTensor` indexes
  /// executable().hostTensors.
  virtual void writeTensor(std::uint32_t hostTensor, const void *data) = 0;
  virtual void readTensor(std::uint32_t hostTensor, void *data) const = 0;

  /// A broadcast stream has one function for all replicas.
  virtual void connectStream(std::uint32_t stream, StreamFunction function,
                             std::uint32_t replica = AllReplicas) = 0;
  virtual void connectHostFunction(std::uint32_t hostFunction,
                                   HostFunctionCall function,
                                   std::uint32_t replica = AllReplicas) = 0;

  /// A row of a remote buffer, packed. Throws RunError where there is none.
  virtual void writeRemoteBuffer(std::uint32_t buffer, std::uint64_t row,
                                 std::uint32_t replica, const void *data) = 0;
  virtual void readRemoteBuffer(std::uint32_t buffer, std::uint64_t row,
                                std::uint32_t replica, void *data) const = 0;

  /// Stops a program with an error, from now on, if it has not been in touch
  /// with the host for more than this many modelled cycles; 0: no limit.
  virtual void setHostTimeout(std::uint64_t cycles) = 0;

  /// The output of Print steps; std::cerr unless set.
  virtual void setPrintStream(std::ostream &out) = 0;

  /// The memory of a tile, which begins at address `begin`.
  struct TileBytes {
    Address begin = 0;
    std::span<const std::byte> bytes;
  };
  virtual TileBytes tileMemory(std::uint32_t tile) const = 0;
  /// The registers of a tile of the emulator; none if it has not run.
  virtual std::vector<ContextState> contexts(std::uint32_t tile) const = 0;

  /// Returns the findings of the checks so far, also in a run that has failed.
  virtual const std::vector<Finding> &findings() const = 0;

  /// Sums since the session was made or reset; without what was executed while
  /// recordSteps() was switched off. Each IPU has a clock of its own: cycles
  /// are those of the IPU whose clock is ahead.
  virtual RunStats stats() const = 0;
  /// The largest clock of all IPUs, unrecorded steps included.
  virtual std::uint64_t clock() const = 0;
  /// The cycles of one IPU.
  virtual Cycles cycles(std::uint32_t ipu) const = 0;
  virtual void resetStats() = 0;
  /// Goes on to record steps, or stops.
  virtual void recordSteps(bool on) = 0;
  /// The steps that an IPU executed while steps were recorded.
  virtual const IpuProfile &recorded(std::uint32_t ipu) const = 0;
  /// Compute cycles by entry of executable().tileVertices, added up over runs;
  /// empty unless steps are recorded.
  virtual const std::vector<std::uint64_t> &tileCycles() const = 0;
  /// Returns the cycles of each vertex's last run, by vertex of the executable;
  /// empty unless they are recorded.
  virtual const std::vector<std::uint64_t> &vertexCycles() const = 0;
  /// Since the session was made or reset; empty unless WatchOptions ask for it.
  virtual const InstructionCounts &instructionCounts() const = 0;
};

} // namespace populus::runtime

#endif
