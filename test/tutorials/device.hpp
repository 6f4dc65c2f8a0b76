// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The three ways in which a tutorial gets its device, chosen when it is
// compiled: the IPU Model as the user guide begins, -DUSE_IPU for the change
// that its section "Using the IPU" makes, -DUSE_CPU for the host. Each tutorial
// is otherwise the guide's text.

#ifndef POPULUS_TEST_TUTORIALS_DEVICE_HPP
#define POPULUS_TEST_TUTORIALS_DEVICE_HPP

#include <poplar/Device.hpp>
#include <poplar/DeviceManager.hpp>
#include <poplar/IPUModel.hpp>

#include <cstdlib>
#include <iostream>
#include <utility>

/// `modelVersion` is the IPU that the IPU Model stands for; null: its default.
inline poplar::Device getTutorialDevice(const char *modelVersion = nullptr) {
#if defined(USE_IPU)
  (void)modelVersion;
  poplar::DeviceManager manager = poplar::DeviceManager::createDeviceManager();
  poplar::Device device;
  bool success = false;
  // Break the loop when an IPU is successfully acquired.
  for (auto &hwDevice : manager.getDevices(poplar::TargetType::IPU, 1)) {
    device = std::move(hwDevice);
    std::cerr << "Trying to attach to IPU " << device.getId() << std::endl;
    if ((success = device.attach())) {
      std::cerr << "Attached to IPU " << device.getId() << std::endl;
      break;
    }
  }
  if (!success) {
    std::cerr << "Error attaching to device" << std::endl;
    std::exit(1);
  }
  return device;
#elif defined(USE_CPU)
  (void)modelVersion;
  return poplar::Device::createCPUDevice();
#else
  poplar::IPUModel ipuModel(modelVersion);
  return ipuModel.createDevice();
#endif
}

#endif
