// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers the bytes of variables. Homes that do not cover a variable exactly
// once are rejected, because the numbering would not be unique.

#include "lib/Poplar/Verify/GraphPlaces.h"

#include "lib/Poplar/Support/Types.h"
#include "lib/Poplar/Verify/VerifyLowering.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace poplar::core {

namespace {

void append(std::vector<VariableBytes> &places, std::uint32_t variable,
            std::uint64_t begin, std::uint64_t bytes) {
  if (!places.empty() && places.back().variable == variable &&
      places.back().begin + places.back().bytes == begin)
    places.back().bytes += bytes;
  else
    places.push_back({variable, begin, bytes});
}

} // namespace

GraphPlaces::GraphPlaces(const GraphImpl &graph, const LoweringRecord &record)
    : graph(graph), variables(graph.variables.size()) {
  for (std::uint32_t id = 0; id != record.homes.size(); ++id)
    if (!record.homes[id].empty())
      number(id, record.homes[id]);
}

void GraphPlaces::number(std::uint32_t id,
                         const std::vector<ElementHome> &homes) {
  const Variable &variable = graph.variables[id];
  Places &places = variables[id];
  places.elementBytes = sizeOf(variable.type);
  std::uint64_t end = 0;
  for (const ElementHome &home : homes) {
    if (home.begin != end)
      throw VerifyError("the homes of " + graph.describeVariable(id) +
                        " do not cover it");
    end = home.end;
  }
  if (end != variable.numElements * variable.replication.factor)
    throw VerifyError("the homes of " + graph.describeVariable(id) +
                      " do not cover it");
  std::vector<std::uint32_t> order(homes.size());
  std::iota(order.begin(), order.end(), 0u);
  const auto keyOf = [&](std::uint32_t i) {
    return std::tie(homes[i].tile, homes[i].address);
  };
  if (!std::is_sorted(order.begin(), order.end(),
                      [&](auto a, auto b) { return keyOf(a) < keyOf(b); }))
    std::sort(order.begin(), order.end(),
              [&](auto a, auto b) { return keyOf(a) < keyOf(b); });
  places.parts.resize(homes.size() + 1);
  places.parts.back() = {end, 0};
  for (std::uint32_t i : order) {
    const ElementHome &home = homes[i];
    const std::uint64_t bytes = (home.end - home.begin) * places.elementBytes;
    places.parts[i] = {home.begin, places.bytes};
    if (!places.homes.empty() && places.homes.back().tile == home.tile &&
        places.homes.back().address + places.homes.back().bytes == home.address)
      places.homes.back().bytes += bytes;
    else
      places.homes.push_back(
          {places.bytes, bytes, home.tile, home.address, home.isOwn});
    places.bytes += bytes;
  }
}

void GraphPlaces::append(const Run &given, std::uint32_t replica,
                         std::vector<VariableBytes> &places) const {
  if (given.count == 0)
    return;
  Run run = given;
  const Variable &variable = graph.variables[run.variable];
  if (variable.allReplicasOf != core::None)
    run.variable = variable.allReplicasOf;
  else if (variable.replication.factor != 1)
    run.offset += static_cast<std::int64_t>(replica * variable.numElements);
  const Places &own = variables[run.variable];
  if (own.parts.empty())
    throw VerifyError(graph.describeVariable(run.variable) + " has no home");
  const unsigned size = own.elementBytes;
  auto part = own.parts.begin();
  const bool isForward = run.stride == 1 || run.count == 1;
  for (std::uint64_t i = 0; i != run.count;) {
    const auto element = static_cast<std::uint64_t>(
        run.offset + static_cast<std::int64_t>(i) * run.stride);
    if (element < part->begin || element >= std::next(part)->begin)
      part = std::prev(std::upper_bound(
          own.parts.begin(), std::prev(own.parts.end()), element,
          [](std::uint64_t e, const Part &p) { return e < p.begin; }));
    const std::uint64_t count =
        isForward ? std::min(run.count - i, std::next(part)->begin - element)
                  : 1;
    core::append(places, run.variable,
                 part->place + (element - part->begin) * size, count * size);
    i += count;
  }
}

std::vector<VariableBytes> GraphPlaces::of(std::span<const Run> runs,
                                           std::uint32_t replica) const {
  std::vector<VariableBytes> places;
  for (const Run &run : runs)
    append(run, replica, places);
  return places;
}

std::vector<VariableBytes> GraphPlaces::of(const TensorView &view,
                                           std::uint32_t replica) const {
  std::vector<VariableBytes> places;
  view.forEachRun([&](const Run &run) { append(run, replica, places); });
  return places;
}

std::vector<VariableBytes> GraphPlaces::ofAll(const TensorView &view,
                                              std::uint32_t replicas) const {
  std::vector<VariableBytes> places;
  for (std::uint32_t r = 0; r != std::max(replicas, replicasOf(view)); ++r)
    view.forEachRun([&](const Run &run) { append(run, r, places); });
  return places;
}

std::uint32_t GraphPlaces::replicasOf(const TensorView &view) const {
  std::uint32_t replicas = 1;
  if (graph.hasReplicas)
    view.forEachRun([&](const Run &run) {
      replicas =
          std::max(replicas, graph.variables[run.variable].replication.factor);
    });
  return replicas;
}

std::string GraphPlaces::describe(const VariableBytes &place) const {
  if (place.variable == core::None)
    return "nothing";
  const Places &own = variables[place.variable];
  std::uint64_t element = 0;
  for (std::size_t i = 0; i + 1 < own.parts.size(); ++i) {
    const Part &part = own.parts[i];
    const std::uint64_t bytes =
        (own.parts[i + 1].begin - part.begin) * own.elementBytes;
    if (place.begin - part.place < bytes)
      element = part.begin + (place.begin - part.place) / own.elementBytes;
  }
  return "element " + std::to_string(element) + " of " +
         graph.describeVariable(place.variable);
}

std::uint64_t outputBytesOf(const GraphImpl &graph, std::uint32_t id) {
  const Vertex &vertex = graph.vertices[id];
  const auto &fields = graph.vertexTypes[vertex.type].description->fields;
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i != fields.size(); ++i)
    if (fields[i].direction != populus::archive::Direction::Input)
      forEachRegionOf(graph, graph.slots[vertex.firstSlot + i],
                      [&](const Region &region) {
                        bytes += region.numElements *
                                 populus::runtime::sizeOf(fields[i].type);
                      });
  return bytes;
}

} // namespace poplar::core
