// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// State of a poplar::Device.

#ifndef POPULUS_LIB_POPLAR_DEVICE_DEVICEDATA_H
#define POPULUS_LIB_POPLAR_DEVICE_DEVICEDATA_H

#include <poplar/Target.hpp>

namespace poplar::core {

struct DeviceData {
  Target target;
  unsigned id = 0;
  bool attached = false;
};

} // namespace poplar::core

#endif
