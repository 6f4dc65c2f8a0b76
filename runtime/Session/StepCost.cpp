// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prices are those of runtime/Target/Timing.h; here is what a step has to pay,
// and which IPUs pay it. IPUs that exchange data, or that decide together where
// the program goes on, wait for each other; each has a link to the host of its
// own.

#include "runtime/Session/StepCost.h"

#include "runtime/Format/StepKinds.h"
#include "runtime/Session/ExchangePlan.h"
#include "runtime/Session/TensorIo.h"
#include "runtime/Target/Timing.h"

#include <algorithm>
#include <stdexcept>

namespace populus::runtime {

namespace {

/// The IPUs by replica: replica r has the r-th equal share of all IPUs, and an
/// IPU of several replicas is a group. One group where \p replicas do not
/// divide the IPUs.
std::vector<IpuList> byReplica(const IpuList &ipus, std::uint32_t numIpus,
                               std::uint64_t replicas) {
  if (replicas < 2 || (numIpus % replicas != 0 && replicas % numIpus != 0))
    return {ipus};
  const std::uint64_t share = std::max<std::uint64_t>(numIpus / replicas, 1);
  std::vector<IpuList> groups;
  for (std::uint32_t ipu : ipus) {
    if (groups.empty() || groups.back().back() / share != ipu / share)
      groups.emplace_back();
    groups.back().push_back(ipu);
  }
  return groups;
}

/// The same for each of some IPUs, which do not wait for each other.
std::vector<StepPart> each(const IpuList &ipus, const Cycles &spent) {
  std::vector<StepPart> parts;
  for (std::uint32_t ipu : ipus)
    parts.push_back({{ipu}, spent});
  return parts;
}

} // namespace

StepCost::StepCost(const Executable &program)
    : program(program), info(targetOf(program)), ipus(program), io(program),
      transactions(program), known(program.steps.size()) {}

std::span<const StepPart> StepCost::of(std::uint32_t step) {
  std::vector<StepPart> &parts = known[step];
  if (parts.empty()) {
    parts = find(step);
    for (StepPart &part : parts)
      part.spent = takesTime() ? part.spent.addUp() : Cycles();
    if (const StepKind kind = program.steps[step].kind;
        kind != StepKind::Repeat && kind != StepKind::FloatControl &&
        kind != StepKind::FloatRestore)
      io.setClocks(parts, program.steps[step]);
  }
  return parts;
}

std::vector<StepPart> StepCost::find(std::uint32_t index) {
  const Step &step = program.steps[index];
  switch (factsOf(step.kind)->cost) {
  case StepFacts::Free:
    break;
  case StepFacts::OnItsIpus:
    return control(ipus.of(index));
  case StepFacts::OnAllIpus:
    return control(ipus.all());
  case StepFacts::Decision:
    return decision(index);
  case StepFacts::Own:
    return transferOf(index);
  }
  return {};
}

/// Transfers and syncs.
std::vector<StepPart> StepCost::transferOf(std::uint32_t index) {
  const Step &step = program.steps[index];
  switch (step.kind) {
  case StepKind::Exchange:
    return exchange(program.exchanges[step.exchange()]);
  case StepKind::StreamToDevice:
  case StepKind::DeviceToStream:
    return streamCopy(index);
  case StepKind::RemoteToDevice:
  case StepKind::DeviceToRemote: {
    std::vector<std::uint32_t> tensors = step.tensors;
    tensors.push_back(step.tensor);
    return transfer(tensors);
  }
  case StepKind::HostCall:
    return hostCall(step);
  case StepKind::Sync:
    return sync(step.syncClass());
  default:
    break;
  }
  throw std::logic_error("a step without a cost");
}

std::vector<StepPart> StepCost::exchange(const Exchange &exchange) const {
  if (!takesTime())
    return each({0}, {});
  std::vector<StepPart> parts;
  for (ExchangePart &part : partsOf(info, program, exchange)) {
    Cycles cycles;
    cycles.exchange = part.cycles;
    cycles.sync = part.syncCycles;
    parts.push_back({std::move(part.ipus), cycles});
  }
  return parts.empty() ? each({0}, {}) : parts;
}

/// With the sync before it. Data beyond the limit of a transaction goes in
/// further ones, with a sync and a round trip each.
Cycles StepCost::transferTo(std::uint32_t ipu,
                            std::span<const std::uint32_t> tensors) const {
  Cycles cycles;
  cycles.sync = timing::globalSyncCycles(info);
  for (std::uint32_t tensor : tensors) {
    const HostTraffic traffic = hostTrafficOf(program, tensor, ipu);
    if (traffic.bytes != 0 || program.numIpus == 1)
      cycles.host += timing::hostTransferCycles(info, traffic.bytes,
                                                traffic.busiestTileBytes);
    if (traffic.bytes != 0) {
      const std::uint64_t further =
          (traffic.bytes - 1) / timing::MostTransactionBytes;
      cycles.sync += further * timing::globalSyncCycles(info);
      cycles.host += further * timing::hostTransferCycles(info, 0, 0);
    }
  }
  return cycles;
}

/// A copy that continues a transaction takes the time of its data only.
std::vector<StepPart> StepCost::streamCopy(std::uint32_t index) const {
  const std::uint32_t tensor = program.steps[index].tensor;
  std::vector<StepPart> parts = transfer({&tensor, 1});
  for (StepPart &part : parts) {
    const std::uint32_t ipu = part.ipus.front();
    if (!takesTime() || !transactions.continues(index, ipu))
      continue;
    const HostTraffic traffic = hostTrafficOf(program, tensor, ipu);
    part.spent = {};
    part.spent.host =
        timing::hostDataCycles(info, traffic.bytes, traffic.busiestTileBytes);
  }
  return parts;
}

std::vector<StepPart>
StepCost::transfer(std::span<const std::uint32_t> tensors) const {
  if (!takesTime())
    return each({0}, {});
  std::vector<StepPart> parts;
  for (std::uint32_t ipu : ipusOfTensors(program, tensors))
    parts.push_back({{ipu}, transferTo(ipu, tensors)});
  return parts;
}

/// The host computes the results of a replica when it has all arguments.
std::vector<StepPart> StepCost::hostCall(const Step &step) {
  if (!takesTime())
    return each({0}, {});
  std::vector<StepPart> parts;
  for (IpuList &group :
       byReplica(ipusOfTensors(program, step.tensors), program.numIpus,
                 program.hostFunctions[step.hostFunction()].replicas)) {
    Cycles longest;
    for (std::uint32_t ipu : group)
      if (Cycles cycles = transferTo(ipu, step.tensors);
          cycles.addUp().total > longest.total)
        longest = cycles;
    parts.push_back({std::move(group), longest});
  }
  return parts;
}

/// \p kind as in StepKind::Sync: 0 within IPUs.
std::vector<StepPart> StepCost::sync(std::uint32_t kind) const {
  Cycles cycles;
  cycles.sync = kind == 0 ? timing::internalSyncCycles(info)
                          : timing::globalSyncCycles(info);
  if (kind == 0)
    return each(ipus.all(), cycles);
  return {{ipus.all(), cycles}};
}

/// A decision that depends on data: the IPUs of a replica that run the bodies
/// have to agree, for which they meet.
std::vector<StepPart> StepCost::decision(std::uint32_t index) {
  const TensorLayout &tensor = program.tensors[program.steps[index].tensor];
  std::vector<StepPart> parts;
  for (IpuList &group : byReplica(ipus.of(index), program.numIpus,
                                  tensorBytes(tensor) / sizeOf(tensor.type))) {
    Cycles cycles;
    cycles.compute = timing::ControlCycles;
    if (group.size() != 1)
      cycles.sync = timing::globalSyncCycles(info);
    parts.push_back({std::move(group), cycles});
  }
  return parts;
}

/// Supervisor code of a few instructions on each of \p ipus.
std::vector<StepPart> StepCost::control(const IpuList &ipus) const {
  Cycles cycles;
  cycles.compute = timing::ControlCycles;
  return each(ipus, cycles);
}

} // namespace populus::runtime
