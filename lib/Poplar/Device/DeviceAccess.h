// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Friend of Target and Device: gives the parts of libpoplar access to the state
// of these two handles. Those of graphs and programs have Graph/Access.h.

#ifndef POPULUS_LIB_POPLAR_DEVICE_DEVICEACCESS_H
#define POPULUS_LIB_POPLAR_DEVICE_DEVICEACCESS_H

#include "lib/Poplar/Device/DeviceData.h"
#include "lib/Poplar/Device/TargetData.h"

#include <poplar/Device.hpp>
#include <poplar/Target.hpp>

#include <memory>
#include <utility>

namespace poplar::core {

struct DeviceAccess {
  static const TargetData &data(const Target &target) { return *target.data; }
  static Target target(std::shared_ptr<const TargetData> data) {
    return Target(std::move(data));
  }

  static const std::shared_ptr<DeviceData> &data(const Device &device) {
    return device.data;
  }
  static Device device(std::shared_ptr<DeviceData> data) {
    return Device(std::move(data));
  }
};

} // namespace poplar::core

#endif
