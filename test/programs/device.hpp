// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device that a program's first argument names: cpu, model or ipu.

#ifndef POPULUS_TEST_PROGRAMS_DEVICE_HPP
#define POPULUS_TEST_PROGRAMS_DEVICE_HPP

#include <poplar/Device.hpp>
#include <poplar/DeviceManager.hpp>
#include <poplar/IPUModel.hpp>

#include <stdexcept>
#include <string>
#include <utility>

inline poplar::Device getDevice(int argc, char **argv) {
  const std::string kind = argc > 1 ? argv[1] : "";
  if (kind == "cpu")
    return poplar::Device::createCPUDevice();
  if (kind == "model") {
    poplar::IPUModel model;
    model.tilesPerIPU = 8;
    return model.createDevice();
  }
  auto manager = poplar::DeviceManager::createDeviceManager();
  for (auto &device : manager.getDevices(poplar::TargetType::IPU, 1))
    if (device.attach())
      return std::move(device);
  throw std::runtime_error("no device");
}

#endif
