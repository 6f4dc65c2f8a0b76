// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the steps of a control program cost apart from their vertices:
// exchanges, syncs, transfers from and to the host, and the supervisor's own
// work. A session that runs a program and an estimate that does not count them
// alike by asking here. Nothing takes time on the CPU device.

#ifndef POPULUS_RUNTIME_SESSION_STEPCOST_H
#define POPULUS_RUNTIME_SESSION_STEPCOST_H

#include "runtime/Format/Executable.h"
#include "runtime/Session/Cycles.h"
#include "runtime/Target/TargetInfo.h"

#include <span>

namespace populus::runtime {

/// All results have their totals. The program has to outlive it.
class StepCost {
public:
  explicit StepCost(const Executable &program);

  bool takesTime() const { return program.device != DeviceKind::Cpu; }
  const TargetInfo &target() const { return info; }

  Cycles exchange(const Exchange &exchange) const;
  /// Of tensors that go from or to the host, with the sync before them.
  Cycles transfer(std::span<const std::uint32_t> tensors) const;
  /// \p kind as in StepKind::Sync: 0 within IPUs.
  Cycles sync(std::uint32_t kind) const;
  /// Supervisor code of a few instructions.
  Cycles control() const;

private:
  const Executable &program;
  const TargetInfo info;
};

} // namespace populus::runtime

#endif
