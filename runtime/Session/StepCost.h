// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cost of steps apart from their vertices: exchanges, syncs, transfers from
// and to the host, and the supervisor's own work. A session that runs a program
// and an estimate that does not run it count alike by asking here. Nothing
// takes time on the CPU device.

#ifndef POPULUS_RUNTIME_SESSION_STEPCOST_H
#define POPULUS_RUNTIME_SESSION_STEPCOST_H

#include "runtime/Format/Executable.h"
#include "runtime/Session/Cycles.h"
#include "runtime/Session/HostTransactions.h"
#include "runtime/Session/IoTiles.h"
#include "runtime/Session/StepIpus.h"
#include "runtime/Session/StepPart.h"
#include "runtime/Target/TargetInfo.h"

#include <span>
#include <vector>

namespace populus::runtime {

/// All cycles have their totals. The program has to outlive it.
class StepCost {
public:
  explicit StepCost(const Executable &program);

  bool takesTime() const { return program.device != DeviceKind::Cpu; }
  const TargetInfo &target() const { return info; }
  const IoTiles &ioTiles() const { return io; }

  /// The parts of one execution of \p step. A loop or branch has the parts of
  /// one decision; Execute, whose time depends on its vertices, has none.
  std::span<const StepPart> of(std::uint32_t step);

private:
  std::vector<StepPart> find(std::uint32_t step);
  std::vector<StepPart> transferOf(std::uint32_t step);
  std::vector<StepPart> exchange(const Exchange &exchange) const;
  std::vector<StepPart> streamCopy(std::uint32_t step) const;
  std::vector<StepPart> transfer(std::span<const std::uint32_t> tensors) const;
  std::vector<StepPart> hostCall(const Step &step);
  std::vector<StepPart> sync(std::uint32_t kind) const;
  std::vector<StepPart> decision(std::uint32_t step);
  std::vector<StepPart> control(const IpuList &ipus) const;
  Cycles transferTo(std::uint32_t ipu,
                    std::span<const std::uint32_t> tensors) const;

  const Executable &program;
  const TargetInfo info;
  StepIpus ipus;
  const IoTiles io;
  const HostTransactions transactions;
  std::vector<std::vector<StepPart>> known; // by step, when first asked for
};

} // namespace populus::runtime

#endif
