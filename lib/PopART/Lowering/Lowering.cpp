// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Creation of variables and constants for the tensors of the IR.

#include "lib/PopART/Lowering/Lowering.h"

#include "lib/PopART/IR/Annotations.h"
#include "lib/PopART/IR/Module.h"
#include "lib/PopART/Support/Error.h"
#include "lib/PopART/Support/Interruption.h"
#include "lib/PopART/Support/Log.h"

#include <nlohmann/json.hpp>
#include <popops/ElementWise.hpp>
#include <poputil/TileMapping.hpp>

#include <algorithm>
#include <cctype>

namespace populus::popir {

DataType deviceDataType(DataType type) {
  switch (type) {
  case DataType::Float16:
  case DataType::Bool:
    return type;
  case DataType::Float:
  case DataType::BFloat16:
  case DataType::Double:
  case DataType::Float8E4M3FN:
  case DataType::Float8E4M3FNUZ:
  case DataType::Float8E5M2:
  case DataType::Float8E5M2FNUZ:
  case DataType::Float8E8M0:
  case DataType::Float4E2M1:
    return DataType::Float;
  case DataType::UInt32:
  case DataType::UInt64:
    return DataType::UInt32;
  default:
    return DataType::Int32;
  }
}

poplar::Type deviceType(DataType type) {
  switch (deviceDataType(type)) {
  case DataType::Float16:
    return poplar::HALF;
  case DataType::Float:
    return poplar::FLOAT;
  case DataType::UInt32:
    return poplar::UNSIGNED_INT;
  case DataType::Bool:
    return poplar::BOOL;
  default:
    return poplar::INT;
  }
}

std::vector<std::size_t> toPoplar(const Shape &shape) {
  return std::vector<std::size_t>(shape.begin(), shape.end());
}

poplar::Tensor DeviceOp::createInput(Lowering &, std::size_t) const {
  return poplar::Tensor();
}

poplar::DebugContext Lowering::debug(const Op &op) const {
  return poplar::DebugContext(op.name());
}

/// I/O tiles are the last ones of an IPU: the program keeps its own variables,
/// like seeds and counters, on the first tiles.
SharedLowering::SharedLowering(poplar::Graph &root, const Module &module,
                               unsigned numIoTiles)
    : root(root), written(writtenVariables(module)) {
  const unsigned count = root.getTarget().getNumIPUs();
  const unsigned tiles = root.getTarget().getTilesPerIPU();
  if (count == 1 && numIoTiles == 0)
    return;
  for (unsigned i = 0; i != count; ++i)
    ipus.push_back(
        root.createVirtualGraph(i * tiles, (i + 1) * tiles - numIoTiles));
  for (unsigned i = 0; numIoTiles != 0 && i != count; ++i)
    ipus.push_back(
        root.createVirtualGraph((i + 1) * tiles - numIoTiles, (i + 1) * tiles));
}

const poplar::Tensor &SharedLowering::useSeed() {
  if (!seed.valid()) {
    seed = root.addVariable(poplar::UNSIGNED_INT, {2}, SeedHandle);
    root.setTileMapping(seed, 0);
    root.setInitialValue(seed, poplar::ArrayRef<unsigned>({0, 0}));
    root.createHostWrite(SeedHandle, seed);
    root.createHostRead(SeedHandle, seed);
  }
  return seed;
}

Lowering::Lowering(const Graph &ir, poplar::Graph &graph,
                   const ProgramOptions &options, SharedLowering &shared)
    : ir(ir), whole(graph), options(options), shared(shared) {}

unsigned Lowering::ipuOf(const Op &op) const {
  return isSpread() ? static_cast<unsigned>(op.placement().ipu.value_or(0)) : 0;
}

/// A tensor without elements is on IPU 0.
unsigned Lowering::ipuOf(const poplar::Tensor &tensor) const {
  const auto mapping = shared.root.getTileMapping(tensor);
  const auto tile = std::ranges::find_if(
      mapping, [](const auto &intervals) { return !intervals.empty(); });
  const auto number =
      static_cast<unsigned>(tile == mapping.end() ? 0 : tile - mapping.begin());
  return number / shared.root.getTarget().getTilesPerIPU();
}

poplar::Graph &Lowering::graphOf(const poplar::Tensor &tensor) {
  return shared.ipus.empty() ? whole : shared.ipus[ipuOf(tensor)];
}

/// Casts an operator to its base for lowering.
static const DeviceOp &onDevice(const Op &op) {
  const auto *device = dynamic_cast<const DeviceOp *>(&op);
  if (!device)
    op.failUnsupported("it cannot run on a device");
  return *device;
}

void Lowering::lower(const Op &op) {
  current = tilesOf(op);
  askForInterruption();
  onDevice(op).lower(*this);
}

poplar::Tensor Lowering::addOnIoTiles(const poplar::Tensor &value,
                                      const std::string &name) {
  poplar::Graph &tiles = shared.ipus[numIpus() + ipuOf(value)];
  poplar::Tensor added =
      tiles.addVariable(value.elementType(), value.shape(), name);
  poputil::mapTensorLinearly(tiles, added);
  return added;
}

poplar::Tensor Lowering::input(const Op &op, std::size_t index) {
  return get(op.input(index));
}

poplar::Tensor Lowering::copiedHere(const poplar::Tensor &value,
                                    const std::string &name) {
  unsigned tiles = whole.getTarget().getTilesPerIPU();
  poplar::Graph::TileToTensorMapping there = whole.getTileMapping(value);
  poplar::Graph::TileToTensorMapping here(whole.getTarget().getNumTiles());
  for (std::size_t tile = 0; tile != there.size(); ++tile) {
    auto &place = here[current % numIpus() * tiles + tile % tiles];
    place.insert(place.end(), there[tile].begin(), there[tile].end());
  }
  poplar::Tensor copy =
      whole.addVariable(value.elementType(), value.shape(), name);
  whole.setTileMapping(copy, here);
  sequence.add(poplar::program::Copy(value, copy, false, name));
  return copy;
}

poplar::Tensor Lowering::get(const Value &tensor) {
  auto found = values.find(&tensor);
  if (found != values.end())
    return found->second;
  if (tensor.variable()) {
    poplar::Tensor variable = memoryOf(tensor);
    set(tensor, variable);
    return variable;
  }
  if (!tensor.isConstant())
    fail(ErrorKind::Internal, "tensor '{}' is read before it is computed",
         tensor.name);
  return createVariable(tensor);
}

void Lowering::setOutput(const Op &op, poplar::Tensor value,
                         std::size_t index) {
  set(op.output(index), std::move(value));
}

void Lowering::set(const Value &tensor, poplar::Tensor value) {
  if (value.shape() != toPoplar(tensor.info.shape))
    fail(ErrorKind::Internal, "tensor '{}' was lowered with shape {} for {}",
         tensor.name, value.shapeToString(), toString(tensor.info.shape));
  logging::debug(logging::Module::opx, "tensor '{}': {}", tensor.name,
                 value.shapeToString());
  values.insert_or_assign(&tensor, std::move(value));
}

/// Lets a reader create the variable. Sets the current IPU to that of the
/// reader; readers on other IPUs use a copy.
poplar::Tensor Lowering::createByReader(const Value &tensor) {
  const std::vector<Op *> readers = tensor.users();
  if (!readers.empty())
    current = ipuOf(*readers.front());
  if (isSpread() && tensor.variable() && tensor.variable()->ipu)
    current = static_cast<unsigned>(*tensor.variable()->ipu);
  for (const Op *reader : readers)
    for (std::size_t i = 0; i != reader->inputs().size(); ++i)
      if (reader->inputs()[i] == &tensor && ipuOf(*reader) == current) {
        poplar::Tensor created = onDevice(*reader).createInput(*this, i);
        if (created.valid())
          return created;
      }
  return poplar::Tensor();
}

HostTensor toDevice(const HostTensor &value, const std::string &name) {
  HostTensor result = value.convertedTo(deviceDataType(value.type()));
  bool is64Bits =
      value.type() == DataType::Int64 || value.type() == DataType::UInt64;
  if (is64Bits && result.toInts() != value.toInts())
    failUnsupported("constant '{}' has elements that do not fit into 32 bits, "
                    "which integers have on the device",
                    name);
  return result;
}

std::string weightHandle(const std::string &name) { return "weights/" + name; }

namespace {

/// Calls `function` with the elements of a value that has a type of the device:
/// halves are their bits.
template <class Function>
void withDeviceElements(const HostTensor &value, Function &&function) {
  switch (value.type()) {
  case DataType::Float16:
    return function(value.as<std::uint16_t>());
  case DataType::Float:
    return function(value.as<float>());
  case DataType::UInt32:
    return function(value.as<std::uint32_t>());
  case DataType::Bool:
    return function(value.as<bool>());
  default:
    return function(value.as<std::int32_t>());
  }
}

void setInitialValue(poplar::Graph &graph, const poplar::Tensor &target,
                     const HostTensor &value) {
  withDeviceElements(value, [&](auto elements) {
    using T = std::remove_const_t<typename decltype(elements)::element_type>;
    poplar::ArrayRef<T> list(elements.data(), elements.size());
    if constexpr (std::is_same_v<T, std::uint16_t>)
      graph.setInitialValueHalf(target, list);
    else
      graph.setInitialValue(target, list);
  });
}

} // namespace

poplar::Tensor Lowering::layoutForReaders(const Value &value) {
  const unsigned caller = current;
  poplar::Tensor layout = createByReader(value);
  current = caller;
  return layout;
}

/// The result of an operator on the I/O tiles is spread over these; any other
/// value is on the tiles that compute.
poplar::Tensor Lowering::newVariable(const Value &tensor) {
  poplar::Tensor variable;
  if (tensor.producer() && isOnIoTiles(*tensor.producer()))
    current = tilesOf(*tensor.producer());
  else
    variable = createByReader(tensor);
  if (!variable.valid()) {
    variable = graph().addVariable(deviceType(tensor.info.type),
                                   toPoplar(tensor.info.shape), tensor.name);
    poputil::mapTensorLinearly(graph(), variable);
  }
  return variable;
}

/// The memory of a variable, created by the first graph that uses it. The host
/// can read and write it.
poplar::Tensor Lowering::memoryOf(const Value &tensor) {
  const Variable &variable = *tensor.variable();
  auto &variables = shared.variables;
  if (auto known = variables.find(&variable); known != variables.end())
    return known->second;
  const unsigned caller = current;
  if (isSpread() && variable.ipu)
    current = static_cast<unsigned>(*variable.ipu);
  const auto like = variables.find(variable.layout);
  const bool hasModel = like != variables.end();
  poplar::Tensor memory = hasModel
                              ? graph().clone(deviceType(variable.info.type),
                                              like->second, {variable.name})
                              : newVariable(tensor);
  if (!hasModel && shared.written.contains(&variable))
    spreadIfCrowded(graph(), memory);
  current = caller;
  variables[&variable] = memory;
  if (memory.numElements() != 0 && !variable.isOffChip())
    addHostAccess(variable,
                  variable.isKeptOnIoTiles() ? onIoTilesOf(tensor) : memory);
  return memory;
}

void Lowering::addHostAccess(const Variable &variable,
                             const poplar::Tensor &memory) {
  setInitialValue(whole, memory,
                  variable.initial ? toDevice(*variable.initial, variable.name)
                                   : HostTensor(TensorInfo{
                                         deviceDataType(variable.info.type),
                                         variable.info.shape}));
  whole.createHostWrite(weightHandle(variable.name), memory);
  whole.createHostRead(weightHandle(variable.name), memory);
}

const poplar::Tensor &Lowering::onIoTilesOf(const Value &variable) {
  const poplar::Tensor memory = get(variable);
  poplar::Tensor &there = shared.onIoTiles[variable.variable()];
  if (!there.valid())
    there = addOnIoTiles(memory, variable.variable()->name + "/io");
  return there;
}

const poplar::RemoteBuffer &Lowering::remoteBuffer(const Variable &variable) {
  auto found = shared.remote.find(&variable);
  if (found == shared.remote.end()) {
    const auto rows = static_cast<std::size_t>(variable.remoteRows);
    found =
        shared.remote
            .emplace(&variable,
                     shared.root.addRemoteBuffer(
                         weightHandle(variable.name),
                         deviceType(variable.info.type),
                         static_cast<std::size_t>(variable.info.numElements()) /
                             rows,
                         rows))
            .first;
  }
  return found->second;
}

poplar::Tensor Lowering::createVariable(const Value &tensor) {
  const unsigned caller = current;
  poplar::Tensor variable = newVariable(tensor);
  if (tensor.isConstant() && variable.numElements() != 0) {
    setInitialValue(whole, variable, toDevice(*tensor.constant(), tensor.name));
  }
  set(tensor, variable);
  current = caller;
  return variable;
}

poplar::Tensor Lowering::addConstant(const HostTensor &value,
                                     const poplar::DebugContext &debug) {
  HostTensor elements = toDevice(value, debug.getPathName());
  poplar::Type type = deviceType(value.type());
  std::vector<std::size_t> shape = toPoplar(value.shape());
  poplar::Tensor constant;
  withDeviceElements(elements, [&](auto span) {
    using T = std::remove_const_t<typename decltype(span)::element_type>;
    if constexpr (std::is_same_v<T, std::uint16_t>)
      constant = whole.addConstantHalf(type, shape, span.data(), debug);
    else
      constant = whole.addConstant(
          type, shape, poplar::ArrayRef<T>(span.data(), span.size()), debug);
  });
  constexpr std::size_t LargestOnOneTile = 64;
  if (constant.numElements() > LargestOnOneTile) {
    poputil::mapTensorLinearly(graph(), constant);
  } else {
    graph().setTileMapping(constant, nextConstantTile);
    nextConstantTile =
        (nextConstantTile + 1) % graph().getTarget().getNumTiles();
  }
  return constant;
}

poplar::Tensor Lowering::addScalar(const Op &op, double value) {
  return addConstant(HostTensor::scalar(op.output().info.type, value),
                     debug(op));
}

/// The seed that a model gives; replicas count on from it, as they do from the
/// program's.
poplar::Tensor Lowering::ownSeedOf(std::uint32_t seed) {
  poplar::Graph &root = shared.root;
  poplar::Tensor own =
      root.addConstant(poplar::UNSIGNED_INT, {1}, seed, SeedHandle);
  root.setTileMapping(own, 0);
  if (root.getReplicationFactor() == 1)
    return own;
  poplar::Tensor replica = root.addReplicationIndexConstant(SeedHandle);
  root.setTileMapping(replica, 0);
  return popops::add(root, own, replica.reshape({1}), sequence, SeedHandle);
}

Lowering::Randomness
Lowering::randomness(std::optional<std::uint32_t> ownSeed) {
  poplar::Graph &root = shared.root;
  const poplar::Tensor &seed = shared.useSeed();
  poplar::Tensor source = seed;
  if (ownSeed) {
    source = poplar::concat(ownSeedOf(*ownSeed), seed.slice(1, 2));
  }
  if (current != 0 || &whole != &root) {
    poplar::Tensor copy =
        graph().addVariable(poplar::UNSIGNED_INT, {2}, SeedHandle);
    graph().setTileMapping(copy, 0);
    sequence.add(poplar::program::Copy(source, copy, false, SeedHandle));
    source = copy;
  }
  return {source, ++shared.randomOps};
}

poplar::program::Sequence Lowering::nested(const std::function<void()> &add) {
  poplar::program::Sequence inner;
  std::swap(inner, sequence);
  add();
  std::swap(inner, sequence);
  return inner;
}

poplar::OptionFlags Lowering::productOptions(const Op &op,
                                             poplar::OptionFlags flags) const {
  bool isConvolution =
      op.id().type.starts_with("Conv") || op.id().type == "MultiConv";
  // Weights that the host or another operator changes are not kept on tiles.
  if (!op.input(1).isConstant())
    flags.set(isConvolution ? "pass" : "fullyConnectedPass", "NONE");
  for (const auto &[name, value] :
       isConvolution ? options.convolutionOptions : options.matmulOptions)
    flags.set(name, value);
  std::string partials =
      op.attributes().getString(annotations::PartialsType, options.partials);
  std::ranges::transform(partials, partials.begin(), [](unsigned char c) {
    return static_cast<char>(std::tolower(c));
  });
  if (!partials.empty())
    flags.set("partialsType", partials);
  if (op.attributes().has(annotations::AvailableMemory))
    flags.set("availableMemoryProportion",
              std::to_string(
                  op.attributes().getFloat(annotations::AvailableMemory, 1)));
  return flags;
}

/// The stream of that name, created by `make` on first use.
template <class Make>
static const poplar::DataStream &
streamOf(std::map<std::string, SharedLowering::Stream> &streams, const Op &op,
         const std::string &name, const TensorInfo &info, Make &&make) {
  auto found = streams.find(name);
  if (found == streams.end())
    found = streams.emplace(name, SharedLowering::Stream{make(), info}).first;
  const TensorInfo &known = found->second.info;
  if (known != info)
    op.failInput(fmt::format("the stream '{}' is {}, and here it is {}", name,
                             toString(known), toString(info)));
  return found->second.stream;
}

const poplar::DataStream &Lowering::streamFromHost(const Op &op,
                                                   const std::string &name,
                                                   const TensorInfo &info) {
  return streamOf(shared.fromHost, op, name, info, [&] {
    return shared.root.addHostToDeviceFIFO(name, deviceType(info.type),
                                           info.numElements());
  });
}

const poplar::DataStream &Lowering::streamToHost(const Op &op,
                                                 const std::string &name,
                                                 const TensorInfo &info) {
  return streamOf(shared.toHost, op, name, info, [&] {
    return shared.root.addDeviceToHostFIFO(name, deviceType(info.type),
                                           info.numElements());
  });
}

std::string Lowering::tileMap() const {
  std::map<std::string, poplar::Tensor> named;
  addNamedTensors(named);
  nlohmann::json map = nlohmann::json::object();
  for (const auto &[name, value] : named) {
    nlohmann::json tiles = nlohmann::json::array();
    for (const auto &intervals : whole.getTileMapping(value)) {
      tiles.push_back(nlohmann::json::array());
      for (const poplar::Interval &interval : intervals)
        tiles.back().push_back({interval.begin(), interval.end()});
    }
    map[name] = std::move(tiles);
  }
  return map.dump() + "\n";
}

} // namespace populus::popir
