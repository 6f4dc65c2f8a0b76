// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A session's parts: what one run of an executable keeps, and the functions
// that its sources share. Session.cpp walks the control program and runs
// compute sets and exchanges; Branches.cpp follows decisions, HostTraffic.cpp
// moves data between the device and the host. Private to this folder.

#ifndef POPULUS_RUNTIME_SESSION_SESSIONIMPL_H
#define POPULUS_RUNTIME_SESSION_SESSIONIMPL_H

#include "runtime/Session/CycleAccount.h"
#include "runtime/Session/Device.h"
#include "runtime/Session/DeviceMemory.h"
#include "runtime/Session/Distribution.h"
#include "runtime/Session/ExchangeCopies.h"
#include "runtime/Session/RemoteMemory.h"
#include "runtime/Session/ReplicaSet.h"
#include "runtime/Session/Session.h"
#include "runtime/Session/StepCost.h"
#include "runtime/Session/TensorNames.h"
#include "runtime/Session/WorkerPool.h"

#include <cstring>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace populus::runtime {

/// The ends of the last transfers from and to a remote buffer. IPUs have clocks
/// of their own, so a later access waits until these have passed.
struct RemoteTimes {
  std::uint64_t read = 0;
  std::uint64_t written = 0;
};

class SessionImpl : public Session {
public:
  SessionImpl(std::shared_ptr<const Executable> program,
              const SessionOptions &options);

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
    std::memcpy(remote.row(buffer, row, replicaOf(buffer, replica)), data,
                remote.rowBytes(buffer));
  }
  void readRemoteBuffer(std::uint32_t buffer, std::uint64_t row,
                        std::uint32_t replica, void *data) const override {
    std::memcpy(data, remote.row(buffer, row, replicaOf(buffer, replica)),
                remote.rowBytes(buffer));
  }
  void setHostTimeout(std::uint64_t cycles) override {
    account.setHostTimeout(cycles);
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
  std::uint64_t clock() const override { return account.now(); }
  Cycles cycles(std::uint32_t ipu) const override {
    return account.cycles(ipu);
  }
  void resetStats() override;
  void recordSteps(bool on) override;
  const IpuProfile &recorded(std::uint32_t ipu) const override {
    return account.recorded(ipu);
  }
  const std::vector<std::uint64_t> &tileCycles() const override {
    return cyclesByTile;
  }
  const InstructionCounts &instructionCounts() const override;
  const std::vector<std::uint64_t> &vertexCycles() const override {
    return device->vertexCycles();
  }

private:
  void runStep(std::uint32_t index);
  void doStep(std::uint32_t index);
  void meetControl(std::uint32_t index, RunControl &control) const;
  void runChild(const Step &step, std::size_t child);
  void addStep(std::uint32_t index) { account.addStep(index, partsOf(index)); }
  void runSequence(std::uint32_t index, const Step &step);
  void repeatWhile(std::uint32_t index, const Step &step);
  void runIf(std::uint32_t index);
  void switchTo(std::uint32_t index);

  void execute(std::uint32_t step, const ComputeSet &computeSet);
  [[noreturn]] void throwFault(const ComputeSet &computeSet, std::uint32_t tile,
                               FaultReport fault) const;
  void takeFindings(const ComputeSet &computeSet);
  void noteWritten(std::uint32_t tensor);
  RemoteTimes &remoteTimesOf(std::uint32_t buffer, std::uint32_t ipu);
  void addWork(std::uint32_t step, std::span<const TileVertices> tiles);
  void exchange(std::uint32_t index, std::uint32_t step);
  void streamToDevice(const Step &step);
  void deviceToStream(const Step &step);
  void remoteCopy(std::uint32_t index, const Step &step);
  void hostCall(const Step &step);
  void setFloatControl(const Step &step);
  void moveSeeds(const Step &step);
  void printStep(const Step &step);
  void stampCycles(std::uint32_t index, const Step &step);

  StreamFunction &connected(std::uint32_t stream, std::uint32_t replica);
  /// The elements that this process holds; others are not set.
  std::vector<std::byte> read(std::uint32_t tensor) const;
  /// All elements. All processes have to call it at the same step.
  std::vector<std::byte> readAll(std::uint32_t tensor);
  /// Writes the elements that this process holds, of replicas that run.
  void write(std::uint32_t tensor, const void *data);
  void writeActive(std::uint32_t tensor, const std::byte *data);

  [[noreturn]] void refuseBranch(const std::string &what) const;
  template <typename Take> void forEachElement(std::uint32_t tensor, Take take);
  template <typename Choose> void branch(std::uint32_t index, Choose choose);
  ReplicaSet replicasOf(std::uint32_t tensor,
                        const std::vector<bool> &members) const;
  void requireFloatControl(std::uint32_t before) const;
  bool runsTile(std::uint32_t tile) const {
    return !active || active->hasTile(tile);
  }
  bool runsReplica(std::uint32_t replica, std::uint32_t replicas,
                   const std::string &what) const;
  bool runsTensor(std::uint32_t tensor) const;
  std::span<const StepPart> partsOf(std::uint32_t index);
  void exchangeWithin(std::uint32_t index);
  bool anySet(std::uint32_t tensor);
  std::int32_t control(std::uint32_t tensor);
  /// A decision of the control program, whose step is \p index, that depends
  /// on data.
  void decide(std::uint32_t index) {
    distribution.meet(index, account);
    account.addDecision(partsOf(index));
  }
  std::size_t shareBegin(std::uint32_t tensor) const;
  /// The number, among all replicas, of one of this process.
  std::uint32_t replicaOf(std::uint32_t buffer, std::uint32_t replica) const;
  std::uint32_t ipuOf(std::uint32_t tile) const {
    return tile / program->tilesPerIpu;
  }

  std::shared_ptr<const Executable> program;
  const SessionOptions options;
  StepCost costs;
  Distribution distribution;
  DeviceMemory memory;
  RemoteMemory remote;
  WorkerPool pool;
  std::unique_ptr<Device> device;
  std::vector<std::vector<StreamFunction>> streams; // by replica
  std::vector<std::vector<HostFunctionCall>> hostFunctions;
  /// By exchange, when first needed.
  std::vector<std::unique_ptr<const ExchangeCopies>> exchangeCopies;
  std::vector<std::vector<RemoteTimes>> remoteTimes; // by buffer and replica
  std::ostream *print = &std::cerr;

  /// The replicas that run the present step; none: all.
  std::optional<ReplicaSet> active;
  std::vector<StepPart> activeParts; // of the present step
  std::uint32_t floatControl;
  CycleAccount account;
  double hostSeconds = 0;
  std::vector<TileRun> runs;               // of the compute set that runs
  std::vector<StepPart> workParts;         // of the same, by IPU
  std::vector<std::uint64_t> cyclesByTile; // by tileVertices, if recorded
  std::optional<TensorNames> tensorNames;  // since the first finding
  std::vector<Finding> found;
  std::map<std::string, std::size_t> foundByKey; // indices into `found`
};

} // namespace populus::runtime

#endif
