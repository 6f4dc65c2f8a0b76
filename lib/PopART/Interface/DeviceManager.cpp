// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Machines by kind and options. Sessions reject impossible numbers.

#include "runtime/Target/TargetInfo.h"

#include <popart/devicemanager.hpp>
#include <popart/error.hpp>
#include <poplar/Target.hpp>
#include <poplar/exceptions.hpp>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <ostream>
#include <string_view>
#include <vector>

namespace popart {

namespace {

using Options = std::map<std::string, std::string>;

int numberOption(const Options &options, const std::string &name,
                 int fallback) {
  auto found = options.find(name);
  if (found == options.end())
    return fallback;
  const std::string &text = found->second;
  int value = 0;
  auto [end, problem] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size() || value < 1)
    throw error("the device's option {} has the value '{}', which is not a "
                "positive number",
                name, text);
  return value;
}

int tilesOf(const std::string &name) {
  for (const populus::runtime::TargetInfo &target :
       populus::runtime::allTargets())
    if (target.name == name)
      return static_cast<int>(target.tilesPerIpu);
  throw error("there is no IPU '{}'", name);
}

constexpr std::string_view DeviceOptions[] = {"numIPUs", "tilesPerIPU",
                                              "ipuVersion", "compileIPUCode"};
/// Further options of an offline device. They concern links between IPUs and
/// have no effect.
constexpr std::string_view LinkOptions[] = {"syncPattern", "gatewayMode"};

/// "a, b and c".
std::string enumeration(const std::vector<std::string_view> &names) {
  std::string text;
  for (std::size_t i = 0; i != names.size(); ++i) {
    if (i != 0)
      text += i + 1 == names.size() ? " and " : ", ";
    text += names[i];
  }
  return text;
}

void checkOptions(DeviceType type, const Options &options) {
  std::vector<std::string_view> known(std::begin(DeviceOptions),
                                      std::end(DeviceOptions));
  if (type == DeviceType::OfflineIpu)
    known.insert(known.end(), std::begin(LinkOptions), std::end(LinkOptions));
  for (const auto &entry : options)
    if (std::ranges::find(known, entry.first) == known.end())
      throw error("the device has no option '{}'; it has {}", entry.first,
                  enumeration(known));
}

std::shared_ptr<DeviceInfo> deviceOf(DeviceType type, const Options &options) {
  checkOptions(type, options);
  auto version = options.find("ipuVersion");
  std::string target = version == options.end() ? "ipu2" : version->second;
  tilesOf(target);
  constexpr int SmallModel = 4;
  return std::make_shared<DeviceInfo>(
      0, type, target, numberOption(options, "numIPUs", 1),
      numberOption(options, "tilesPerIPU", SmallModel));
}

/// The emulated IPU, which poplar's environment variables may change.
std::shared_ptr<DeviceInfo> emulatedIpu(int id, int numIpus, int tilesPerIPU) {
  const char *version = std::getenv("POPULUS_IPU_TARGET");
  std::string target = version ? version : "ipu2";
  const char *tiles = std::getenv("POPULUS_TILES_PER_IPU");
  if (tilesPerIPU == 0)
    tilesPerIPU = tiles ? std::atoi(tiles) : tilesOf(target);
  return std::make_shared<DeviceInfo>(id, DeviceType::Ipu, target, numIpus,
                                      tilesPerIPU);
}

constexpr int SystemSizes[] = {1, 2, 4, 8, 16};

} // namespace

std::string DeviceInfo::toString() const {
  return popart_detail::format("{}: {} IPUs of {} tiles", target, numIpus,
                               tilesPerIPU);
}

std::ostream &operator<<(std::ostream &out, const DeviceInfo &device) {
  return out << device.toString();
}

DeviceManager &DeviceManager::createDeviceManager() {
  static DeviceManager manager;
  return manager;
}

std::shared_ptr<DeviceInfo> DeviceManager::createCpuDevice() {
  return std::make_shared<DeviceInfo>(0, DeviceType::Cpu, "cpu", 1, 1);
}

std::shared_ptr<DeviceInfo> DeviceManager::createIpuModelDevice(
    const std::map<std::string, std::string> &options) {
  return deviceOf(DeviceType::IpuModel, options);
}

std::shared_ptr<DeviceInfo> DeviceManager::createSimDevice(
    const std::map<std::string, std::string> &options) {
  return deviceOf(DeviceType::Sim, options);
}

std::shared_ptr<DeviceInfo> DeviceManager::createOfflineIPUDevice(
    const std::map<std::string, std::string> &options) {
  return deviceOf(DeviceType::OfflineIpu, options);
}

std::shared_ptr<DeviceInfo>
DeviceManager::createOfflineIpuFromDeviceInfo(const DeviceInfo &device) {
  return std::make_shared<DeviceInfo>(
      0, DeviceType::OfflineIpu,
      device.getType() == DeviceType::Cpu ? "ipu2" : device.getIpuVersion(),
      device.getNumIpus(), device.getTilesPerIPU());
}

std::shared_ptr<DeviceInfo>
DeviceManager::createOfflineIpuFromSystemString(const std::string &system,
                                                unsigned numIpus) {
  try {
    const poplar::Target target =
        poplar::Target::createIPUTarget(numIpus, system);
    return std::make_shared<DeviceInfo>(
        0, DeviceType::OfflineIpu, target.getTargetArchString(),
        static_cast<int>(numIpus), static_cast<int>(target.getTilesPerIPU()));
  } catch (const poplar::poplar_error &problem) {
    throw error("{}", problem.what());
  }
}

std::shared_ptr<DeviceInfo> DeviceManager::tryAcquireAvailableDevice(
    int numIpus, int tilesPerIPU, SyncPattern pattern,
    DeviceConnectionType connection, DeviceSelectionCriterion) {
  auto devices = enumerateDevices(pattern, numIpus, DeviceType::Ipu, connection,
                                  tilesPerIPU);
  return devices.empty() ? nullptr : devices.front();
}

std::shared_ptr<DeviceInfo> DeviceManager::acquireAvailableDevice(
    int numIpus, int tilesPerIPU, SyncPattern pattern,
    DeviceConnectionType connection, DeviceSelectionCriterion criterion) {
  std::shared_ptr<DeviceInfo> device = tryAcquireAvailableDevice(
      numIpus, tilesPerIPU, pattern, connection, criterion);
  if (!device)
    throw error("there is no device of {} IPUs; emulated ones have 1, 2, 4, 8 "
                "or 16",
                numIpus);
  device->attach();
  return device;
}

std::shared_ptr<DeviceInfo>
DeviceManager::tryAcquireDeviceById(int id, SyncPattern, DeviceConnectionType) {
  if (id < 0 || id >= static_cast<int>(std::size(SystemSizes)))
    return nullptr;
  std::shared_ptr<DeviceInfo> device = emulatedIpu(id, SystemSizes[id], 0);
  device->attach();
  return device;
}

std::shared_ptr<DeviceInfo>
DeviceManager::acquireDeviceById(int id, SyncPattern pattern,
                                 DeviceConnectionType connection) {
  std::shared_ptr<DeviceInfo> device =
      tryAcquireDeviceById(id, pattern, connection);
  if (!device)
    throw error("there is no device {}; ids go from 0 to {}", id,
                std::size(SystemSizes) - 1);
  return device;
}

static constexpr std::pair<const char *, SyncPattern> SyncPatterns[] = {
    {"full", SyncPattern::Full},
    {"singlePipeline", SyncPattern::SinglePipeline},
    {"replicaAndLadder", SyncPattern::ReplicaAndLadder}};

SyncPattern syncPatternFromString(const std::string &pattern) {
  for (const auto &[name, value] : SyncPatterns)
    if (pattern == name)
      return value;
  throw error("there is no sync pattern '{}'; there are full, singlePipeline "
              "and replicaAndLadder",
              pattern);
}

std::string syncPatternToString(SyncPattern pattern) {
  return SyncPatterns[static_cast<int>(pattern)].first;
}

std::vector<std::shared_ptr<DeviceInfo>>
DeviceManager::enumerateDevices(SyncPattern, int numIpus, DeviceType type,
                                DeviceConnectionType, int tilesPerIPU) {
  std::vector<std::shared_ptr<DeviceInfo>> devices;
  if (type == DeviceType::Cpu)
    devices.push_back(createCpuDevice());
  if (type == DeviceType::Ipu)
    for (std::size_t i = 0; i != std::size(SystemSizes); ++i)
      if (SystemSizes[i] == numIpus)
        devices.push_back(
            emulatedIpu(static_cast<int>(i), numIpus, tilesPerIPU));
  return devices;
}

} // namespace popart
