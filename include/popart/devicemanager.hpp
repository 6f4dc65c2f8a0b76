// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The machines that a session can run on: the emulated IPU, the IPU Model, and
// the CPU.

#ifndef POPULUS_INCLUDE_POPART_DEVICEMANAGER_HPP
#define POPULUS_INCLUDE_POPART_DEVICEMANAGER_HPP

#include <popart/error.hpp>
#include <popart/logging.hpp>
#include <popart/names.hpp>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace popart {

enum class DeviceType { IpuModel = 0, Cpu, Ipu, OfflineIpu, Sim };
enum class DeviceConnectionType { Always = 0, OnDemand, Never };
enum class SyncPattern { Full, SinglePipeline, ReplicaAndLadder };
enum class DeviceSelectionCriterion { First = 0, Random };

/// A machine. Emulated machines are always free.
class DeviceInfo {
public:
  DeviceInfo(int id, DeviceType type, const std::string &target, int numIpus,
             int tilesPerIPU)
      : id(id), type(type), target(target), numIpus(numIpus),
        tilesPerIPU(tilesPerIPU) {}

  bool attach() {
    attached = true;
    return true;
  }
  bool tryAttachUntilTimeout() { return attach(); }
  void detach() { attached = false; }
  bool isAttached() const { return attached; }

  DeviceType getType() const { return type; }
  int getId() const { return id; }
  /// "ipu2"; "cpu" for the CPU.
  std::string getVersion() const { return target; }
  std::string getIpuVersion() const { return target; }
  int getNumIpus() const { return numIpus; }
  int getTilesPerIPU() const { return tilesPerIPU; }
  DeviceConnectionType getConnectionType() const {
    return DeviceConnectionType::Always;
  }
  /// Worker threads of a tile.
  int getNumWorkerContexts() const { return type == DeviceType::Cpu ? 1 : 6; }
  std::vector<int> getDriverIds() const { return std::vector<int>(1, id); }
  std::string toString() const;

private:
  int id;
  DeviceType type;
  std::string target;
  int numIpus, tilesPerIPU;
  bool attached = false;
};

std::ostream &operator<<(std::ostream &out, const DeviceInfo &device);

/// "full", "singlePipeline" and "replicaAndLadder".
SyncPattern syncPatternFromString(const std::string &pattern);
std::string syncPatternToString(SyncPattern pattern);

class DeviceManager {
public:
  static DeviceManager &createDeviceManager();

  std::shared_ptr<DeviceInfo> createCpuDevice();
  /// Options, all of them text: numIPUs (1), tilesPerIPU (4), ipuVersion
  /// ("ipu2"), compileIPUCode (no effect). Others are an error.
  std::shared_ptr<DeviceInfo>
  createIpuModelDevice(const std::map<std::string, std::string> &options);
  /// The emulated IPU, with the same options.
  std::shared_ptr<DeviceInfo>
  createSimDevice(const std::map<std::string, std::string> &options);
  std::shared_ptr<DeviceInfo>
  createOfflineIPUDevice(const std::map<std::string, std::string> &options);
  /// Creates a device like this one.
  std::shared_ptr<DeviceInfo>
  createOfflineIpuFromDeviceInfo(const DeviceInfo &device);
  /// Creates IPUs of a system, named as in poplar::Target::createIPUTarget:
  /// "ipu2", "POD16".
  std::shared_ptr<DeviceInfo>
  createOfflineIpuFromSystemString(const std::string &system, unsigned numIpus);

  /// Acquires an emulated IPU. `tilesPerIPU` 0 means all tiles of an IPU.
  std::shared_ptr<DeviceInfo> acquireAvailableDevice(
      int numIpus = 1, int tilesPerIPU = 0,
      SyncPattern pattern = SyncPattern::Full,
      DeviceConnectionType connection = DeviceConnectionType::Always,
      DeviceSelectionCriterion criterion = DeviceSelectionCriterion::First);
  std::shared_ptr<DeviceInfo> tryAcquireAvailableDevice(
      int numIpus = 1, int tilesPerIPU = 0,
      SyncPattern pattern = SyncPattern::Full,
      DeviceConnectionType connection = DeviceConnectionType::Always,
      DeviceSelectionCriterion criterion = DeviceSelectionCriterion::First);
  /// Acquires a device by its index in enumerateDevices().
  std::shared_ptr<DeviceInfo> acquireDeviceById(
      int id, SyncPattern pattern = SyncPattern::Full,
      DeviceConnectionType connection = DeviceConnectionType::Always);

  /// Returns null if there is no such device.
  std::shared_ptr<DeviceInfo> tryAcquireDeviceById(
      int id, SyncPattern pattern = SyncPattern::Full,
      DeviceConnectionType connection = DeviceConnectionType::Always);
  /// Ignored: emulated devices are always free.
  void setOnDemandAttachTimeout(unsigned) {}

  std::vector<std::shared_ptr<DeviceInfo>> enumerateDevices(
      SyncPattern pattern = SyncPattern::Full, int numIpus = 1,
      DeviceType type = DeviceType::Ipu,
      DeviceConnectionType connection = DeviceConnectionType::Always,
      int tilesPerIPU = 0);
};

} // namespace popart

#endif
