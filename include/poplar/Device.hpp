// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A device that programs run on: an emulated IPU, a model of one, or the CPU.
// Devices are resources: they can be moved but not copied.

#ifndef POPULUS_INCLUDE_POPLAR_DEVICE_HPP
#define POPULUS_INCLUDE_POPLAR_DEVICE_HPP

#include <poplar/OptionFlags.hpp>
#include <poplar/Target.hpp>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace poplar {

namespace core {
struct DeviceData;
} // namespace core

/// Names of the attributes of a device that programs are known to read.
struct IPUAttributes {
  enum class AttributeId { BoardVariant };
};

class Device {
public:
  /// An invalid device, to be assigned to.
  Device();
  Device(Device &&other) noexcept;
  Device &operator=(Device &&other) noexcept;
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;
  ~Device();

  static Device createCPUDevice(unsigned numIPUs = 1);
  static Device createSimulatorDevice(const Target &target,
                                      const OptionFlags &options = {});

  const Target &getTarget() const;
  unsigned getId() const;
  /// Acquires the device for this process. Returns false if it is in use.
  bool attach() const;
  void detach() const;
  bool isAttached() const;
  bool supportsRemoteBuffers() const;
  std::vector<int> getDriverIDs() const;
  /// Returns the version of libpoplar, which is the emulator's driver.
  void getDriverVersion(unsigned &major, unsigned &minor,
                        unsigned &point) const;
  bool hasGateway() const;
  /// Attributes of the device, with the names that gc-info shows.
  std::map<std::string, std::string> getAttributes() const;
  std::string getAttribute(IPUAttributes::AttributeId attribute) const;
  /// NUMA nodes of the host by IPU. The emulator runs on all nodes.
  std::vector<int> getNumaTopology() const;
  std::vector<int> getNumaNodesUsedForIPUs() const;
  /// Returns the same device with fewer tiles per IPU.
  Device createVirtualDevice(unsigned tilesPerIPU);

private:
  explicit Device(std::shared_ptr<core::DeviceData> data);
  friend struct core::DeviceAccess;

  std::shared_ptr<core::DeviceData> data;
};

} // namespace poplar

#endif
