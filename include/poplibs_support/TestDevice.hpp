// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Devices for tests that run on whatever TEST_TARGET names, which is one of the
// enumerators below: -DTEST_TARGET=poplibs_support::DeviceType::IpuModel2. In a
// test of Boost that defines TEST_WITH_TARGET it is a variable, which the
// command line sets: ./test -- --device-type=IpuModel2.

#ifndef POPULUS_POPLIBS_SUPPORT_TESTDEVICE_HPP
#define POPULUS_POPLIBS_SUPPORT_TESTDEVICE_HPP

#include <poplar/Device.hpp>
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>

#include <istream>
#include <ostream>
#include <stdexcept>
#include <string>
#include <utility>

namespace poplibs_support {

enum class DeviceType {
  Cpu,
  /// Emulated IPUs of a size that the test chooses.
  Sim1,
  Sim2,
  Sim21,
  /// The emulated IPU as it is found.
  Hw,
  IpuModel1,
  IpuModel2,
  IpuModel21
};

namespace populus_devices {

struct DeviceTypeName {
  DeviceType type;
  const char *name;
  const char *target;
};

inline const DeviceTypeName *deviceTypeNames() {
  static const DeviceTypeName names[] = {
      {DeviceType::Cpu, "Cpu", "cpu"},
      {DeviceType::Sim1, "Sim1", "ipu1"},
      {DeviceType::Sim2, "Sim2", "ipu2"},
      {DeviceType::Sim21, "Sim21", "ipu21"},
      {DeviceType::Hw, "Hw", ""},
      {DeviceType::IpuModel1, "IpuModel1", "ipu1"},
      {DeviceType::IpuModel2, "IpuModel2", "ipu2"},
      {DeviceType::IpuModel21, "IpuModel21", "ipu21"},
  };
  return names;
}
constexpr unsigned NumDeviceTypes = 8;

inline const DeviceTypeName &nameOf(DeviceType type) {
  return deviceTypeNames()[static_cast<unsigned>(type)];
}

} // namespace populus_devices

constexpr bool isSimulator(DeviceType type) {
  return type == DeviceType::Sim1 || type == DeviceType::Sim2 ||
         type == DeviceType::Sim21;
}
constexpr bool isIpuModel(DeviceType type) {
  return type == DeviceType::IpuModel1 || type == DeviceType::IpuModel2 ||
         type == DeviceType::IpuModel21;
}
constexpr bool isHw(DeviceType type) { return type == DeviceType::Hw; }

inline const char *asString(DeviceType type) {
  return populus_devices::nameOf(type).name;
}
inline std::ostream &operator<<(std::ostream &out, DeviceType type) {
  return out << asString(type);
}
/// A name that is none sets the stream's failbit.
inline std::istream &operator>>(std::istream &in, DeviceType &type) {
  std::string name;
  in >> name;
  for (unsigned i = 0; i != populus_devices::NumDeviceTypes; ++i)
    if (name == populus_devices::deviceTypeNames()[i].name) {
      type = populus_devices::deviceTypeNames()[i].type;
      return in;
    }
  in.setstate(std::ios::failbit);
  return in;
}

/// A device that is attached while a test uses it.
class TestDevice {
public:
  explicit TestDevice(poplar::Device device) : device(std::move(device)) {}

  const poplar::Target &getTarget() const { return device.getTarget(); }
  /// Calls use(device).
  template <typename Use> void bind(const Use &use) {
    const bool attached = device.attach();
    if (!attached)
      throw std::runtime_error("the test's device is in use");
    try {
      use(static_cast<const poplar::Device &>(device));
    } catch (...) {
      device.detach();
      throw;
    }
    device.detach();
  }

private:
  poplar::Device device;
};

/// Stands for all tiles that IPUs of that kind have.
constexpr unsigned DeviceTypeDefaultTiles = 0;

inline TestDevice
createTestDeviceFullSize(DeviceType type, unsigned numIPUs = 1,
                         bool compileIPUCode = false,
                         const poplar::OptionFlags &options = {});

/// A device of \p numIPUs with \p tilesPerIPU tiles; the CPU has one.
inline TestDevice createTestDevice(DeviceType type, unsigned numIPUs = 1,
                                   unsigned tilesPerIPU = 1,
                                   bool compileIPUCode = false,
                                   const poplar::OptionFlags &options = {}) {
  if (type == DeviceType::Cpu)
    return TestDevice(poplar::Device::createCPUDevice());
  if (tilesPerIPU == DeviceTypeDefaultTiles)
    return createTestDeviceFullSize(type, numIPUs, compileIPUCode, options);
  if (isSimulator(type))
    return TestDevice(poplar::Device::createSimulatorDevice(
        poplar::Target::createIPUTarget(numIPUs, tilesPerIPU,
                                        populus_devices::nameOf(type).target,
                                        options)));
  if (isIpuModel(type)) {
    poplar::IPUModel model(populus_devices::nameOf(type).target);
    model.numIPUs = numIPUs;
    model.tilesPerIPU = tilesPerIPU;
    model.compileIPUCode = compileIPUCode;
    return TestDevice(model.createDevice(options));
  }
  poplar::DeviceManager manager = poplar::DeviceManager::createDeviceManager();
  for (poplar::Device &device :
       manager.getDevices(poplar::TargetType::IPU, numIPUs, options))
    return TestDevice(device.createVirtualDevice(tilesPerIPU));
  throw std::runtime_error("there is no device with " +
                           std::to_string(numIPUs) + " IPUs");
}

/// The same with all tiles that IPUs of that kind have.
inline TestDevice createTestDeviceFullSize(DeviceType type, unsigned numIPUs,
                                           bool compileIPUCode,
                                           const poplar::OptionFlags &options) {
  unsigned tiles = 1;
  if (isHw(type))
    tiles = poplar::DeviceManager::createDeviceManager()
                .getDevice(0)
                .getTarget()
                .getTilesPerIPU();
  else if (type != DeviceType::Cpu)
    tiles = poplar::IPUModel(populus_devices::nameOf(type).target).tilesPerIPU;
  return createTestDevice(type, numIPUs, tiles, compileIPUCode, options);
}

} // namespace poplibs_support

// Tests name it without its namespace.
using poplibs_support::DeviceType;

#ifdef TEST_WITH_TARGET
#include <boost/test/unit_test.hpp>

#include <sstream>

/// The CPU until the command line has been read.
static poplibs_support::DeviceType TEST_TARGET =
    poplibs_support::DeviceType::Cpu;

namespace poplibs_support {
namespace populus_devices {

/// Sets TEST_TARGET before the first test.
class TargetFixture {
public:
  TargetFixture() {
    const auto &suite = boost::unit_test::framework::master_test_suite();
    const std::string option = "--device-type";
    for (int i = 1; i < suite.argc; ++i) {
      const std::string argument = suite.argv[i];
      if (argument.compare(0, option.size() + 1, option + "=") == 0)
        set(argument.substr(option.size() + 1));
      else if (argument == option)
        set(i + 1 < suite.argc ? suite.argv[i + 1] : "");
    }
  }

private:
  static void set(const std::string &name) {
    std::istringstream text(name);
    if (!(text >> TEST_TARGET))
      throw std::runtime_error("--device-type: there is no device type '" +
                               name + "'");
  }
};

} // namespace populus_devices
} // namespace poplibs_support

using PoplibsTestTarget = poplibs_support::populus_devices::TargetFixture;
BOOST_TEST_GLOBAL_FIXTURE(PoplibsTestTarget);
#endif

#endif
