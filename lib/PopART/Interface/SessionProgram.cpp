// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler's side of a session: transforms its module (SessionModule.h),
// lowers it, owns an Engine, and serves streams by callbacks.

#include "lib/PopART/Interface/SessionProgram.h"

#include "lib/PopART/Compile.h"
#include "lib/PopART/Custom/CustomOps.h"
#include "lib/PopART/IR/Export.h"
#include "lib/PopART/Import/ModelFile.h"
#include "lib/PopART/Import/TensorData.h"
#include "lib/PopART/Inspection.h"
#include "lib/PopART/Interface/Elements.h"
#include "lib/PopART/Interface/ModelBytes.h"
#include "lib/PopART/Interface/ReplicaSettings.h"
#include "lib/PopART/Interface/SessionModule.h"
#include "lib/PopART/Interface/Stages.h"
#include "lib/PopART/Interface/Translated.h"
#include "lib/PopART/Lowering/Lowering.h"
#include "lib/PopART/Lowering/StochasticRounding.h"
#include "lib/PopART/ReplicaData.h"
#include "lib/PopART/Support/Cache.h"
#include "lib/PopART/Support/Error.h"
#include "lib/PopART/Support/Interruption.h"
#include "lib/PopART/Support/Log.h"
#include "lib/PopART/Support/OutputFile.h"
#include "lib/PopART/Training/Training.h"
#include "lib/Poplar/Engine/ExecutableAccess.h"

#include <nlohmann/json.hpp>
#include <onnx/onnx_pb.h>
#include <poplar/Engine.hpp>
#include <poplar/ProfileValue.hpp>
#include <pva/pva.hpp>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <utility>

namespace popart::session {

using namespace populus::popir;

namespace {

/// Type and shape in a stream's buffer.
Info deviceInfo(const TensorInfo &info) {
  return {toOnnx(deviceDataType(info.type)), info.shape};
}

AnchorReturn returnOf(const Anchor &anchor) {
  switch (anchor.kind) {
  case Anchor::All:
    return {AnchorReturn::All};
  case Anchor::Final:
    return {AnchorReturn::Final};
  case Anchor::EveryN:
    return {AnchorReturn::EveryN, anchor.period};
  case Anchor::Sum:
    break;
  }
  return {AnchorReturn::Sum};
}

MachineOptions machineOf(const Setup &setup) {
  const Machine &machine = setup.machine;
  return {machine.target, machine.device, machine.numIpus * machine.replicas,
          machine.tilesPerIpu};
}

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

poplar::OptionFlags flagsOf(const Options &options) {
  poplar::OptionFlags flags;
  for (const auto &[name, value] : options)
    flags.set(name, value);
  return flags;
}

poplar::Executable executableOf(std::string bytes) {
  std::istringstream stream(std::move(bytes));
  return poplar::Executable::deserialize(stream);
}

} // namespace

struct SessionProgram::Impl {
  explicit Impl(Setup newSetup)
      : setup(std::move(newSetup)),
        settings(replicaSettings(parseModel(setup.model, "the model"),
                                 setup.machine.replicas)),
        module(importSetup(setup, states)),
        inspection(setup.output.logDirectory, setup.output.dotChecks,
                   {setup.output.firstDotOp, setup.output.finalDotOp,
                    setup.output.dotOpNames}) {
    const Graph &main = module->main();
    logging::info(logging::Module::ir, "{} operators of a model{}",
                  main.ops().size(),
                  setup.loss.empty() ? "" : " and its training");
    for (const Value &value : main.values())
      infos[value.name] = infoOf(value.info);
    returnInputs();
    Pipeline pipeline = pipelineOf(setup);
    options.pipelined = isOverlapped(*module, setup);
    placeOffChip(*module, setup, states);
    if (options.pipelined)
      pipeline.demanded = {"OrderStages", "StashStages"};
    inspection.run(*module, std::move(pipeline));
    logging::info(logging::Module::ir, "{} operators after all transforms",
                  main.ops().size());
    for (const char *checkpoint : {"MainLoops", "Final"})
      applyCustomTransforms(*module, setup.customTransforms, checkpoint);
    for (const Value *input : main.arguments())
      if (input->isUsed())
        inputs[input->name] = infoOf(input->info);
    for (const GraphResult &result : main.results())
      anchors[anchorOf(result)] = infoOf(result.value->info);
    options.replicas = setup.machine.replicas;
    options.batchesPerStep = setup.batchesPerStep;
    options.partials = setup.partials;
    options.convolutionOptions = setup.convolutionOptions;
    options.matmulOptions = setup.matmulOptions;
    options.microBatches = setup.accumulation.factor;
    options.roundsStochastically = setup.roundsStochastically;
    options.codelets = setup.codelets;
    options.codeletFlags = setup.codeletFlags;
    if (!setup.loss.empty())
      for (const auto &[name, value] :
           optimizerVariables(*module, setup.optimizer, setup.accumulation))
        numbers.insert(name);
    options.broadcastInputs = settings.broadcastInputs;
    rememberConstants();
    for (const Anchor &anchor : setup.anchors)
      options.anchorReturns[streamOf(anchor.name)] = returnOf(anchor);
  }

  /// An anchored input needs a stream in each direction. The stream to the
  /// device has the input's name; the other one gets a new name.
  void returnInputs() {
    Graph &main = module->main();
    for (GraphResult result : std::vector<GraphResult>(main.results())) {
      const bool isInput =
          std::ranges::any_of(main.arguments(), [&](const Value *input) {
            return input->name == result.name;
          });
      if (isInput) {
        const std::string stream = result.name + "/anchor";
        returnedInputs[stream] = std::exchange(result.name, stream);
      }
      main.removeResult(0);
      main.addResult(result.name, *result.value);
    }
  }

  const std::string &anchorOf(const GraphResult &result) const {
    const auto found = returnedInputs.find(result.name);
    return found == returnedInputs.end() ? result.name : found->second;
  }

  std::string streamOf(const std::string &anchor) const {
    const std::string stream = anchor + "/anchor";
    return returnedInputs.contains(stream) ? stream : anchor;
  }

  /// Records the constants that are read or anchored; others may change.
  void rememberConstants() {
    const onnx::ModelProto model = parseModel(setup.model, "the model");
    std::set<std::string> read;
    addReads(model.graph(), read);
    for (const Anchor &anchor : setup.anchors)
      read.insert(anchor.name);
    for (const onnx::TensorProto &tensor : model.graph().initializer())
      if (read.contains(tensor.name()) && !module->findVariable(tensor.name()))
        constants[tensor.name()] = hashOf(importTensor(tensor));
  }

  static std::string hashOf(const HostTensor &value) {
    populus::runtime::ContentHash hash;
    hash.add({reinterpret_cast<const char *>(value.bytes().data()),
              value.bytes().size()});
    return hash.digits();
  }

  void compile() {
    ExecutableCache cache = cacheFor();
    std::optional<std::string> kept = cache.find();
    logging::info(logging::Module::devicex, "{} the program",
                  kept ? "loading" : "compiling");
    use(kept ? executableOf(std::move(*kept)) : compileAnew(cache));
  }

  void use(poplar::Executable executable) {
    hostTensors.clear();
    for (const populus::runtime::HostTensor &tensor :
         populus::access(executable).hostTensors)
      hostTensors.insert(tensor.handle);
    engine = std::make_unique<poplar::Engine>(std::move(executable),
                                              flagsOf(setup.engineOptions));
    connect();
  }

  /// Cases without a cache: a tile map needs a complete compilation; custom
  /// operators and codelet files are not covered by the key.
  ExecutableCache cacheFor() const {
    if (setup.output.cacheDirectory.empty() || inspection.wantsTileMap() ||
        hasCustomOps() || !setup.customTransforms.empty() ||
        !setup.codelets.empty())
      return {};
    return {setup.output.cacheDirectory, keyOf(setup)};
  }

  poplar::Executable compileAnew(const ExecutableCache &cache) {
    options.mapTensors = inspection.wantsTileMap();
    TileProgram program = lowered(options);
    inspection.writeTileMap(program.tileMap);
    poplar::Executable executable = compileProgram(
        program, flagsOf(setup.engineOptions), setup.output.progress);
    cache.keep([&](std::ostream &file) { executable.serialize(file); });
    return executable;
  }

  TileProgram lowered(const ProgramOptions &how) const {
    const Interruptible scope(setup.output.check);
    return lowerModule(*module, makeTarget(machineOf(setup)), how,
                       setup.keepsGenerators);
  }

  /// The size of the generators' states, which the host writes before the first
  /// step.
  std::size_t numGeneratorWords() const {
    const poplar::Target target = makeTarget(machineOf(setup));
    return std::size_t(target.getNumTiles()) * target.getNumWorkerContexts() *
           4;
  }

  /// Derives the states from the seed, until the host writes others.
  void seedGenerators(std::uint64_t seed) {
    if (hostTensors.count(GeneratorsHandle) == 0)
      return;
    const poplar::Target target = makeTarget(machineOf(setup));
    const std::vector<std::uint32_t> words =
        generatorsOf(seed, target.getNumTiles(), target.getNumWorkerContexts());
    engine->writeTensor(GeneratorsHandle, words.data(),
                        words.data() + words.size());
  }

  /// Throws if an initializer that was compiled as a constant has changed.
  void setWeights(const std::string &model,
                  const std::function<bool(const std::string &)> &isWanted) {
    const onnx::ModelProto proto = parseModel(model, "the new weights");
    for (const onnx::TensorProto &tensor : proto.graph().initializer()) {
      if (staysOnDevice(tensor.name()) || !isWanted(tensor.name()))
        continue;
      HostTensor value = importTensor(tensor);
      if (const Variable *variable = module->findVariable(tensor.name()))
        writeVariable(*variable, onReplicas(*variable, std::move(value)));
      else
        checkConstant(tensor.name(), value);
    }
  }

  /// By replica, what it has of the host's data; one value where all have it.
  HostTensor onReplicas(const Variable &variable, HostTensor value) const {
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

  void writeVariable(const Variable &variable, const HostTensor &value) {
    populus::popir::writeVariable(*engine, variable, replicas(), value);
  }

  HostTensor readVariable(const Variable &variable) const {
    const HostTensor all =
        populus::popir::readVariable(*engine, variable, replicas());
    if (const Shape *whole = wholeOf(variable))
      return joined(all, *whole);
    const auto groups = settings.variables.find(variable.name);
    if (groups != settings.variables.end())
      return rowsOf(all, groups->second.returned());
    return rowsOf(all, {0}).reshaped(variable.info.shape);
  }

  /// The shape of the tensor that replicas have shards of; null where there are
  /// none.
  const Shape *wholeOf(const Variable &variable) const {
    const auto state = states.find(variable.name);
    return state != states.end() && state->second.whole ? &*state->second.whole
                                                        : nullptr;
  }

  unsigned replicas() const { return setup.machine.replicas; }

  bool staysOnDevice(const std::string &name) const {
    const auto state = states.find(name);
    if (state == states.end())
      return false;
    const StateKind kind = state->second.kind;
    if (kind == StateKind::Accumulator)
      return setup.keepsAccumulators;
    return kind == StateKind::Passing || setup.keepsOptimizerState;
  }

  void checkConstant(const std::string &name, const HostTensor &value) const {
    auto known = constants.find(name);
    if (known != constants.end() && known->second != hashOf(value))
      failUnsupported("the value of '{}' is part of the program's code, so it "
                      "cannot be changed",
                      name);
  }

  std::string withWeights(const std::string &model) const {
    onnx::ModelProto proto = parseModel(model, "the model");
    std::map<std::string, onnx::TensorProto *> known;
    for (onnx::TensorProto &tensor :
         *proto.mutable_graph()->mutable_initializer())
      known[tensor.name()] = &tensor;
    for (const Variable &variable : module->variables()) {
      if (numbers.contains(variable.name) || staysOnDevice(variable.name))
        continue;
      onnx::TensorProto *&tensor = known[variable.name];
      if (!tensor)
        tensor = proto.mutable_graph()->add_initializer();
      *tensor = toProto(variable.name, readVariable(variable),
                        tensor->has_raw_data());
    }
    return proto.SerializeAsString();
  }

  static onnx::TensorProto toProto(const std::string &name,
                                   const HostTensor &value, bool isRaw) {
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

  void setOptimizer(const Optimizer &optimizer) {
    if (std::string problem = whyNotReplaceable(setup.optimizer, optimizer);
        !problem.empty())
      failInput("the optimizer cannot take the place of the one that the "
                "session was made with: {}",
                problem);
    for (const auto &[name, value] :
         optimizerVariables(*module, optimizer, setup.accumulation))
      if (const Variable *variable = module->findVariable(name))
        writeVariable(*variable, HostTensor::scalar(DataType::Float, value));
  }

  void connect() {
    for (const Value *input : module->main().arguments())
      engine->connectStreamToCallback(
          input->name,
          [this, name = input->name, info = deviceInfo(input->info)](
              void *buffer) { readInput(name, info, buffer); });
    for (const GraphResult &output : module->main().results())
      engine->connectStreamToCallback(
          output.name, [this, name = anchorOf(output),
                        info = deviceInfo(output.value->info)](void *buffer) {
            transfers->write(name, info, buffer);
          });
  }

  /// An input that nothing reads may be left unset.
  void readInput(const std::string &name, const Info &info, void *buffer) {
    if (inputs.contains(name))
      return transfers->read(name, info, buffer);
    const auto type = fromOnnx(info.onnxType).value_or(DataType::Float);
    std::memset(buffer, 0, numElements(info.shape) * sizeOf(type));
  }

  Setup setup;
  ReplicaSettings settings;
  /// The variables that training adds to the weights.
  States states;
  std::unique_ptr<Module> module;
  Inspection inspection;
  ProgramOptions options;
  std::map<std::string, Info> infos, inputs, anchors;
  /// Anchored inputs, by the name of their stream to the host.
  std::map<std::string, std::string> returnedInputs;
  /// Hashes of the initializers that are compiled as constants.
  std::map<std::string, std::string> constants;
  /// Variables that hold hyperparameters of the optimizer.
  std::set<std::string> numbers;
  std::set<std::string> hostTensors; // handles of what can be written
  std::unique_ptr<poplar::Engine> engine;
  poplar::Device device;
  bool isLoaded = false;
  Transfers *transfers = nullptr;
};

SessionProgram::SessionProgram(Setup setup)
    : impl(translated(
          [&] { return std::make_unique<Impl>(std::move(setup)); })) {}

SessionProgram::~SessionProgram() = default;

void SessionProgram::compile() {
  if (!impl->engine)
    translated([&] { impl->compile(); });
}

void SessionProgram::load() {
  translated([&] {
    if (!impl->engine)
      failInput("there is no compiled engine to load; prepareDevice compiles");
    impl->device = makeDevice(machineOf(impl->setup));
    logging::info(logging::Module::devicex, "loading the engine");
    impl->engine->load(impl->device);
    impl->seedGenerators(0);
    writeOffChipVariables(*impl->engine, *impl->module, impl->replicas());
    // Initial values are the same in all replicas.
    impl->setWeights(impl->setup.model, [&](const std::string &name) {
      return impl->settings.variables.contains(name);
    });
    if (impl->hostTensors.contains(SeedHandle))
      writeSeed(*impl->engine, 0, impl->replicas());
    impl->isLoaded = true;
  });
}

bool SessionProgram::isLoaded() const { return impl->isLoaded; }

void SessionProgram::run(Transfers &transfers) {
  impl->transfers = &transfers;
  impl->engine->resetExecutionProfile();
  impl->engine->run(0);
  impl->transfers = nullptr;
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
  writeSeed(*impl->engine, seed, impl->replicas());
  return true;
}

std::optional<std::uint64_t> SessionProgram::randomSeed() const {
  if (impl->hostTensors.count(SeedHandle) == 0)
    return std::nullopt;
  std::vector<std::uint32_t> words(2 * impl->replicas());
  impl->engine->readTensor(SeedHandle, words.data(),
                           words.data() + words.size());
  return words[0] | std::uint64_t(words[1]) << 32;
}

const std::map<std::string, Info> &SessionProgram::inputs() const {
  return impl->inputs;
}

const std::map<std::string, Info> &SessionProgram::anchors() const {
  return impl->anchors;
}

const Info *SessionProgram::info(const std::string &tensor) const {
  auto found = impl->infos.find(tensor);
  return found == impl->infos.end() ? nullptr : &found->second;
}

std::vector<std::string> SessionProgram::tensors() const {
  std::vector<std::string> names;
  for (const auto &[name, info] : impl->infos)
    names.push_back(name);
  return names;
}

std::uint64_t SessionProgram::cycles() const {
  poplar::ProfileValue profile = impl->engine->getExecutionProfile();
  if (!profile.asMap().count("cycles"))
    return 0;
  return profile["cycles"]["total"].asUint();
}

static std::string serialized(const poplar::ProfileValue &value, bool cbor) {
  std::ostringstream text;
  if (cbor)
    poplar::serializeToCBOR(text, value);
  else
    poplar::serializeToJSON(text, value);
  return text.str();
}

std::string SessionProgram::graphReport(bool cbor) const {
  return serialized(impl->engine->getGraphProfile(), cbor);
}

/// True if a program has requested a profile of its runs. On the IPU Model the
/// engine always has one.
static bool wantsProfile(const Options &options) {
  return std::ranges::any_of(options, [](const auto &option) {
    return option.second == "true" &&
           (option.first.starts_with("debug.instrument") ||
            option.first.starts_with("autoReport."));
  });
}

/// The engine's profile of the last run, if it was requested.
static poplar::ProfileValue profileOf(poplar::Engine &engine,
                                      const Options &options) {
  poplar::ProfileValue profile = engine.getExecutionProfile();
  if (wantsProfile(options) || profile["profilerMode"].asString() == "CPU")
    return profile;
  return poplar::ProfileValue::Map{{"profilerMode", "NONE"}};
}

std::string SessionProgram::executionReport(bool cbor, bool reset) {
  std::string text =
      serialized(profileOf(*impl->engine, impl->setup.engineOptions), cbor);
  if (reset)
    impl->engine->resetExecutionProfile();
  return text;
}

std::string SessionProgram::summary(const Options &options, bool reset) {
  std::ostringstream text;
  poplar::printProfileSummary(
      text, impl->engine->getGraphProfile(),
      profileOf(*impl->engine, impl->setup.engineOptions), flagsOf(options));
  if (reset)
    impl->engine->resetExecutionProfile();
  return text.str();
}

pva::Report SessionProgram::report(bool reset) {
  pva::Report report = impl->engine->getReport();
  if (reset)
    impl->engine->resetExecutionProfile();
  return report;
}

std::string SessionProgram::irAsJson() const {
  return toJson(impl->module->main());
}

void SessionProgram::writeExecutable(const std::string &path) const {
  translated([&] {
    for (const Variable &variable : impl->module->variables())
      if (variable.isOffChip() && variable.initial)
        failUnsupported("an executable has no initial values of tensors that "
                        "are off chip, such as '{}', so it cannot be exported",
                        variable.name);
    populus::popir::writeFile(path, [&](std::ostream &file) {
      impl->engine->serializeExecutable(file);
    });
  });
}

// The first line of a serialized executable, with the key of its setup.
static std::string executableLine(const Setup &setup) {
  return "populus session " + keyOf(setup).digits() + "\n";
}

std::string SessionProgram::executable() const {
  return translated([&] {
    std::ostringstream bytes;
    bytes << executableLine(impl->setup);
    impl->engine->serializeExecutable(bytes);
    return std::move(bytes).str();
  });
}

void SessionProgram::useExecutable(const std::string &bytes) {
  translated([&] {
    const std::string line = executableLine(impl->setup);
    if (!bytes.starts_with("populus session "))
      failInput("this is no executable that a session has saved");
    if (!bytes.starts_with(line))
      failInput("the executable was compiled for another model, device or "
                "options, or by another build");
    impl->use(executableOf(bytes.substr(line.size())));
  });
}

void SessionProgram::keepInCache() const {
  translated([&] {
    impl->cacheFor().keep(
        [&](std::ostream &file) { impl->engine->serializeExecutable(file); });
  });
}

TileMap SessionProgram::tileMap() const {
  return translated([&] {
    ProgramOptions options = impl->options;
    options.mapTensors = true;
    const TileProgram program = impl->lowered(options);
    return nlohmann::json::parse(program.tileMap).get<TileMap>();
  });
}

std::string SessionProgram::graph() const {
  return translated([&] {
    const TileProgram program = impl->lowered(impl->options);
    std::ostringstream bytes;
    program.graph.serialize(bytes, {program.program},
                            poplar::SerializationFormat::Binary);
    return std::move(bytes).str();
  });
}

void SessionProgram::connect(const std::string &stream,
                             std::function<void(void *)> callback) {
  translated([&] {
    if (!impl->engine)
      failInput("there is no compiled engine whose streams could be connected; "
                "prepareDevice compiles");
    try {
      impl->engine->connectStreamToCallback(stream, std::move(callback));
    } catch (const poplar::poplar_error &error) {
      failInput("{}", error.what());
    }
  });
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

} // namespace popart::session
