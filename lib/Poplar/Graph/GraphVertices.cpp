// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// poplar::Graph: compute sets, vertices and connections of their fields. All
// connections are checked here, once, against the description that popc wrote;
// lowering relies on them.

#include "lib/Poplar/Graph/Access.h"
#include "lib/Poplar/Support/NearestName.h"
#include "lib/Poplar/Support/Types.h"

#include <algorithm>
#include <limits>

namespace poplar {

using core::Access;
using core::FieldSlot;
using core::GraphImpl;
using core::Region;
using core::TensorView;
using populus::archive::Direction;
using populus::archive::Field;
using populus::archive::FieldKind;

namespace {

std::uint32_t findVertexType(const GraphImpl &graph, StringRef name) {
  const auto found = graph.vertexTypeIds.find(name);
  if (found != graph.vertexTypeIds.end())
    return found->second;
  std::vector<std::string_view> names;
  for (const auto &known : graph.vertexTypeIds)
    names.push_back(known.first);
  throw unknown_vertex_type("there is no vertex type '" + name + "'" +
                            core::didYouMean(std::string(name), names) +
                            (names.empty() ? "; the graph has no codelets, use "
                                             "Graph::addCodelets"
                                           : ""));
}

unsigned findField(const GraphImpl &graph, std::uint32_t type, StringRef name) {
  const auto &description = *graph.vertexTypes[type].description;
  for (unsigned i = 0; i != description.fields.size(); ++i)
    if (name == StringRef(description.fields[i].name))
      return i;
  std::vector<std::string_view> names;
  for (const Field &field : description.fields)
    names.push_back(field.name);
  throw unknown_field("vertex type '" + description.name + "' has no field '" +
                      name + "'" + core::didYouMean(std::string(name), names));
}

bool isState(const Field &field) {
  return field.kind == FieldKind::State || field.kind == FieldKind::StateVector;
}
bool isList(const Field &field) {
  return field.kind == FieldKind::EdgeScalars ||
         field.kind == FieldKind::EdgeList ||
         field.kind == FieldKind::VectorList;
}
/// Returns true if each region of the field is a single element.
bool hasSingleElements(const Field &field) {
  return field.kind == FieldKind::Edge || field.kind == FieldKind::EdgeScalars;
}

/// Maps the constants made for a vertex to its tile, if it has one.
void mapInputConstants(GraphImpl &graph, std::uint32_t vertex) {
  const std::uint32_t tile = graph.vertices[vertex].tile;
  if (tile == core::None || graph.inputConstants.empty())
    return;
  const auto [begin, end] = graph.inputConstants.equal_range(vertex);
  for (auto entry = begin; entry != end; ++entry) {
    core::Variable &constant = graph.variables[entry->second];
    constant.tiles.set(0, constant.numElements, tile);
  }
}

/// One field of one vertex, about to be connected or set.
class FieldEditor {
public:
  FieldEditor(GraphImpl &graph, FieldRef ref)
      : graph(requireOwn(graph, ref)), ref(ref), vertex(Access::vertexOf(ref)),
        field(graph.fieldOf(graph.vertices[vertex], Access::fieldOf(ref))),
        slot(graph.slots[graph.vertices[vertex].firstSlot +
                         Access::fieldOf(ref)]) {}

  [[noreturn]] void fail(const std::string &problem) const {
    throw graph_connection_error("field '" + field.name + "' of " +
                                 graph.describe(vertex) + " " + problem);
  }

  void connect(const Tensor &tensor) {
    requireEdge();
    if (ref.isIndexed())
      return connectIndexed(tensor);
    if (field.kind == FieldKind::EdgeScalars) {
      const Tensor flat = tensor.flatten();
      std::vector<Tensor> elements;
      for (std::size_t i = 0; i != flat.numElements(); ++i)
        elements.push_back(flat[i]);
      return connect(ArrayRef<Tensor>(elements));
    }
    if (isList(field)) {
      if (tensor.rank() != 2)
        fail("is a list of vectors: connect a list of tensors or a matrix, "
             "not a tensor of shape " +
             tensor.shapeToString());
      std::vector<Tensor> rows;
      for (std::size_t i = 0; i != tensor.dim(0); ++i)
        rows.push_back(tensor[i]);
      return connect(ArrayRef<Tensor>(rows));
    }
    setRegions(ArrayRef<Tensor>(tensor));
  }

  void connect(ArrayRef<Tensor> tensors) {
    requireEdge();
    if (ref.isIndexed())
      fail("was given a list of tensors for one of its elements");
    if (!isList(field)) {
      if (tensors.empty())
        fail("was connected to an empty list of tensors");
      // A region may be put together from many tensors.
      std::vector<Tensor> flat;
      for (const Tensor &tensor : tensors)
        flat.push_back(tensor.flatten());
      return setRegions(ArrayRef<Tensor>(concat(flat)));
    }
    setRegions(tensors);
  }

  /// A vector of values holds zeros until they are set.
  void setSize(std::size_t size) {
    if (field.kind == FieldKind::StateVector) {
      if (slot.kind != FieldSlot::Unset)
        fail("has its values already, so its size cannot be set");
      return setValues(std::vector<std::uint8_t>(
                           size * core::sizeOf(core::typeOf(field.type))),
                       size, true);
    }
    requireEdge();
    if (!isList(field))
      fail("is not a list, so its size cannot be set");
    indexedSlot().resize(size);
  }

  void setValues(std::vector<std::uint8_t> bytes, std::size_t count,
                 bool isListOfValues) {
    if (!isState(field))
      return connectConstant(std::move(bytes), count, isListOfValues);
    if (ref.isIndexed() && !isListOfValues)
      return setElement(bytes);
    if ((field.kind == FieldKind::StateVector) != isListOfValues)
      fail(isListOfValues ? "is a single value, but was given a list"
                          : "is a vector, but was given a single value");
    slot.kind = FieldSlot::Values;
    slot.first = graph.fieldValues.size();
    slot.count = static_cast<std::uint32_t>(count);
    graph.fieldValues.insert(graph.fieldValues.end(), bytes.begin(),
                             bytes.end());
  }

  Type type() const { return core::typeOf(field.type); }

private:
  void setElement(const std::vector<std::uint8_t> &bytes) {
    const std::size_t size =
        slot.kind == FieldSlot::Values && field.kind == FieldKind::StateVector
            ? slot.count
            : 0;
    if (ref.getIndex() >= size)
      fail("has no value " + std::to_string(ref.getIndex()) +
           " to set; give it a size with Graph::setFieldSize");
    std::copy(bytes.begin(), bytes.end(),
              graph.fieldValues.begin() +
                  static_cast<std::ptrdiff_t>(slot.first +
                                              ref.getIndex() * bytes.size()));
  }

  /// Connects an input to a constant that holds the given values. The constant
  /// is mapped with the vertex.
  void connectConstant(std::vector<std::uint8_t> bytes, std::size_t count,
                       bool isListOfValues) {
    if (field.direction != Direction::Input)
      fail("is connected to tensors, which the vertex writes; it has no value "
           "to set");
    if (field.kind !=
        (isListOfValues ? FieldKind::EdgeVector : FieldKind::Edge))
      fail(std::string("is connected to tensors; it cannot be given ") +
           (isListOfValues ? "a list of values" : "a value"));
    core::Variable constant;
    constant.name = "constant for '" + field.name + "'";
    constant.type = type();
    if (isListOfValues)
      constant.shape = {count};
    constant.numElements = count;
    constant.isConstant = true;
    constant.data = std::move(bytes);
    constant.replication = graph.vertices[vertex].replication;
    const auto id = static_cast<std::uint32_t>(graph.variables.size());
    graph.variables.push_back(std::move(constant));
    graph.inputConstants.emplace(vertex, id);
    mapInputConstants(graph, vertex);
    connect(Access::tensor(
        TensorView(&graph, type(), id, graph.variables[id].shape)));
  }

  static GraphImpl &requireOwn(GraphImpl &graph, FieldRef ref) {
    if (Access::graphOf(ref) != &graph)
      throw graph_connection_error("a field of a vertex of another graph was "
                                   "connected, or its value set");
    return graph;
  }

  void requireEdge() const {
    if (isState(field))
      fail("holds a value; use Graph::setInitialValue");
  }

  Region makeRegion(const Tensor &tensor) {
    const TensorView &view = Access::view(graph, tensor);
    if (!isOfFieldType(tensor.elementType()))
      fail("has elements of type " + type().toString() +
           ", but was connected to " + tensor.getDebugStr());
    if (!hasSingleElements(field) && tensor.rank() > 1)
      fail("is a vector, but was connected to " + tensor.getDebugStr() +
           ", which has " + std::to_string(tensor.rank()) +
           " dimensions; use Tensor::flatten");
    if (hasSingleElements(field) && tensor.numElements() != 1)
      fail("is a single element, but was connected to " +
           std::to_string(tensor.numElements()) + " elements of " +
           tensor.getDebugStr());
    Region region;
    region.numElements = tensor.numElements();
    core::RunList runs;
    view.forEachRun([&](const core::Run &run) { runs.append(run); });
    region.runs = graph.regionRuns.add(runs.get());
    if (field.direction != Direction::Input)
      requireWriteable(tensor);
    return region;
  }

  /// Codelets read and write metadata as bytes.
  bool isOfFieldType(const Type &given) const {
    return given == type() ||
           (given == QUARTER_METADATA && type() == UNSIGNED_CHAR);
  }

  /// The field behind an edge of quarters is the edge to their metadata.
  void connectMetadata(const Tensor &tensor) {
    const FieldRef metadata = Access::vertex(
        graph, vertex)[field.name + populus::archive::MetadataSuffix];
    FieldEditor(graph, metadata).connect(tensor.getMetadata().flatten()[0]);
  }

  void requireWriteable(const Tensor &tensor) const {
    if (tensor.containsConstant())
      fail("is written by the vertex, but was connected to constants: " +
           tensor.getDebugStr());
    if (tensor.containsAliases())
      fail("is written by the vertex, but an element appears twice in " +
           tensor.getDebugStr());
  }

  void setRegions(ArrayRef<Tensor> tensors) {
    requireUnconnected();
    std::vector<Region> regions;
    for (const Tensor &tensor : tensors)
      regions.push_back(makeRegion(tensor));
    slot.kind = FieldSlot::Regions;
    slot.first = graph.regions.size();
    slot.count = static_cast<std::uint32_t>(regions.size());
    graph.regions.insert(graph.regions.end(), regions.begin(), regions.end());
    if (type() == QUARTER)
      connectMetadata(tensors[0]);
  }

  void connectIndexed(const Tensor &tensor) {
    if (!isList(field))
      fail("is not a list, so it has no elements to connect");
    auto &regions = indexedSlot();
    if (regions.size() <= ref.getIndex())
      regions.resize(ref.getIndex() + 1);
    if (regions[ref.getIndex()])
      fail("was connected twice at index " + std::to_string(ref.getIndex()));
    regions[ref.getIndex()] = makeRegion(tensor);
  }

  std::vector<std::optional<Region>> &indexedSlot() {
    if (slot.kind != FieldSlot::Indexed) {
      requireUnconnected();
      slot.kind = FieldSlot::Indexed;
      slot.first = graph.indexedRegions.size();
      graph.indexedRegions.emplace_back();
    }
    return graph.indexedRegions[slot.first];
  }

  void requireUnconnected() const {
    if (slot.kind != FieldSlot::Unset)
      fail("was connected twice");
  }

  GraphImpl &graph;
  FieldRef ref;
  std::uint32_t vertex;
  const Field &field;
  FieldSlot &slot;
};

} // namespace

// ---- Handles ----------------------------------------------------------------

FieldRef VertexRef::operator[](StringRef fieldName) const {
  if (!life)
    throw poplar_error("a vertex is used that was never assigned; make it with "
                       "Graph::addVertex");
  const core::GraphImpl *graph = Access::graphOf(*this);
  if (!graph)
    throw poplar_error("a vertex is used whose graph was destroyed");
  return FieldRef(life, id,
                  findField(*graph, graph->vertices[id].type, fieldName));
}

FieldRef FieldRef::operator[](std::size_t i) const {
  FieldRef result = *this;
  result.index = i;
  result.indexed = true;
  return result;
}

// ---- Compute sets and vertices ----------------------------------------------

ComputeSet Graph::addComputeSet(const DebugContext &debugContext) {
  core::ComputeSetData data;
  data.name = debugContext.getPathName();
  if (data.name.empty())
    data.name = "cs" + std::to_string(impl->computeSets.size());
  impl->computeSets.push_back(std::move(data));
  return ComputeSet(static_cast<unsigned>(impl->computeSets.size() - 1));
}

unsigned Graph::numComputeSets() const {
  return static_cast<unsigned>(impl->computeSets.size());
}
unsigned Graph::numVertices() const {
  return static_cast<unsigned>(impl->vertices.size());
}

bool Graph::hasCodelet(StringRef vertexType) const {
  return impl->vertexTypeIds.count(vertexType) != 0;
}

VertexRef Graph::addVertex(ComputeSet computeSet, StringRef vertexType) {
  if (computeSet.getId() >= impl->computeSets.size())
    throw poplar_error("a vertex of type '" + vertexType +
                       "' was added to a compute set that does not exist; make "
                       "one with Graph::addComputeSet");
  core::Vertex vertex;
  vertex.type = findVertexType(*impl, vertexType);
  vertex.computeSet = computeSet.getId();
  vertex.firstSlot = impl->slots.size();
  vertex.replication = Access::replication(*this);
  if (impl->isCpu())
    vertex.tile = 0;
  const auto &fields = impl->vertexTypes[vertex.type].description->fields;
  impl->slots.resize(impl->slots.size() + fields.size());
  const auto id = static_cast<std::uint32_t>(impl->vertices.size());
  impl->vertices.push_back(vertex);
  impl->computeSets[computeSet.getId()].vertices.push_back(id);
  return Access::vertex(*impl, id);
}

VertexRef Graph::addVertex(ComputeSet computeSet, StringRef vertexType,
                           ArrayRef<ConnectionDesc> connections) {
  const VertexRef vertex = addVertex(computeSet, vertexType);
  for (const ConnectionDesc &connection : connections) {
    const FieldRef field = vertex[connection.field];
    switch (connection.kind) {
    case ConnectionDesc::OneTensor:
      connect(field, connection.tensors[0]);
      break;
    case ConnectionDesc::ManyTensors:
      connect(field, ArrayRef<Tensor>(connection.tensors));
      break;
    case ConnectionDesc::Indexed:
      connect(field[connection.index], connection.tensors[0]);
      break;
    case ConnectionDesc::Value:
      setFieldValue(field, connection.bytes, 1, false, connection.traits);
      break;
    }
  }
  return vertex;
}

VertexRef Graph::addExternalExchangeVertex(ComputeSet, StringRef vertexType,
                                           unsigned, bool, bool) {
  throw not_supported_error(
      "addExternalExchangeVertex: vertices that drive the "
      "external exchange, such as '" +
      vertexType + "', are not supported");
}

void Graph::setTileMapping(VertexRef vertex, unsigned tile) {
  if (Access::graphOf(vertex) != impl.get())
    throw poplar_error("a vertex was mapped in a graph that it is not in");
  if (!impl->isCpu() && tile >= target.getNumTiles())
    throw invalid_tile_mapping(impl->describe(vertex.getId()) +
                               " was mapped to tile " + std::to_string(tile) +
                               ", but the graph's target has " +
                               std::to_string(target.getNumTiles()) + " tiles");
  impl->vertices[vertex.getId()].tile = convertVirtualTileToPhysicalTile(tile);
  mapInputConstants(*impl, vertex.getId());
}

void Graph::connect(FieldRef field, const Tensor &tensor) {
  FieldEditor(*impl, field).connect(tensor);
}
void Graph::connect(FieldRef field, ArrayRef<Tensor> tensors) {
  FieldEditor(*impl, field).connect(tensors);
}
void Graph::setFieldSize(FieldRef field, std::size_t size) {
  FieldEditor(*impl, field).setSize(size);
}

void Graph::setFieldValue(FieldRef field, const void *values, std::size_t count,
                          bool isList, const TypeTraits &traits) {
  FieldEditor editor(*impl, field);
  editor.setValues(core::convertToDevice(editor.type(), values, count, traits),
                   count, isList);
}

void Graph::setInitialValueHalf(FieldRef field,
                                ArrayRef<std::uint16_t> values) {
  const auto *bytes = reinterpret_cast<const std::uint8_t *>(values.data());
  FieldEditor(*impl, field)
      .setValues({bytes, bytes + 2 * values.size()}, values.size(), true);
}
void Graph::setInitialValueHalf(FieldRef field, std::uint16_t value) {
  const auto *bytes = reinterpret_cast<const std::uint8_t *>(&value);
  FieldEditor(*impl, field).setValues({bytes, bytes + 2}, 1, false);
}

// No layout in use limits sizes below what a tile's memory does.
std::size_t Graph::getMaxFieldDim(StringRef vertexType, StringRef field,
                                  unsigned) const {
  findField(*impl, findVertexType(*impl, vertexType), field);
  return std::numeric_limits<std::uint32_t>::max();
}

double Graph::getMaxVertexFieldValue(StringRef vertexType,
                                     StringRef field) const {
  const std::uint32_t type = findVertexType(*impl, vertexType);
  const auto &info = populus::runtime::info(
      impl->vertexTypes[type]
          .description->fields[findField(*impl, type, field)]
          .type);
  if (info.isFloatingPoint)
    return info.bytes == 2 ? 65504.0 : std::numeric_limits<float>::max();
  if (info.name == "bool")
    return 1;
  const unsigned bits = info.bytes * 8 - (info.isSigned ? 1 : 0);
  return static_cast<double>(~std::uint64_t(0) >> (64 - bits));
}

// ---- Cost models ------------------------------------------------------------

void Graph::setPerfEstimate(const VertexRef &vertex, std::uint64_t cycles,
                            std::uint64_t) {
  if (Access::graphOf(vertex) != impl.get())
    throw poplar_error("a perf estimate was set for a vertex of another graph");
  core::Vertex &data = impl->vertices[vertex.getId()];
  data.perfEstimate = cycles;
  data.hasPerfEstimate = true;
}

void Graph::registerPerfEstimator(StringRef vertexType,
                                  PerfEstimateFunc estimator) {
  impl->vertexTypes[findVertexType(*impl, vertexType)].estimator =
      std::move(estimator);
}

void Graph::registerCycleEstimator(StringRef vertexType,
                                   CycleEstimateFunc estimator) {
  registerPerfEstimator(
      vertexType,
      [estimator](const VertexIntrospector &vertex, const Target &target) {
        return VertexPerfEstimate(estimator(vertex, target));
      });
}

} // namespace poplar
