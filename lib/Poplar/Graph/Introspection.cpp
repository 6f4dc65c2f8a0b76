// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cost models: their view of a vertex, and the default model.

#include "lib/Poplar/Graph/Introspection.h"

#include "lib/Poplar/Graph/Access.h"
#include "lib/Poplar/Support/Types.h"
#include "runtime/Target/Timing.h"

#include <algorithm>

namespace poplar {

using core::FieldSlot;
using core::IntrospectedVertex;
using populus::archive::Field;
using populus::archive::FieldKind;
using populus::archive::Layout;

namespace {

const FieldSlot &slotOf(const IntrospectedVertex &vertex, unsigned field) {
  const core::GraphImpl &graph = *vertex.graph;
  return graph.slots[graph.vertices[vertex.id].firstSlot + field];
}

const Field &fieldOf(const IntrospectedVertex &vertex, unsigned field) {
  return vertex.graph->fieldOf(vertex.graph->vertices[vertex.id], field);
}

/// Number of elements of region `index` of a field; 0 if unconnected.
std::size_t regionSize(const IntrospectedVertex &vertex, const FieldSlot &slot,
                       std::size_t index) {
  if (slot.kind == FieldSlot::Regions && index < slot.count)
    return vertex.graph->regions[slot.first + index].numElements;
  if (slot.kind == FieldSlot::Indexed) {
    const auto &regions = vertex.graph->indexedRegions[slot.first];
    if (index < regions.size() && regions[index])
      return regions[index]->numElements;
  }
  return 0;
}

std::size_t numRegions(const IntrospectedVertex &vertex,
                       const FieldSlot &slot) {
  if (slot.kind == FieldSlot::Indexed)
    return vertex.graph->indexedRegions[slot.first].size();
  return slot.count;
}

layout::Vector toPublic(Layout layout) {
  switch (layout) {
  case Layout::Span:
    return layout::Vector::Span;
  case Layout::ShortSpan:
    return layout::Vector::ShortSpan;
  case Layout::OnePtr:
    return layout::Vector::OnePtr;
  case Layout::ScaledPtr32:
    return layout::Vector::ScaledPtr32;
  case Layout::ScaledPtr64:
    return layout::Vector::ScaledPtr64;
  case Layout::ScaledPtr128:
    return layout::Vector::ScaledPtr128;
  default:
    return layout::Vector::NotAVector;
  }
}

} // namespace

FieldData VertexIntrospector::getFieldInfo(const std::string &name) const {
  const core::GraphImpl &graph = *vertex->graph;
  const auto &fields =
      graph.vertexTypes[graph.vertices[vertex->id].type].description->fields;
  for (unsigned i = 0; i != fields.size(); ++i)
    if (fields[i].name == name)
      return FieldData(*vertex, i);
  throw unknown_field("a cost model asked for field '" + name + "' of " +
                      graph.describe(vertex->id) + ", which has none");
}

std::size_t FieldData::size() const {
  const FieldSlot &slot = slotOf(*vertex, field);
  const FieldKind kind = fieldOf(*vertex, field).kind;
  if (kind == FieldKind::Edge || kind == FieldKind::EdgeVector)
    return regionSize(*vertex, slot, 0);
  return numRegions(*vertex, slot);
}

std::size_t FieldData::getSizeAtIndex(std::size_t index) const {
  return regionSize(*vertex, slotOf(*vertex, field), index);
}

std::size_t FieldData::initialCount() const {
  const FieldSlot &slot = slotOf(*vertex, field);
  return slot.kind == FieldSlot::Values ? slot.count : 0;
}

long double FieldData::initialNumber(std::size_t index) const {
  if (index >= initialCount())
    throw poplar_error("a cost model asked for the value of field '" +
                       fieldOf(*vertex, field).name + "' of " +
                       vertex->graph->describe(vertex->id) +
                       ", which was not set");
  const Type type = core::typeOf(fieldOf(*vertex, field).type);
  return core::deviceNumber(type, vertex->graph->fieldValues.data() +
                                      slotOf(*vertex, field).first +
                                      index * core::sizeOf(type));
}

layout::Vector
FieldData::getProfilerVectorLayout(std::size_t nestingLevel) const {
  const Field &description = fieldOf(*vertex, field);
  if (description.places.empty())
    return layout::Vector::NotAVector;
  const auto &place = description.places.front();
  const bool isList = description.kind == FieldKind::EdgeList ||
                      description.kind == FieldKind::EdgeScalars;
  return toPublic(isList && nestingLevel == 0 ? place.outer : place.inner);
}

layout::VectorList FieldData::getProfilerVectorListLayout() const {
  const Field &description = fieldOf(*vertex, field);
  if (description.kind != FieldKind::VectorList || description.places.empty())
    return layout::VectorList::NotAVector;
  switch (description.places.front().outer) {
  case Layout::DeltaN:
    return layout::VectorList::DeltaN;
  case Layout::DeltaNElements:
    return layout::VectorList::DeltaNElements;
  default:
    return layout::VectorList::OnePtr;
  }
}

namespace core {

namespace {

/// Instructions of a vertex that reads or writes each element of its edges
/// once: enter and leave, set up each region, and two for each element.
constexpr std::uint64_t InstructionsPerVertex = 20;
constexpr std::uint64_t InstructionsPerRegion = 4;
constexpr std::uint64_t InstructionsPerElement = 2;

std::uint64_t defaultInstructions(const GraphImpl &graph, std::uint32_t id) {
  const IntrospectedVertex vertex{&graph, id};
  const auto &fields =
      graph.vertexTypes[graph.vertices[id].type].description->fields;
  std::uint64_t result = InstructionsPerVertex;
  for (unsigned f = 0; f != fields.size(); ++f) {
    const FieldSlot &slot = slotOf(vertex, f);
    if (slot.kind == FieldSlot::Values)
      continue;
    const std::size_t regions = numRegions(vertex, slot);
    result += InstructionsPerRegion * regions;
    for (std::size_t i = 0; i != regions; ++i)
      result += InstructionsPerElement * regionSize(vertex, slot, i);
  }
  return result;
}

} // namespace

std::uint64_t estimateCycles(const GraphImpl &graph, std::uint32_t id) {
  const Vertex &vertex = graph.vertices[id];
  const VertexType &type = graph.vertexTypes[vertex.type];
  const bool isWorker =
      type.description->kind == populus::archive::VertexKind::Worker;
  std::uint64_t instructions;
  if (vertex.hasPerfEstimate) {
    instructions = vertex.perfEstimate;
  } else if (type.estimator) {
    const IntrospectedVertex introspected{&graph, id};
    instructions =
        type.estimator(Access::introspector(introspected), graph.target).cycles;
  } else {
    instructions = defaultInstructions(graph, id);
    // A multi-vertex shares its work among the workers.
    if (type.description->kind == populus::archive::VertexKind::Multi)
      instructions =
          instructions / populus::runtime::timing::WorkersPerTile + 1;
  }
  // Estimates for workers count their instructions; vertices that have the
  // whole tile are estimated in its cycles.
  if (isWorker || !(vertex.hasPerfEstimate || type.estimator))
    instructions *= populus::runtime::timing::CyclesPerBundle;
  return instructions;
}

} // namespace core

} // namespace poplar
