// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds devices. There is no hardware: what is found are emulated IPUs, as many
// of them as are asked for.

#ifndef POPULUS_INCLUDE_POPLAR_DEVICEMANAGER_HPP
#define POPULUS_INCLUDE_POPLAR_DEVICEMANAGER_HPP

#include <poplar/Device.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/TargetType.hpp>

#include <cstddef>
#include <vector>

namespace poplar {

class DeviceManager {
public:
  DeviceManager();
  static DeviceManager createDeviceManager();

  std::size_t getNumDevices() const;
  /// All devices: emulated systems of 1, 2, 4, 8 and 16 IPUs.
  std::vector<Device> getDevices(const OptionFlags &options = {}) const;
  /// The devices of a type with a number of IPUs. The emulated IPU is an ipu2;
  /// the environment variables POPULUS_IPU_TARGET and POPULUS_TILES_PER_IPU
  /// make it another.
  std::vector<Device> getDevices(TargetType type, unsigned numIPUs,
                                 const OptionFlags &options = {}) const;
  Device getDevice(unsigned id, const OptionFlags &options = {}) const;
  /// The smaller devices, of `numIPUs` each, that a device is made of: those
  /// that the list of devices has.
  std::vector<unsigned> getChildDeviceIds(unsigned parentId,
                                          unsigned numIPUs = 1) const;
};

} // namespace poplar

#endif
