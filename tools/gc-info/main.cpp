// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// gc-info lists the devices that programs can attach to. They are emulated;
// their kind follows the environment variables that docs/poplar.md names.

#include <poplar/DeviceManager.hpp>

#include <CLI/CLI.hpp>

#include <iostream>

namespace {

void list(const poplar::Device &device) {
  const poplar::Target &target = device.getTarget();
  std::cout << "-+- Id: [" << device.getId() << "], type: [emulated], target: ["
            << target.getTargetSystemString() << "], IPUs: ["
            << target.getNumIPUs() << "], tiles: [" << target.getNumTiles()
            << "], memory per tile: [" << target.getBytesPerTile() / 1024
            << " KiB], clock: [" << target.getTileClockFrequency() / 1e6
            << " MHz]\n";
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app("Lists the devices that programs can attach to.\n"
               "All of them are emulated; it does not look for hardware.");
  bool listDevices = false;
  bool deviceCount = false;
  app.add_flag("-l,--list-devices", listDevices,
               "A line for each device (default)");
  app.add_flag("--device-count", deviceCount, "Only their number");
  app.set_version_flag("--version", POPULUS_VERSION);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? 0 : 2;
  }

  const std::vector<poplar::Device> devices =
      poplar::DeviceManager::createDeviceManager().getDevices();
  if (deviceCount) {
    std::cout << devices.size() << "\n";
    return 0;
  }
  for (const poplar::Device &device : devices)
    list(device);
  return 0;
}
