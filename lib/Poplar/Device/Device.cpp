// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Devices: the device manager's emulated IPUs, the IPU Model, and the CPU. A
// device is little more than a target, since each Engine makes its own machine.
// So attaching never fails.

#include "lib/Poplar/Device/DeviceData.h"

#include "lib/Poplar/Device/DeviceAccess.h"
#include "lib/Poplar/Device/TargetData.h"

#include <poplar/DeviceManager.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace poplar {

using core::DeviceAccess;
using core::DeviceData;
using core::TargetData;

namespace {

constexpr const char *DefaultTarget = "ipu2";
constexpr unsigned ListedSizes[] = {1, 2, 4, 8, 16};

Device makeDevice(Target target, unsigned id) {
  return DeviceAccess::device(
      std::make_shared<DeviceData>(DeviceData{std::move(target), id, false}));
}

/// A number from 1 to `most` in the environment; 0 if there is none.
unsigned numberFromEnvironment(const char *variable, unsigned long most) {
  const char *text = std::getenv(variable);
  if (!text || !*text)
    return 0;
  char *end = nullptr;
  const unsigned long number = std::strtoul(text, &end, 10);
  if (*end || number == 0 || number > most)
    throw invalid_machine_model(std::string(variable) + " is '" + text +
                                "', but must be a number from 1 to " +
                                std::to_string(most));
  return static_cast<unsigned>(number);
}

/// The emulated IPU, as the environment may change it.
Target emulatedTarget(unsigned numIPUs, const OptionFlags &options) {
  const char *name = std::getenv("POPULUS_IPU_TARGET");
  if (!name || !*name)
    name = DefaultTarget;
  const unsigned tiles = numberFromEnvironment("POPULUS_TILES_PER_IPU", 4096);
  return tiles == 0 ? Target::createIPUTarget(numIPUs, name, options)
                    : Target::createIPUTarget(numIPUs, tiles, name, options);
}

/// Returns true if the machine has that many IPUs. POPULUS_NUM_IPUS limits
/// them.
bool hasIpus(unsigned number) {
  const unsigned most = numberFromEnvironment("POPULUS_NUM_IPUS", 1024);
  return most == 0 || number <= most;
}

const DeviceData &dataOf(const std::shared_ptr<DeviceData> &data) {
  if (!data)
    throw poplar_error("a device is used that was never assigned; get one from "
                       "DeviceManager, IPUModel or Device::createCPUDevice");
  return *data;
}

} // namespace

Device::Device() = default;
Device::Device(Device &&other) noexcept = default;
Device &Device::operator=(Device &&other) noexcept = default;
Device::~Device() = default;
Device::Device(std::shared_ptr<DeviceData> data) : data(std::move(data)) {}

Device Device::createCPUDevice(unsigned numIPUs) {
  if (numIPUs == 0)
    throw invalid_machine_model("a device needs at least one IPU");
  return makeDevice(Target::createCPUTarget(false, numIPUs), 0);
}
Device Device::createSimulatorDevice(const Target &target,
                                     const OptionFlags &) {
  return makeDevice(target, 0);
}

const Target &Device::getTarget() const { return dataOf(data).target; }
unsigned Device::getId() const { return dataOf(data).id; }
bool Device::attach() const {
  dataOf(data);
  data->attached = true;
  return true;
}
void Device::detach() const {
  dataOf(data);
  data->attached = false;
}
bool Device::isAttached() const { return dataOf(data).attached; }
bool Device::supportsRemoteBuffers() const {
  dataOf(data);
  return true;
}
std::vector<int> Device::getDriverIDs() const {
  return {static_cast<int>(getId())};
}
void Device::getDriverVersion(unsigned &major, unsigned &minor,
                              unsigned &point) const {
  dataOf(data);
  const std::string version = versionString();
  std::sscanf(version.c_str(), "%u.%u.%u", &major, &minor, &point);
}
bool Device::hasGateway() const {
  return getTarget().getTargetType() == TargetType::IPU &&
         getTarget().getGatewayMode();
}
std::map<std::string, std::string> Device::getAttributes() const {
  const Target &target = getTarget();
  const auto megahertz =
      static_cast<unsigned>(target.getTileClockFrequency() / 1e6);
  return {{"id", std::to_string(getId())},
          {"board type", "emulated"},
          {"clock", std::to_string(megahertz) + "MHz"},
          {"driver version", versionString()},
          {"ipu architecture", target.getTargetArchString()},
          {"ipu count", std::to_string(target.getNumIPUs())},
          {"numa node", "0"},
          {"remote buffers supported", supportsRemoteBuffers() ? "1" : "0"},
          {"tiles per ipu", std::to_string(target.getTilesPerIPU())}};
}
std::string Device::getAttribute(IPUAttributes::AttributeId attribute) const {
  switch (attribute) {
  case IPUAttributes::AttributeId::BoardVariant:
    return getAttributes().at("board type");
  }
  throw poplar_error("a device has no attribute with the number " +
                     std::to_string(static_cast<int>(attribute)));
}
std::vector<int> Device::getNumaTopology() const {
  return std::vector<int>(getTarget().getNumIPUs(), 0);
}
std::vector<int> Device::getNumaNodesUsedForIPUs() const {
  return getNumaTopology();
}
Device Device::createVirtualDevice(unsigned tilesPerIPU) {
  const Target &target = getTarget();
  if (tilesPerIPU == 0 || tilesPerIPU > target.getTilesPerIPU())
    throw invalid_machine_model(
        "a virtual device with " + std::to_string(tilesPerIPU) +
        " tiles of each IPU cannot be made of a device with " +
        std::to_string(target.getTilesPerIPU()));
  return makeDevice(
      target.createVirtualTarget(target.getNumIPUs(), tilesPerIPU), getId());
}

DeviceManager::DeviceManager() = default;
DeviceManager DeviceManager::createDeviceManager() { return DeviceManager(); }

std::size_t DeviceManager::getNumDevices() const {
  return std::count_if(std::begin(ListedSizes), std::end(ListedSizes), hasIpus);
}

std::vector<Device>
DeviceManager::getDevices(const OptionFlags &options) const {
  std::vector<Device> devices;
  for (unsigned id = 0; id != getNumDevices(); ++id)
    devices.push_back(getDevice(id, options));
  return devices;
}

std::vector<Device>
DeviceManager::getDevices(TargetType type, unsigned numIPUs,
                          const OptionFlags &options) const {
  std::vector<Device> devices;
  if (numIPUs == 0)
    return devices;
  if (type == TargetType::CPU) {
    devices.push_back(Device::createCPUDevice(numIPUs));
  } else if (type == TargetType::IPU_MODEL) {
    IPUModel model;
    model.numIPUs = numIPUs;
    devices.push_back(model.createDevice(options));
  } else if (hasIpus(numIPUs)) {
    // Sizes that are not listed follow those that are.
    const auto *listed =
        std::find(std::begin(ListedSizes), std::end(ListedSizes), numIPUs);
    const unsigned id =
        listed != std::end(ListedSizes)
            ? static_cast<unsigned>(listed - std::begin(ListedSizes))
            : static_cast<unsigned>(std::size(ListedSizes)) + numIPUs;
    devices.push_back(makeDevice(emulatedTarget(numIPUs, options), id));
  }
  return devices;
}

Device DeviceManager::getDevice(unsigned id, const OptionFlags &options) const {
  const unsigned listed = std::size(ListedSizes);
  const unsigned numIPUs = id < listed ? ListedSizes[id] : id - listed;
  if (id == listed || !hasIpus(numIPUs))
    throw poplar_error("there is no device " + std::to_string(id));
  return makeDevice(emulatedTarget(numIPUs, options), id);
}

std::vector<unsigned> DeviceManager::getChildDeviceIds(unsigned parentId,
                                                       unsigned numIPUs) const {
  const unsigned all = getDevice(parentId).getTarget().getNumIPUs();
  if (numIPUs == 0 || numIPUs > all)
    return {};
  const std::vector<Device> children = getDevices(TargetType::IPU, numIPUs);
  return std::vector<unsigned>(all / numIPUs, children.at(0).getId());
}

} // namespace poplar
