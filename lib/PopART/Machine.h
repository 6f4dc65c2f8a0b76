// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The machine that a program is compiled for, as users name it.

#ifndef POPULUS_LIB_POPART_MACHINE_H
#define POPULUS_LIB_POPART_MACHINE_H

#include "runtime/Target/TargetInfo.h"

#include <poplar/Device.hpp>
#include <poplar/Target.hpp>

#include <string>

namespace populus::popir {

/// Loaders refuse machines that are larger than any that there is.
constexpr unsigned MostIpus = 128;

/// The machine, and how programs run on it.
struct MachineOptions {
  /// "ipu1", "ipu2", "ipu21" or "cpu".
  std::string target = "ipu2";
  /// "ipu" (the emulator), "ipu-model" or "cpu".
  std::string device = "ipu";
  unsigned numIpus = 1;
  /// Tiles per IPU; 0: as many as the target has.
  unsigned tilesPerIpu = 0;
};

/// The target of that name. An unknown name is a usage Error.
const runtime::TargetInfo &findTarget(const std::string &name);

/// The target of a machine. An impossible machine is a usage Error.
poplar::Target makeTarget(const MachineOptions &machine);
/// A device of that target, to load programs onto.
poplar::Device makeDevice(const MachineOptions &machine);

} // namespace populus::popir

#endif
