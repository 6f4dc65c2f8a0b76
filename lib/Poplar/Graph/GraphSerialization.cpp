// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs and tensors as JSON or CBOR. The elements of a tensor or a connection
// are runs: [variable, first element, stride, number of elements].

#include "lib/Poplar/Graph/Access.h"
#include "lib/Poplar/Graph/ProgramNode.h"
#include "lib/Poplar/Graph/Quarters.h"
#include "lib/Poplar/Support/Types.h"
#include "runtime/Support/InputStream.h"

#include <nlohmann/json.hpp>

#include <ostream>

namespace poplar {

using core::Access;
using core::GraphImpl;
using core::ProgramNode;
using core::Run;
using core::Variable;
using Json = nlohmann::ordered_json;

namespace {

void write(std::ostream &out, const Json &json, SerializationFormat format) {
  if (format == SerializationFormat::JSON) {
    out << json.dump(1) << '\n';
    return;
  }
  const std::vector<std::uint8_t> bytes = Json::to_cbor(json);
  out.write(reinterpret_cast<const char *>(bytes.data()),
            static_cast<std::streamsize>(bytes.size()));
}

Json toJson(const Run &run, std::size_t variable) {
  return {variable, run.offset, run.stride, run.count};
}

Json variableToJson(const Variable &variable) {
  Json tiles = Json::array();
  variable.tiles.forEach(
      0, variable.numElements,
      [&](std::uint64_t begin, std::uint64_t end, std::uint32_t tile) {
        tiles.push_back({{"tile", tile}, {"begin", begin}, {"end", end}});
      });
  return {{"name", variable.name},
          {"type", variable.type.toString()},
          {"shape", variable.shape},
          {"constant", variable.isConstant},
          {"mapping", std::move(tiles)}};
}

class VertexWriter {
public:
  explicit VertexWriter(const GraphImpl &graph) : graph(graph) {}

  Json operator()(std::uint32_t id) const {
    const core::Vertex &vertex = graph.vertices[id];
    const auto &type = *graph.vertexTypes[vertex.type].description;
    Json fields = Json::object();
    for (std::size_t f = 0; f != type.fields.size(); ++f)
      if (Json regions = field(graph.slots[vertex.firstSlot + f]);
          !regions.empty())
        fields[type.fields[f].name] = std::move(regions);
    Json json = {
        {"id", id}, {"type", type.name}, {"fields", std::move(fields)}};
    if (vertex.tile != core::None)
      json["tile"] = vertex.tile;
    return json;
  }

private:
  Json field(const core::FieldSlot &slot) const {
    Json list = Json::array();
    if (slot.kind == core::FieldSlot::Regions)
      for (std::uint32_t i = 0; i != slot.count; ++i)
        list.push_back(region(graph.regions[slot.first + i]));
    else if (slot.kind == core::FieldSlot::Indexed)
      for (const auto &entry : graph.indexedRegions[slot.first])
        list.push_back(entry ? region(*entry) : Json());
    return list;
  }

  Json region(const core::Region &region) const {
    Json runs = Json::array();
    graph.regionRuns.forEach(region.runs, [&](const Run &run) {
      runs.push_back(toJson(run, run.variable));
    });
    return runs;
  }

  const GraphImpl &graph;
};

Json programToJson(const program::Program &program) {
  const ProgramNode &node = *Access::node(program);
  Json json = {{"type", core::kindName(node.kind)}};
  if (!node.name.empty())
    json["name"] = node.name;
  if (node.kind == ProgramNode::Execute)
    json["computeSet"] = node.index;
  else if (node.kind == ProgramNode::Repeat)
    json["count"] = node.index;
  else if (node.kind == ProgramNode::Call)
    json["function"] = node.index;
  for (const program::Program &child : node.children)
    json["children"].push_back(programToJson(child));
  return json;
}

template <typename List> Json programsToJson(const List &programs) {
  Json list = Json::array();
  for (const program::Program &program : programs)
    list.push_back(programToJson(program));
  return list;
}

// ---- Tensors ----------------------------------------------------------------

Type typeNamed(const std::string &name) {
  const auto type = populus::runtime::findElementType(name);
  if (!type)
    throw parse_error("a serialised tensor has elements of type '" + name +
                      "', which is unknown");
  return core::typeOf(*type);
}

/// A run of a new variable; throws where the variable is too short.
Run readRun(const Json &json, const std::vector<Tensor> &variables,
            const std::vector<std::uint32_t> &ids, const Type &type) {
  const std::size_t index = json.at(0);
  Run run;
  run.offset = json.at(1);
  run.stride = json.at(2);
  run.count = json.at(3);
  if (index >= variables.size() || run.count == 0)
    throw parse_error("a serialised tensor has elements of no variable");
  const auto size = static_cast<std::int64_t>(variables[index].numElements());
  std::int64_t last;
  if (run.count > static_cast<std::uint64_t>(
                      std::numeric_limits<std::int64_t>::max()) ||
      __builtin_mul_overflow(run.stride,
                             static_cast<std::int64_t>(run.count) - 1, &last) ||
      __builtin_add_overflow(last, run.offset, &last) || run.offset < 0 ||
      run.offset >= size || last < 0 || last >= size)
    throw parse_error("a serialised tensor has elements outside its variables");
  if (core::sizeOf(variables[index].elementType()) != core::sizeOf(type))
    throw parse_error("a serialised tensor of type " + type.toString() +
                      " is a view of a variable of type " +
                      variables[index].elementType().toString());
  run.variable = ids[index];
  return run;
}

} // namespace

void Graph::serialize(std::ostream &out, ArrayRef<program::Program> programs,
                      SerializationFormat format) const {
  const GraphImpl &graph = *impl;
  const Target &whole = graph.target;
  Json json = {{"target",
                {{"type", toString(whole.getTargetType())},
                 {"architecture", whole.getTargetArchString()},
                 {"numIPUs", whole.getNumIPUs()},
                 {"tilesPerIPU", whole.getTilesPerIPU()}}}};
  Json &variables = json["variables"] = Json::array();
  for (const Variable &variable : graph.variables)
    variables.push_back(variableToJson(variable));
  Json &sets = json["computeSets"] = Json::array();
  const VertexWriter vertex(graph);
  for (const core::ComputeSetData &set : graph.computeSets) {
    Json vertices = Json::array();
    for (std::uint32_t id : set.vertices)
      vertices.push_back(vertex(id));
    sets.push_back({{"name", set.name}, {"vertices", std::move(vertices)}});
  }
  json["functions"] = programsToJson(graph.functions);
  json["programs"] = programsToJson(programs);
  write(out, json, format);
}

void Graph::serializeTensors(std::ostream &out, ArrayRef<Tensor> tensors,
                             SerializationFormat format) const {
  Json json = {{"variables", Json::array()}, {"tensors", Json::array()}};
  std::map<std::uint32_t, std::size_t> numbers; // of variables in the file
  for (const Tensor &tensor : tensors) {
    const core::TensorView &view = Access::view(tensor);
    if (view.graph != impl.get())
      throw poplar_error("serializeTensors: " + tensor.getDebugStr() +
                         " is of another graph");
    core::refuseQuarters(view.type,
                         "serializeTensors: " + tensor.getDebugStr());
    Json runs = Json::array();
    for (const Run &run : view.runs()) {
      const auto [number, isNew] =
          numbers.emplace(run.variable, numbers.size());
      const Variable &variable = impl->variables[run.variable];
      if (isNew)
        json["variables"].push_back({{"name", variable.name},
                                     {"type", variable.type.toString()},
                                     {"numElements", variable.numElements}});
      runs.push_back(toJson(run, number->second));
    }
    json["tensors"].push_back({{"type", view.type.toString()},
                               {"shape", tensor.shape()},
                               {"elements", std::move(runs)}});
  }
  write(out, json, format);
}

std::vector<Tensor> Graph::deserializeTensors(std::istream &in,
                                              SerializationFormat format) {
  const auto bytes = populus::runtime::readAll<std::vector<std::uint8_t>>(in);
  std::vector<Tensor> tensors;
  try {
    const Json json = format == SerializationFormat::JSON
                          ? Json::parse(bytes)
                          : Json::from_cbor(bytes);
    std::vector<Tensor> variables;
    std::vector<std::uint32_t> ids;
    for (const Json &entry : json.at("variables")) {
      ids.push_back(static_cast<std::uint32_t>(impl->variables.size()));
      variables.push_back(
          addVariable(typeNamed(entry.at("type")),
                      {entry.at("numElements").get<std::size_t>()},
                      entry.at("name").get<std::string>()));
    }
    for (const Json &entry : json.at("tensors")) {
      const Type type = typeNamed(entry.at("type"));
      const auto shape = entry.at("shape").get<std::vector<std::size_t>>();
      std::uint64_t elements = 1, present = 0;
      for (std::size_t extent : shape)
        if (__builtin_mul_overflow(elements, extent, &elements))
          throw parse_error("a serialised tensor has too large a shape");
      std::vector<Run> runs;
      for (const Json &run : entry.at("elements")) {
        runs.push_back(readRun(run, variables, ids, type));
        present += runs.back().count;
      }
      if (present != elements)
        throw parse_error("a serialised tensor has " + std::to_string(present) +
                          " elements, but a shape for " +
                          std::to_string(elements));
      tensors.push_back(Access::tensor(
          core::TensorView(impl.get(), type, std::move(runs), shape)));
    }
  } catch (const Json::exception &error) {
    throw parse_error(std::string("what is read is not tensors that "
                                  "Graph::serializeTensors has written: ") +
                      error.what());
  }
  return tensors;
}

} // namespace poplar
