// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device that a test's command line names: cpu, model, ipu, or two of
// them.

#ifndef POPULUS_TEST_POPART_INPUTS_DEVICE_HPP
#define POPULUS_TEST_POPART_INPUTS_DEVICE_HPP

#include <popart/devicemanager.hpp>

inline std::shared_ptr<popart::DeviceInfo> deviceOf(const std::string &kind) {
  auto &manager = popart::DeviceManager::createDeviceManager();
  if (kind == "cpu")
    return manager.createCpuDevice();
  if (kind == "model")
    return manager.createIpuModelDevice({{"tilesPerIPU", "8"}});
  if (kind == "two")
    return manager.acquireAvailableDevice(2, 8);
  return manager.acquireAvailableDevice(1, 8);
}

#endif
