// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finding the names takes a search of all homes, which is done for a finding
// only.

#include "runtime/Session/TensorNames.h"

#include <nlohmann/json.hpp>

namespace populus::runtime {

TensorNames::TensorNames(const Executable &executable) {
  if (const auto variables = executable.metadata.find(VariablesKey);
      variables != executable.metadata.end())
    addVariables(variables->second);
  for (const HostTensor &tensor : executable.hostTensors)
    add(executable, tensor.handle, tensor.tensor);
  for (const Step &step : executable.steps)
    if (step.kind == StepKind::StreamToDevice ||
        step.kind == StepKind::DeviceToStream)
      add(executable, executable.streams[step.stream()].handle, step.tensor);
}

void TensorNames::add(const Executable &executable, const std::string &name,
                      std::uint32_t tensor) {
  const Range segments = executable.tensors[tensor].segments;
  for (std::uint32_t i = 0; i != segments.count; ++i) {
    const Segment &segment = executable.segments[segments.first + i];
    homes.push_back({segment.tile, segment.address,
                     segment.address + segment.bytes, names.size(), false});
  }
  names.push_back(name);
}

void TensorNames::addVariables(const std::string &text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_array())
    return;
  try {
    for (const auto &entry : json) {
      const auto type = findElementType(entry.at("type").get<std::string>());
      if (!type)
        continue;
      for (const auto &home : entry.at("homes")) {
        const auto begin = home.at(2).get<Address>();
        homes.push_back(
            {home.at(1).get<std::uint32_t>(), begin,
             begin + home.at(0).get<std::uint32_t>() * sizeOf(*type),
             names.size(), home.at(3).get<bool>()});
      }
      names.push_back(entry.at("name").get<std::string>());
    }
  } catch (const nlohmann::json::exception &) {
    homes.clear(); // damaged: as good as none
    names.clear();
  }
}

std::string TensorNames::at(std::uint32_t tile, Address address) const {
  std::size_t shared = names.size();
  bool isAmbiguous = false;
  for (const Home &home : homes) {
    if (home.tile != tile || address < home.begin || address >= home.end)
      continue;
    if (!home.isShared)
      return names[home.name];
    isAmbiguous |= shared != names.size() && shared != home.name;
    shared = home.name;
  }
  return shared == names.size() || isAmbiguous ? std::string() : names[shared];
}

} // namespace populus::runtime
