// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The variables of a session's program: weights in and out, the numbers of the
// optimizer, and the states of random generators.

#include "lib/PopART/Import/ModelFile.h"
#include "lib/PopART/Import/TensorData.h"
#include "lib/PopART/Interface/Elements.h"
#include "lib/PopART/Interface/SessionProgramImpl.h"
#include "lib/PopART/Interface/Translated.h"
#include "lib/PopART/Lowering/StochasticRounding.h"
#include "lib/PopART/ReplicaData.h"
#include "lib/PopART/Support/Error.h"
#include "lib/PopART/Support/Log.h"
#include "lib/PopART/Training/Training.h"

#include <onnx/onnx_pb.h>

#include <utility>

namespace popart::session {

using namespace populus::popir;

namespace {

/// Collects the names that a graph and its nested graphs read or return.
void addReads(const onnx::GraphProto &graph, std::set<std::string> &names) {
  for (const onnx::NodeProto &node : graph.node()) {
    names.insert(node.input().begin(), node.input().end());
    for (const onnx::AttributeProto &attribute : node.attribute()) {
      if (attribute.has_g())
        addReads(attribute.g(), names);
      for (const onnx::GraphProto &inside : attribute.graphs())
        addReads(inside, names);
    }
  }
  for (const onnx::ValueInfoProto &output : graph.output())
    names.insert(output.name());
}

std::string hashOf(const HostTensor &value) {
  populus::runtime::ContentHash hash;
  hash.add({reinterpret_cast<const char *>(value.bytes().data()),
            value.bytes().size()});
  return hash.digits();
}

onnx::TensorProto toProto(const std::string &name, const HostTensor &value,
                          bool isRaw) {
  onnx::TensorProto proto;
  if (isRaw)
    proto.set_raw_data("");
  proto.set_name(name);
  proto.set_data_type(toOnnx(value.type()));
  for (const std::int64_t extent : value.shape())
    proto.add_dims(extent);
  setElements(proto, value.bytes().data(), value.bytes().size());
  return proto;
}

} // namespace

/// Records the constants that are read or anchored; others may change.
void SessionProgram::Impl::rememberConstants() {
  const onnx::ModelProto model = parseModel(setup.model, "the model");
  std::set<std::string> read;
  addReads(model.graph(), read);
  read.insert(setup.anchors.begin(), setup.anchors.end());
  for (const onnx::TensorProto &tensor : model.graph().initializer())
    if (read.contains(tensor.name()) && !module.findVariable(tensor.name()))
      constants[tensor.name()] = hashOf(importTensor(tensor));
}

std::size_t SessionProgram::Impl::numGeneratorWords() const {
  const poplar::Target target = makeTarget(setup.request.ownMachine());
  return std::size_t(target.getNumTiles()) * target.getNumWorkerContexts() * 4;
}

void SessionProgram::Impl::seedGenerators(std::uint64_t seed) {
  if (hostTensors.count(GeneratorsHandle) == 0)
    return;
  const poplar::Target target = makeTarget(setup.request.machine);
  const std::vector<std::uint32_t> words =
      generatorsOf(seed, target.getNumTiles(), target.getNumWorkerContexts());
  const std::size_t count = numGeneratorWords();
  const std::uint32_t *own =
      words.data() + words.size() / share().total * share().first;
  engine->writeTensor(GeneratorsHandle, own, own + count);
}

void SessionProgram::Impl::setWeights(
    const std::string &model,
    const std::function<bool(const std::string &)> &isWanted) {
  const onnx::ModelProto proto = parseModel(model, "the new weights");
  for (const onnx::TensorProto &tensor : proto.graph().initializer()) {
    if (staysOnDevice(tensor.name()) || !isWanted(tensor.name()))
      continue;
    HostTensor value = importTensor(tensor);
    if (const Variable *variable = module.findVariable(tensor.name()))
      writeVariable(*variable, onReplicas(*variable, std::move(value)));
    else
      checkConstant(tensor.name(), value);
  }
}

HostTensor SessionProgram::Impl::onReplicas(const Variable &variable,
                                            HostTensor value) const {
  if (const Shape *whole = wholeOf(variable))
    return shardsOf(value, *whole, replicas());
  const auto groups = settings.variables.find(variable.name);
  if (groups == settings.variables.end() || value.info() == variable.info)
    return value;
  const std::int64_t rows = value.shape().empty() ? 0 : value.shape()[0];
  if (rows != groups->second.rowsOnHost() &&
      rows != std::int64_t(groups->second.count))
    failInput("the weight '{}' has {} values of replicas, and the new one is "
              "{}",
              variable.name, groups->second.rowsOnHost(),
              toString(value.info()));
  return rowsOf(value, groups->second.rowsFor(rows));
}

void SessionProgram::Impl::writeVariable(const Variable &variable,
                                         const HostTensor &value) {
  populus::popir::writeVariable(*engine, variable, share(), value);
}

HostTensor SessionProgram::Impl::readVariable(const Variable &variable) const {
  const auto readAll = [&] {
    return populus::popir::readVariable(*engine, variable, share());
  };
  if (const Shape *whole = wholeOf(variable))
    return joined(readAll(), *whole);
  const auto groups = settings.variables.find(variable.name);
  if (groups != settings.variables.end())
    return rowsOf(readAll(), groups->second.returned());
  return readFirst(*engine, variable, share());
}

const Shape *SessionProgram::Impl::wholeOf(const Variable &variable) const {
  const auto state = source.states.find(variable.name);
  return state != source.states.end() && state->second.whole
             ? &*state->second.whole
             : nullptr;
}

bool SessionProgram::Impl::staysOnDevice(const std::string &name) const {
  const auto state = source.states.find(name);
  if (state == source.states.end())
    return false;
  const StateKind kind = state->second.kind;
  if (kind == StateKind::Accumulator)
    return setup.keepsAccumulators;
  return kind == StateKind::Passing || setup.keepsOptimizerState;
}

void SessionProgram::Impl::checkConstant(const std::string &name,
                                         const HostTensor &value) const {
  auto known = constants.find(name);
  if (known != constants.end() && known->second != hashOf(value))
    failUnsupported("the value of '{}' is part of the program's code, so it "
                    "cannot be changed",
                    name);
}

std::string SessionProgram::Impl::withWeights(const std::string &model) const {
  onnx::ModelProto proto = parseModel(model, "the model");
  std::map<std::string, onnx::TensorProto *> known;
  for (onnx::TensorProto &tensor :
       *proto.mutable_graph()->mutable_initializer())
    known[tensor.name()] = &tensor;
  for (const Variable &variable : module.variables()) {
    if (numbers.contains(variable.name) || staysOnDevice(variable.name))
      continue;
    onnx::TensorProto *&tensor = known[variable.name];
    if (!tensor)
      tensor = proto.mutable_graph()->add_initializer();
    *tensor =
        toProto(variable.name, readVariable(variable), tensor->has_raw_data());
  }
  return proto.SerializeAsString();
}

void SessionProgram::Impl::setOptimizer(const Optimizer &optimizer) {
  if (std::string problem = whyNotReplaceable(setup.optimizer, optimizer);
      !problem.empty())
    failInput("the optimizer cannot take the place of the one that the "
              "session was made with: {}",
              problem);
  for (const auto &[name, value] :
       optimizerVariables(module, optimizer, setup.accumulation))
    if (const Variable *variable = module.findVariable(name))
      writeVariable(*variable, HostTensor::scalar(DataType::Float, value));
}

void SessionProgram::setWeights(const std::string &model) {
  logging::info(logging::Module::session, "weights to the device");
  translated([&] {
    impl->setWeights(model, [](const std::string &) { return true; });
  });
}

void SessionProgram::setWeights(const std::string &model,
                                const std::set<std::string> &names) {
  translated([&] {
    impl->setWeights(
        model, [&](const std::string &name) { return names.contains(name); });
  });
}

std::string SessionProgram::withWeights(const std::string &model) const {
  logging::info(logging::Module::session, "weights to the host");
  return translated([&] { return impl->withWeights(model); });
}

void SessionProgram::setOptimizer(const Optimizer &optimizer) {
  translated([&] { impl->setOptimizer(optimizer); });
}

bool SessionProgram::setRandomSeed(std::uint64_t seed) {
  impl->seedGenerators(seed);
  if (impl->hostTensors.count(SeedHandle) == 0)
    return impl->hostTensors.count(GeneratorsHandle) != 0;
  writeSeed(*impl->engine, seed, impl->share());
  return true;
}

std::optional<std::uint64_t> SessionProgram::randomSeed() const {
  if (impl->hostTensors.count(SeedHandle) == 0)
    return std::nullopt;
  std::vector<std::uint32_t> words(2 * impl->share().count);
  impl->engine->readTensor(SeedHandle, words.data(),
                           words.data() + words.size());
  // A replica's seed is the session's plus the replica's number.
  return (words[0] - impl->share().first) | std::uint64_t(words[1]) << 32;
}

std::vector<std::uint32_t> SessionProgram::generators() const {
  std::vector<std::uint32_t> states(numGeneratorWords());
  impl->engine->readTensor(GeneratorsHandle, states.data(),
                           states.data() + states.size());
  return states;
}

void SessionProgram::setGenerators(const std::vector<std::uint32_t> &states) {
  impl->engine->writeTensor(GeneratorsHandle, states.data(),
                            states.data() + states.size());
}

std::size_t SessionProgram::numGeneratorWords() const {
  return impl->numGeneratorWords();
}

std::string broadcastModel(const std::string &model, unsigned rootInstance) {
  return translated([&] { return broadcastBytes(model, rootInstance); });
}

} // namespace popart::session
