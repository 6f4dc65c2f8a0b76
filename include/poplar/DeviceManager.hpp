// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds devices. There is no hardware: all devices are emulated IPUs, in any
// number.

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
  /// Returns the devices of a type with a number of IPUs. The emulated IPU is
  /// an ipu2. The environment variables POPULUS_IPU_TARGET and
  /// POPULUS_TILES_PER_IPU select another target and number of tiles.
  std::vector<Device> getDevices(TargetType type, unsigned numIPUs,
                                 const OptionFlags &options = {}) const;
  Device getDevice(unsigned id, const OptionFlags &options = {}) const;
  /// Returns the identifiers of the devices of `numIPUs` IPUs each that a
  /// device consists of.
  std::vector<unsigned> getChildDeviceIds(unsigned parentId,
                                          unsigned numIPUs = 1) const;
};

} // namespace poplar

#endif
