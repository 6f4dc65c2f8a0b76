// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The IPUs that steps of the control program involve: those whose tiles run
// vertices, take part in an exchange or hold a tensor of the step, and for a
// step with bodies those of the bodies. Each step is looked at once.

#ifndef POPULUS_RUNTIME_SESSION_STEPIPUS_H
#define POPULUS_RUNTIME_SESSION_STEPIPUS_H

#include "runtime/Format/Executable.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace populus::runtime {

/// Numbers of IPUs, sorted.
using IpuList = std::vector<std::uint32_t>;

/// The IPUs that hold elements of \p tensors; IPU 0 where none has any.
IpuList ipusOfTensors(const Executable &program,
                      std::span<const std::uint32_t> tensors);

class StepIpus {
public:
  /// \p program has to outlive it.
  explicit StepIpus(const Executable &program);

  /// The IPUs of \p step, its bodies included; IPU 0 where it involves none.
  const IpuList &of(std::uint32_t step);
  const IpuList &all() const { return allIpus; }

private:
  /// The same; empty where the step involves none, so that the empty branch of
  /// a condition adds none to those of the condition.
  const IpuList &involved(std::uint32_t step);
  IpuList find(const Step &step);

  const Executable &program;
  IpuList allIpus;
  std::vector<std::optional<IpuList>> known; // by step
};

} // namespace populus::runtime

#endif
