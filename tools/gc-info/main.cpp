// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// gc-info lists the devices that programs can attach to. They are emulated;
// their kind follows the environment variables that docs/poplar.md names, and
// options that stand for them.

#include "runtime/Support/OutputFile.h"
#include "tools/HelpFormatter.h"
#include "tools/OptionSuggestion.h"

#include <poplar/DeviceManager.hpp>
#include <poplar/Graph.hpp>
#include <poplar/exceptions.hpp>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <iostream>

namespace {

struct Options {
  bool listDevices = false; // the default
  bool deviceCount = false;
  bool json = false;
  unsigned numIpus = 0; // all
  std::string target;
  unsigned tiles = 0;
};

void addOptions(CLI::App &app, Options &options) {
  app.add_flag("-l,--list-devices", options.listDevices,
               "A line for each device (default)");
  app.add_flag("--device-count", options.deviceCount, "Only their number");
  app.add_flag("--json", options.json, "All properties as JSON");
  app.add_option("--ipus", options.numIpus, "Only devices with this many IPUs")
      ->option_text("N")
      ->check(CLI::Range(1, 1024));
  app.add_option("--target", options.target,
                 "As with POPULUS_IPU_TARGET in the environment")
      ->option_text("ipu1|ipu2|ipu21");
  app.add_option("--tiles", options.tiles,
                 "As with POPULUS_TILES_PER_IPU in the environment")
      ->option_text("N")
      ->check(CLI::Range(1, 4096));
}

std::vector<poplar::Device> findDevices(const Options &options) {
  if (!options.target.empty())
    setenv("POPULUS_IPU_TARGET", options.target.c_str(), 1);
  if (options.tiles != 0)
    setenv("POPULUS_TILES_PER_IPU", std::to_string(options.tiles).c_str(), 1);
  const auto manager = poplar::DeviceManager::createDeviceManager();
  return options.numIpus == 0
             ? manager.getDevices()
             : manager.getDevices(poplar::TargetType::IPU, options.numIpus);
}

void list(const poplar::Device &device) {
  const poplar::Target &target = device.getTarget();
  std::cout << "-+- Id: [" << device.getId() << "], type: [emulated], target: ["
            << target.getTargetSystemString() << "], IPUs: ["
            << target.getNumIPUs() << "], tiles: [" << target.getNumTiles()
            << "], memory per tile: [" << target.getBytesPerTile() / 1024
            << " KiB], clock: [" << target.getTileClockFrequency() / 1e6
            << " MHz]\n";
}

nlohmann::ordered_json describe(const poplar::Device &device) {
  const poplar::Target &target = device.getTarget();
  nlohmann::ordered_json json;
  json["id"] = device.getId();
  json["type"] = "emulated";
  json["target"] = target.getTargetSystemString();
  json["ipus"] = target.getNumIPUs();
  json["tiles_per_ipu"] = target.getTilesPerIPU();
  json["tiles"] = target.getNumTiles();
  json["worker_contexts"] = target.getNumWorkerContexts();
  json["bytes_per_tile"] = target.getBytesPerTile();
  json["bytes"] =
      std::uint64_t(target.getBytesPerTile()) * target.getNumTiles();
  json["clock_hz"] = target.getTileClockFrequency();
  return json;
}

void print(const std::vector<poplar::Device> &devices, const Options &options) {
  if (options.deviceCount) {
    std::cout << devices.size() << "\n";
    return;
  }
  if (options.json) {
    auto all = nlohmann::ordered_json::array();
    for (const poplar::Device &device : devices)
      all.push_back(describe(device));
    std::cout << nlohmann::ordered_json{{"devices", all}}.dump(2) << "\n";
    return;
  }
  for (const poplar::Device &device : devices)
    list(device);
}

int runMain(int argc, char **argv) {
  CLI::App app("Lists the devices that programs can attach to.\n"
               "All of them are emulated; it does not look for hardware.",
               "gc-info");
  app.formatter(std::make_shared<populus::HelpFormatter>());
  Options options;
  addOptions(app, options);
  // Programs look for the version behind the colon.
  app.set_version_flag("--version",
                       "Poplar version: " +
                           poplar::versionString().cloneAsString());
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success &help) {
    return app.exit(help);
  } catch (const CLI::ParseError &error) {
    std::cerr << "gc-info: error: "
              << populus::explainUsage(error, app, {argv + 1, argv + argc})
              << "; see gc-info --help\n";
    return 2;
  }
  try {
    print(findDevices(options), options);
  } catch (const poplar::poplar_error &error) {
    std::cerr << "gc-info: error: " << error.what() << "\n";
    return 2;
  }
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  return populus::runtime::finishOutput("gc-info", runMain(argc, argv));
}
