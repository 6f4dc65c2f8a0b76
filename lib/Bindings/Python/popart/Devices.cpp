// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The machines that a session can run on. Options may be of any type that has a
// text; devices are context managers, which attach and detach.

#include "lib/Bindings/Python/popart/Bindings.h"

#include <popart/devicemanager.hpp>
#include <popart/error.hpp>

#include <pybind11/stl.h>

namespace py = pybind11;
using namespace popart;

namespace populus::python {

namespace {

std::map<std::string, std::string> texts(const py::dict &options) {
  std::map<std::string, std::string> result;
  for (const auto &entry : options)
    result[py::str(entry.first)] = py::str(entry.second);
  return result;
}

void bindEnums(py::module_ &module) {
  py::enum_<DeviceType>(module, "DeviceType")
      .value("IpuModel", DeviceType::IpuModel)
      .value("Cpu", DeviceType::Cpu)
      .value("Ipu", DeviceType::Ipu)
      .value("OfflineIpu", DeviceType::OfflineIpu)
      .value("Sim", DeviceType::Sim);
  py::enum_<DeviceConnectionType>(module, "DeviceConnectionType")
      .value("Always", DeviceConnectionType::Always)
      .value("OnDemand", DeviceConnectionType::OnDemand)
      .value("Never", DeviceConnectionType::Never);
  py::enum_<SyncPattern>(module, "SyncPattern")
      .value("Full", SyncPattern::Full)
      .value("SinglePipeline", SyncPattern::SinglePipeline)
      .value("PingPong", SyncPattern::ReplicaAndLadder)
      .value("ReplicaAndLadder", SyncPattern::ReplicaAndLadder);
  py::enum_<DeviceSelectionCriterion>(module, "DeviceSelectionCriterion")
      .value("First", DeviceSelectionCriterion::First)
      .value("Random", DeviceSelectionCriterion::Random);
}

} // namespace

void bindDevices(py::module_ &module) {
  bindEnums(module);
  py::class_<DeviceInfo, std::shared_ptr<DeviceInfo>>(module, "DeviceInfo")
      .def("attach", &DeviceInfo::attach)
      .def("tryAttachUntilTimeout", &DeviceInfo::tryAttachUntilTimeout)
      .def("detach", &DeviceInfo::detach)
      .def_property_readonly("type", &DeviceInfo::getType)
      .def_property_readonly("connectionType", &DeviceInfo::getConnectionType)
      .def_property_readonly("version", &DeviceInfo::getVersion)
      .def_property_readonly("ipuVersion", &DeviceInfo::getIpuVersion)
      .def_property_readonly("id", &DeviceInfo::getId)
      .def_property_readonly("numIpus", &DeviceInfo::getNumIpus)
      .def_property_readonly("tilesPerIPU", &DeviceInfo::getTilesPerIPU)
      .def_property_readonly("tilesPerIpu", &DeviceInfo::getTilesPerIPU)
      .def_property_readonly("numWorkerContexts",
                             &DeviceInfo::getNumWorkerContexts)
      .def_property_readonly("driverIds", &DeviceInfo::getDriverIds)
      .def_property_readonly("isAttached", &DeviceInfo::isAttached)
      .def("__enter__",
           [](const std::shared_ptr<DeviceInfo> &device) {
             device->attach();
             return device;
           })
      .def("__exit__",
           [](DeviceInfo &device, const py::args &) { device.detach(); })
      .def("__repr__", &DeviceInfo::toString);

  py::class_<DeviceManager, std::unique_ptr<DeviceManager, py::nodelete>>(
      module, "DeviceManager")
      .def(py::init([] { return &DeviceManager::createDeviceManager(); }))
      .def("createCpuDevice", &DeviceManager::createCpuDevice)
      .def(
          "createIpuModelDevice",
          [](DeviceManager &manager, const py::dict &options) {
            return manager.createIpuModelDevice(texts(options));
          },
          py::arg("opts"))
      .def(
          "createSimDevice",
          [](DeviceManager &manager, const py::dict &options) {
            return manager.createSimDevice(texts(options));
          },
          py::arg("opts"))
      .def(
          "createOfflineIPUDevice",
          [](DeviceManager &manager, const py::dict &options) {
            return manager.createOfflineIPUDevice(texts(options));
          },
          py::arg("opts"))
      .def("createOfflineIpuFromDeviceInfo",
           &DeviceManager::createOfflineIpuFromDeviceInfo,
           py::arg("deviceInfo"))
      .def("createOfflineIpuFromSystemString",
           &DeviceManager::createOfflineIpuFromSystemString, py::arg("system"),
           py::arg("numIpus"))
      .def("acquireAvailableDevice", &DeviceManager::acquireAvailableDevice,
           py::arg("numIpus") = 1, py::arg("tilesPerIpu") = 0,
           py::arg("pattern") = SyncPattern::Full,
           py::arg("connectionType") = DeviceConnectionType::Always,
           py::arg("selectionCriterion") = DeviceSelectionCriterion::First)
      .def("tryAcquireAvailableDevice",
           &DeviceManager::tryAcquireAvailableDevice, py::arg("numIpus") = 1,
           py::arg("tilesPerIpu") = 0, py::arg("pattern") = SyncPattern::Full,
           py::arg("connectionType") = DeviceConnectionType::Always,
           py::arg("selectionCriterion") = DeviceSelectionCriterion::First)
      .def("acquireDeviceById", &DeviceManager::acquireDeviceById,
           py::arg("id"), py::arg("pattern") = SyncPattern::Full,
           py::arg("connectionType") = DeviceConnectionType::Always)
      .def("tryAcquireDeviceById", &DeviceManager::tryAcquireDeviceById,
           py::arg("id"), py::arg("pattern") = SyncPattern::Full,
           py::arg("connectionType") = DeviceConnectionType::Always)
      .def("setOnDemandAttachTimeout", &DeviceManager::setOnDemandAttachTimeout,
           py::arg("attachTimeout"))
      .def("enumerateDevices", &DeviceManager::enumerateDevices,
           py::arg("pattern") = SyncPattern::Full, py::arg("numIpus") = 1,
           py::arg("deviceType") = DeviceType::Ipu,
           py::arg("connectionType") = DeviceConnectionType::Always,
           py::arg("tilesPerIPU") = 0);
  module.def("syncPatternFromString", &syncPatternFromString,
             py::arg("pattern"));
  module.def("syncPatternToString", &syncPatternToString, py::arg("pattern"));
}

} // namespace populus::python
