// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The places of variables, and the file of the engine option debug.executable.

#include "lib/Poplar/Report/DebugExecutable.h"

#include "runtime/Format/Ipux.h"
#include "runtime/Session/TensorNames.h"
#include "runtime/Support/OutputFile.h"

#include <poplar/ProfileValue.hpp>
#include <poplar/exceptions.hpp>

#include <optional>
#include <sstream>

namespace poplar::core {

namespace {

/// The homes of a variable; nothing if an element has none.
std::optional<ProfileValue::Vector>
homesOf(const std::vector<ElementHome> &homes) {
  ProfileValue::Vector list;
  std::uint64_t next = 0;
  for (const ElementHome &home : homes) {
    if (home.begin != next)
      return std::nullopt;
    next = home.end;
    list.push_back(ProfileValue::Vector{home.end - home.begin, home.tile,
                                        home.address, !home.isOwn});
  }
  return list;
}

/// Replicas are a first dimension.
ProfileValue::Vector shapeOf(const Variable &variable, std::uint64_t elements) {
  ProfileValue::Vector shape;
  if (variable.numElements != 0 && elements != variable.numElements)
    shape.push_back(elements / variable.numElements);
  for (std::size_t size : variable.shape)
    shape.push_back(static_cast<std::uint64_t>(size));
  return shape;
}

std::string describeVariables(const GraphImpl &graph,
                              const LoweringRecord &record) {
  ProfileValue::Vector variables;
  for (std::size_t id = 0; id != record.homes.size(); ++id) {
    const Variable &variable = graph.variables[id];
    const std::vector<ElementHome> &homes = record.homes[id];
    auto list = homesOf(homes);
    if (homes.empty() || variable.name.empty() || !list)
      continue;
    variables.push_back(
        ProfileValue::Map{{"name", variable.name},
                          {"type", variable.type.toString()},
                          {"shape", shapeOf(variable, homes.back().end)},
                          {"homes", std::move(*list)}});
  }
  std::ostringstream text;
  serializeToJSON(text, ProfileValue(std::move(variables)));
  return text.str();
}

} // namespace

void addVariables(populus::runtime::Executable &executable,
                  const GraphImpl &graph, const LoweringRecord &record) {
  executable.metadata[populus::runtime::VariablesKey] =
      describeVariables(graph, record);
}

void writeDebugExecutable(const std::string &file,
                          const populus::runtime::Executable &executable) {
  namespace rt = populus::runtime;
  const std::vector<std::uint8_t> bytes = rt::serializeExecutable(executable);
  const std::string reason = rt::writeFile(
      file, std::string_view(reinterpret_cast<const char *>(bytes.data()),
                             bytes.size()));
  if (!reason.empty())
    throw poplar_error("the executable '" + file +
                       "' cannot be written (engine option "
                       "debug.executable): " +
                       reason);
}

} // namespace poplar::core
