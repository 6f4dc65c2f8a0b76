// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The emulator device.

#include "runtime/Session/Device.h"
#include "runtime/Session/Session.h"

namespace populus::runtime {

std::unique_ptr<Device> createEmulator(const Executable &, DeviceMemory &) {
  throw RunError("the emulator is not built yet: compile for the CPU or IPU "
                 "Model device");
}

} // namespace populus::runtime
