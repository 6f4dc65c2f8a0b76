// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collects the names.

#include "lib/Debugger/Tensors.h"

#include "runtime/Session/TensorNames.h"

#include <nlohmann/json.hpp>

namespace populus::debugger {

namespace rt = populus::runtime;

Tensors::Tensors(const rt::Executable &executable) {
  const auto variables = executable.metadata.find(rt::VariablesKey);
  if (variables != executable.metadata.end())
    addVariables(variables->second);
  for (const rt::HostTensor &tensor : executable.hostTensors)
    addLayout(executable, tensor.handle, tensor.tensor);
  for (const rt::Step &step : executable.steps)
    if (step.kind == rt::StepKind::StreamToDevice ||
        step.kind == rt::StepKind::DeviceToStream)
      addLayout(executable, executable.streams[step.stream()].handle,
                step.tensor);
}

void Tensors::addLayout(const rt::Executable &executable,
                        const std::string &name, std::uint32_t tensor) {
  const rt::TensorLayout &layout = executable.tensors[tensor];
  NamedTensor named;
  named.value.type = arrayOf(typeOf(layout.type), layout.shape);
  const auto begin = executable.segments.begin() + layout.segments.first;
  named.value.segments.assign(begin, begin + layout.segments.count);
  tensors.emplace(name, std::move(named));
}

void Tensors::addVariables(const std::string &text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_array())
    return;
  try {
    for (const auto &entry : json) {
      NamedTensor named;
      const auto type =
          rt::findElementType(entry.at("type").get<std::string>());
      if (!type)
        continue;
      const unsigned bytes = rt::sizeOf(*type);
      named.value.type = arrayOf(
          typeOf(*type), entry.at("shape").get<std::vector<std::uint64_t>>());
      for (const auto &home : entry.at("homes")) {
        named.value.segments.push_back(
            {home.at(1).get<std::uint32_t>(), home.at(2).get<std::uint32_t>(),
             home.at(0).get<std::uint32_t>() * bytes});
        named.isShared |= home.at(3).get<bool>();
      }
      tensors.emplace(entry.at("name").get<std::string>(), std::move(named));
    }
  } catch (const nlohmann::json::exception &) {
    tensors.clear(); // damaged: as good as none
  }
}

const NamedTensor *Tensors::find(const std::string &name) const {
  const auto found = tensors.find(name);
  if (found != tensors.end())
    return &found->second;
  const NamedTensor *only = nullptr;
  for (const auto &[full, tensor] : tensors)
    if (full.ends_with("/" + name)) {
      if (only)
        throw DebugError("several tensors are called '" + name +
                         "'; info tensors lists their full names");
      only = &tensor;
    }
  return only;
}

std::string Tensors::describe(std::uint32_t tile, Address address) const {
  for (const auto &[name, tensor] : tensors) {
    TypePtr element = tensor.value.type;
    while (element->kind == Type::Kind::Array)
      element = element->element;
    std::uint64_t offset = 0;
    for (const Segment &segment : tensor.value.segments) {
      if (segment.tile == tile && address >= segment.address &&
          address - segment.address < segment.bytes)
        return "element " +
               std::to_string((offset + address - segment.address) /
                              element->bytes) +
               " of '" + name + "'";
      offset += segment.bytes;
    }
  }
  return {};
}

} // namespace populus::debugger
