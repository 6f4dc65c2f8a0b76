// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// poplar::Graph: making graphs and views of them, host access, streams and
// functions. Variables, tile mapping, vertices and codelets have files of their
// own.

#include "lib/Poplar/Device/DeviceData.h"
#include "lib/Poplar/Device/TargetData.h"
#include "lib/Poplar/Graph/Access.h"
#include "lib/Poplar/Graph/Quarters.h"
#include "lib/Poplar/Support/NearestName.h"
#include "lib/Poplar/Support/Types.h"
#include "runtime/Support/Version.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <map>
#include <mutex>
#include <numeric>
#include <ostream>
#include <set>

namespace poplar {

using core::Access;
using core::GraphImpl;

StringRef versionString() { return populus::runtime::Version; }
StringRef packageHash() { return populus::runtime::PackageHash; }

namespace core {

namespace {

/// Never freed, because any tensor or vertex may still ask.
GraphLife *newLife() {
  static std::mutex mutex;
  static auto *const all = new std::deque<GraphLife>;
  const std::lock_guard<std::mutex> lock(mutex);
  return &all->emplace_back();
}

} // namespace

GraphImpl::GraphImpl(const Target &target) : life(newLife()), target(target) {
  life->graph = this;
}

std::string GraphImpl::describe(std::uint32_t vertex) const {
  const Vertex &v = vertices[vertex];
  return "vertex " + std::to_string(vertex) + " of type '" +
         vertexTypes[v.type].description->name + "' in compute set '" +
         computeSets[v.computeSet].name + "'";
}

std::string GraphImpl::describeVariable(std::uint32_t id) const {
  const Variable &variable = variables[id];
  std::string shape;
  for (std::size_t extent : variable.shape) {
    if (!shape.empty())
      shape += ',';
    shape += std::to_string(extent);
  }
  return std::string(variable.isConstant ? "constant" : "variable") + " '" +
         variable.name + "' (" + variable.type.toString() + "{" + shape + "})";
}

} // namespace core

Graph::Graph() : Graph(Target()) {}

void Graph::ImplPointer::failMoved() {
  throw poplar_error("a graph is used whose contents were moved to another "
                     "graph");
}

Graph::Graph(const Target &target, replication_factor replication)
    : impl(std::make_shared<GraphImpl>(target)), target(target) {
  if (replication != 1) {
    replicas = replication;
    shareOutTiles("a graph that is replicated");
    impl->whole = Access::replication(*this);
  }
}

Graph::Graph(const Device &device, replication_factor replication)
    : Graph(device.getTarget(), replication) {}

Graph::Graph(const Graph &parent, std::vector<unsigned> list)
    : impl(parent.impl), tiles(std::move(list)), replicas(parent.replicas),
      replicaStride(parent.replicaStride) {
  // The virtual graph has as many IPUs as its tiles fill, if each IPU
  // contributes the same number of tiles.
  if (tiles.empty()) {
    target = parent.target;
    return;
  }
  const Target &whole = impl->target;
  const unsigned count = static_cast<unsigned>(tiles.size());
  std::map<unsigned, unsigned> perIpu;
  for (unsigned tile : tiles)
    ++perIpu[tile / whole.getTilesPerIPU()];
  const auto ipus = static_cast<unsigned>(perIpu.size());
  const bool isEven =
      std::all_of(perIpu.begin(), perIpu.end(),
                  [&](const auto &ipu) { return ipu.second * ipus == count; });
  target = isEven ? whole.createVirtualTarget(ipus, count / ipus)
                  : whole.createVirtualTarget(1, count);
}

Graph::Graph(Graph &&other) noexcept = default;
Graph &Graph::operator=(Graph &&other) noexcept = default;
Graph::~Graph() = default;

const Target &Graph::getTarget() const { return target; }

// ---- Virtual graphs ---------------------------------------------------------

unsigned Graph::convertVirtualTileToPhysicalTile(unsigned tile) const {
  if (impl->isCpu())
    return 0; // everything is on the one tile, wherever it was put
  if (tile >= target.getNumTiles())
    throw invalid_tile_mapping("there is no tile " + std::to_string(tile) +
                               "; the graph's target has " +
                               std::to_string(target.getNumTiles()) + " tiles");
  return tiles.empty() ? tile : tiles[tile];
}

namespace {

/// Tiles of a graph as tiles of the whole one; each may be there once.
std::vector<unsigned> physicalTiles(const Graph &graph,
                                    const std::vector<unsigned> &list) {
  std::vector<unsigned> physical;
  std::set<unsigned> seen;
  for (unsigned tile : list) {
    if (!seen.insert(tile).second)
      throw invalid_tile_mapping("a virtual graph was to have tile " +
                                 std::to_string(tile) + " twice");
    physical.push_back(graph.convertVirtualTileToPhysicalTile(tile));
  }
  if (physical.empty())
    throw poplar_error("a virtual graph needs at least one tile");
  return physical;
}

/// The tiles of all IPUs that have these numbers in theirs.
std::vector<unsigned> onEachIpu(const Target &target,
                                const std::vector<unsigned> &tiles) {
  const unsigned tilesPerIpu = target.getTilesPerIPU();
  std::vector<unsigned> list;
  for (unsigned ipu = 0; ipu != target.getNumIPUs(); ++ipu)
    for (unsigned tile : tiles) {
      if (tile >= tilesPerIpu)
        throw invalid_tile_mapping("a virtual graph was to have tile " +
                                   std::to_string(tile) +
                                   " of each IPU, but there are " +
                                   std::to_string(tilesPerIpu) + " tiles");
      list.push_back(ipu * tilesPerIpu + tile);
    }
  return list;
}

} // namespace

Graph Graph::createVirtualGraph(const std::vector<unsigned> &list) {
  return Graph(
      *this,
      physicalTiles(*this, impl->isCpu() ? list : onEachIpu(target, list)));
}

Graph Graph::createVirtualGraph(unsigned lowerTile, unsigned upperTile) {
  if (lowerTile >= upperTile)
    throw poplar_error("a virtual graph of tiles " + std::to_string(lowerTile) +
                       " to " + std::to_string(upperTile) + " is empty");
  std::vector<unsigned> list(upperTile - lowerTile);
  std::iota(list.begin(), list.end(), lowerTile);
  return Graph(*this, physicalTiles(*this, list));
}

Graph Graph::createVirtualGraph(unsigned tilesPerIPU) {
  impl.get(); // a graph that was moved has no tiles
  if (tilesPerIPU > target.getTilesPerIPU())
    throw poplar_error("a virtual graph cannot have " +
                       std::to_string(tilesPerIPU) + " tiles of each IPU; " +
                       "there are " + std::to_string(target.getTilesPerIPU()));
  std::vector<unsigned> list(tilesPerIPU);
  std::iota(list.begin(), list.end(), 0);
  return createVirtualGraph(list);
}

Graph Graph::getTopLevelGraph() {
  Graph top(impl->target, replication_factor(impl->whole.factor));
  top.impl = impl;
  return top;
}

// ---- Host access ------------------------------------------------------------

namespace {

/// Returns the entry of a handle, and makes it if there is none.
core::HostHandle &hostHandle(GraphImpl &graph, StringRef handle,
                             const Tensor &tensor) {
  const core::TensorView &view = Access::view(graph, tensor);
  graph.hostHandles.push_back({handle.cloneAsString(), view, false, false});
  return graph.hostHandles.back();
}

void requireNewHandle(const GraphImpl &graph, StringRef handle, bool writable) {
  for (const core::HostHandle &known : graph.hostHandles)
    if (handle == StringRef(known.handle) &&
        (writable ? known.writable : known.readable))
      throw poplar_error("there are two host " +
                         std::string(writable ? "write" : "read") +
                         " handles '" + handle + "'");
}

DataStream addStream(GraphImpl &graph, StringRef handle, const Type &type,
                     std::size_t numElements, DataStreamType kind,
                     unsigned replicas, bool broadcast) {
  core::requireValid(type, "a data stream");
  core::requireQuarters(graph, type, handle.cloneAsString());
  for (const auto &stream : graph.streams)
    if (handle == StringRef(stream->handle))
      throw poplar_error("there are two data streams '" + handle + "'");
  auto data = std::make_shared<core::StreamData>();
  data->handle = handle;
  data->type = type;
  data->numElements = numElements;
  data->kind = kind;
  data->id = static_cast<std::uint32_t>(graph.streams.size());
  data->replicas = replicas;
  data->broadcast = broadcast;
  graph.streams.push_back(data);
  return Access::stream(std::move(data));
}

/// Stream options configure the host's side of a machine, which does not exist
/// here. A misspelt option or an invalid number is still an error.
void checkFifoOptions(StringRef handle, const OptionFlags &options) {
  static constexpr std::string_view Known[] = {"addressAlignment",
                                               "bufferingDepth", "splitLimit"};
  for (const auto &[key, value] : options) {
    if (std::find(std::begin(Known), std::end(Known), key) == std::end(Known))
      throw invalid_option("data stream '" + handle.cloneAsString() +
                           "': there is no option '" + key + "'" +
                           core::didYouMean(key, Known));
    if (value.empty() ||
        value.find_first_not_of("0123456789") != std::string::npos)
      throw invalid_option("data stream '" + handle.cloneAsString() +
                           "': the value of option '" + key + "' is '" + value +
                           "', but must be a number");
  }
}

} // namespace

void Graph::createHostWrite(StringRef handle, const Tensor &tensor, bool) {
  requireNewHandle(*impl, handle, true);
  if (tensor.containsConstant())
    throw poplar_error("host write handle '" + handle +
                       "': " + tensor.getDebugStr() + " has constants in it");
  core::HostHandle &known = hostHandle(*impl, handle, tensor);
  known.writable = true;
  core::addMetadataHandle(*impl, core::HostHandle(known));
}

void Graph::createHostRead(StringRef handle, const Tensor &tensor, bool) {
  requireNewHandle(*impl, handle, false);
  core::HostHandle &known = hostHandle(*impl, handle, tensor);
  known.readable = true;
  core::addMetadataHandle(*impl, core::HostHandle(known));
}

DataStream Graph::addHostToDeviceFIFO(StringRef handle, const Type &type,
                                      std::size_t numElements,
                                      ReplicatedStreamMode mode,
                                      const OptionFlags &options) {
  checkFifoOptions(handle, options);
  return addStream(*impl, handle, type, numElements,
                   DataStreamType::HostToDeviceFIFO, replicas,
                   mode == ReplicatedStreamMode::BROADCAST);
}

DataStream Graph::addDeviceToHostFIFO(StringRef handle, const Type &type,
                                      std::size_t numElements,
                                      const OptionFlags &options) {
  checkFifoOptions(handle, options);
  return addStream(*impl, handle, type, numElements,
                   DataStreamType::DeviceToHostFIFO, replicas, false);
}

namespace {
const core::StreamData &
streamData(const std::shared_ptr<const core::StreamData> &data) {
  if (!data)
    throw poplar_error("a data stream is used that was never assigned");
  return *data;
}
} // namespace

std::string DataStream::handle() const { return streamData(data).handle; }
std::size_t DataStream::numElements() const {
  return streamData(data).numElements;
}
Type DataStream::elementType() const { return streamData(data).type; }
DataStreamType DataStream::type() const { return streamData(data).kind; }

Function Graph::addFunction(const program::Program &program) {
  impl->functions.push_back(program);
  return Function(static_cast<unsigned>(impl->functions.size() - 1));
}

FunctionBuffer Graph::addFunctionBuffer(const Function &function,
                                        FunctionBufferMappingType) {
  if (function.getId() >= impl->functions.size())
    throw poplar_error("a function buffer is made for a function that is not "
                       "of this graph (Graph::addFunction)");
  return FunctionBuffer(function);
}

unsigned DataStream::replicationFactor() const {
  return streamData(data).replicas;
}

// ---- Remote buffers and host functions --------------------------------------

RemoteBuffer Graph::addRemoteBuffer(StringRef handle, const Type &type,
                                    std::size_t numElements,
                                    std::size_t repeats, bool rearrangeOnHost,
                                    bool optimiseMemory) {
  core::requireValid(type, "a remote buffer");
  core::refuseQuarters(type, "remote buffer '" + handle.cloneAsString() + "'");
  for (const auto &known : impl->remoteBuffers)
    if (handle == StringRef(known->handle))
      throw poplar_error("there are two remote buffers '" + handle + "'");
  if (repeats == 0)
    throw poplar_error("remote buffer '" + handle + "' has no rows");
  auto data = std::make_shared<core::RemoteBufferData>();
  data->handle = handle;
  data->type = type;
  data->numElements = numElements;
  data->repeats = repeats;
  data->rearrangeOnHost = rearrangeOnHost;
  data->optimiseMemory = optimiseMemory;
  data->id = static_cast<std::uint32_t>(impl->remoteBuffers.size());
  data->replicas = replicas;
  impl->remoteBuffers.push_back(data);
  return Access::remoteBuffer(std::move(data));
}

namespace {
const core::RemoteBufferData &
bufferData(const std::shared_ptr<const core::RemoteBufferData> &data) {
  if (!data)
    throw poplar_error("a remote buffer is used that was never assigned; make "
                       "it with Graph::addRemoteBuffer");
  return *data;
}
} // namespace

std::string RemoteBuffer::handle() const { return bufferData(data).handle; }
std::size_t RemoteBuffer::numElements() const {
  return bufferData(data).numElements;
}
std::size_t RemoteBuffer::getRepeats() const {
  return bufferData(data).repeats;
}
Type RemoteBuffer::elementType() const { return bufferData(data).type; }
bool RemoteBuffer::isRearrangeOnHost() const {
  return bufferData(data).rearrangeOnHost;
}
bool RemoteBuffer::isOptimisedForMemory() const {
  return bufferData(data).optimiseMemory;
}

HostFunction Graph::addHostFunction(StringRef handle,
                                    ArrayRef<HostFunctionArgument> inputs,
                                    ArrayRef<HostFunctionArgument> outputs) {
  for (const auto &known : impl->hostFunctions)
    if (handle == StringRef(known->handle))
      throw poplar_error("there are two host functions '" + handle + "'");
  auto data = std::make_shared<core::HostFunctionData>();
  data->handle = handle;
  data->inputs.assign(inputs.begin(), inputs.end());
  data->outputs.assign(outputs.begin(), outputs.end());
  for (const auto *list : {&data->inputs, &data->outputs})
    for (const HostFunctionArgument &argument : *list) {
      core::requireValid(std::get<0>(argument), "a host function");
      core::refuseQuarters(std::get<0>(argument),
                           "host function '" + handle.cloneAsString() + "'");
    }
  data->id = static_cast<std::uint32_t>(impl->hostFunctions.size());
  data->replicas = replicas;
  impl->hostFunctions.push_back(data);
  return Access::hostFunction(std::move(data));
}

unsigned HostFunction::getId() const {
  if (!data)
    throw poplar_error("a host function is used that was never assigned; make "
                       "it with Graph::addHostFunction");
  return data->id;
}

// ---- Pictures ---------------------------------------------------------------

namespace {

/// The variables that a vertex is connected to, each once for each direction.
void forEachEdge(
    const GraphImpl &graph, const core::Vertex &vertex,
    const std::function<void(std::uint32_t, bool reads, bool writes)> &use) {
  using populus::archive::Direction;
  const auto visit = [&](const core::Region &region, Direction direction) {
    std::uint32_t last = core::None;
    graph.regionRuns.forEach(region.runs, [&](const core::Run &run) {
      if (run.variable != last)
        use(run.variable, direction != Direction::Output,
            direction != Direction::Input);
      last = run.variable;
    });
  };
  const auto &fields = graph.vertexTypes[vertex.type].description->fields;
  for (std::size_t f = 0; f != fields.size(); ++f) {
    const core::FieldSlot &slot = graph.slots[vertex.firstSlot + f];
    if (slot.kind == core::FieldSlot::Regions)
      for (std::uint32_t i = 0; i != slot.count; ++i)
        visit(graph.regions[slot.first + i], fields[f].direction);
    else if (slot.kind == core::FieldSlot::Indexed)
      for (const auto &region : graph.indexedRegions[slot.first])
        if (region)
          visit(*region, fields[f].direction);
  }
}

void printVariables(const GraphImpl &graph, std::ostream &out) {
  for (std::size_t i = 0; i != graph.variables.size(); ++i)
    out << "  var" << i << " [shape=box,label=\"" << graph.variables[i].name
        << "\"];\n";
}

} // namespace

void Graph::outputVertexGraph(std::ostream &out,
                              ArrayRef<program::Program>) const {
  out << "digraph vertices {\n";
  printVariables(*impl, out);
  for (std::size_t i = 0; i != impl->vertices.size(); ++i) {
    const core::Vertex &vertex = impl->vertices[i];
    out << "  vertex" << i << " [label=\""
        << impl->vertexTypes[vertex.type].description->name << "\"];\n";
    forEachEdge(*impl, vertex,
                [&](std::uint32_t variable, bool reads, bool writes) {
                  if (reads)
                    out << "  var" << variable << " -> vertex" << i << ";\n";
                  if (writes)
                    out << "  vertex" << i << " -> var" << variable << ";\n";
                });
  }
  out << "}\n";
}

void Graph::outputComputeGraph(std::ostream &out,
                               ArrayRef<program::Program>) const {
  out << "digraph compute {\n";
  printVariables(*impl, out);
  for (std::size_t i = 0; i != impl->computeSets.size(); ++i) {
    out << "  cs" << i << " [label=\"" << impl->computeSets[i].name << "\"];\n";
    std::map<std::uint32_t, std::pair<bool, bool>> uses;
    for (std::uint32_t v : impl->computeSets[i].vertices)
      forEachEdge(*impl, impl->vertices[v],
                  [&](std::uint32_t variable, bool reads, bool writes) {
                    uses[variable].first |= reads;
                    uses[variable].second |= writes;
                  });
    for (const auto &[variable, use] : uses) {
      if (use.first)
        out << "  var" << variable << " -> cs" << i << ";\n";
      if (use.second)
        out << "  cs" << i << " -> var" << variable << ";\n";
    }
  }
  out << "}\n";
}

} // namespace poplar
