// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface's side of sessions: checks the order of calls, and connects the
// streams of a step to a StepIO.

#include "lib/PopART/Interface/Optimizers.h"
#include "lib/PopART/Interface/SessionSetup.h"
#include "lib/PopART/Interface/SessionState.h"
#include "lib/PopART/Interface/TensorInfos.h"
#include "lib/PopART/Support/OnnxTypes.h"

#include <pva/pva.hpp>
#include <pvti/pvti.hpp>

#include <algorithm>
#include <map>
#include <random>

namespace popart {

namespace {

/// Maps 64-bit types to the device's 32-bit types.
DataType narrowed(DataType type) {
  switch (type) {
  case DataType::INT64:
    return DataType::INT32;
  case DataType::UINT64:
    return DataType::UINT32;
  case DataType::DOUBLE:
    return DataType::FLOAT;
  default:
    return type;
  }
}

/// The data type for a tensor of the model. NumPy lacks BFLOAT16 and passes its
/// bits as UINT16.
DataType typeOfData(DataType found, DataType wanted) {
  const bool isBits = found == DataType::UINT16 && wanted == DataType::BFLOAT16;
  return isBits ? wanted : found;
}

DataType typeOfData(const TensorInfo &found, const session::Info &model) {
  return typeOfData(found.dataType(), session::toTensorInfo(model).dataType());
}

/// Checks that data has the tensor's type. 64-bit types may be narrowed to 32
/// bits unless the session forbids it.
void checkType(const std::string &id, DataType given, DataType wanted,
               const SessionOptions &options) {
  const DataType found = typeOfData(given, wanted);
  const bool isCast = options.enableSupportedDataTypeCasting &&
                      narrowed(found) == narrowed(wanted);
  if (found == narrowed(wanted) || found == wanted || isCast)
    return;
  throw runtime_error("The data for Tensor {} is of type {}, and the tensor is "
                      "of type {}{}",
                      id, getDataTypeName(found), getDataTypeName(wanted),
                      narrowed(found) == narrowed(wanted)
                          ? "; the session option "
                            "enableSupportedDataTypeCasting converts it"
                          : "");
}

/// Serves streams from and to a StepIO.
class StepTransfers final : public session::Transfers {
public:
  StepTransfers(IStepIO &stepIO, const popart_detail::SessionState &state)
      : stepIO(stepIO), state(state),
        synthetic(state.options.syntheticDataMode) {}

  void read(const std::string &input, const session::Info &info,
            void *buffer) override {
    TensorInfo wanted = session::toTensorInfo(info);
    if (synthetic != SyntheticDataMode::Off)
      return fillSynthetic(info, wanted.nelms(), buffer);
    ConstVoidData data = stepIO.in(input, wanted.nelms(), false);
    const session::Info &model = state.program.inputs().at(input);
    check(input, data.data, data.info, wanted, model);
    const int given = session::toOnnx(typeOfData(data.info, model));
    if (const std::string lost = session::lostInteger(
            data.data, given, info.onnxType, wanted.nelms());
        !lost.empty())
      throw runtime_error("the data for '{}' does not fit {}, which is its "
                          "type on the device: {}",
                          input, getDataTypeName(wanted.dataType()), lost);
    session::convert(data.data, given, buffer, info.onnxType, wanted.nelms());
    stepIO.inComplete(input, wanted.nelms());
  }

  void write(const std::string &anchor, const session::Info &info,
             const void *buffer) override {
    if (synthetic != SyntheticDataMode::Off)
      return;
    TensorInfo given = session::toTensorInfo(info);
    MutableVoidData data = stepIO.out(anchor, given.nelms());
    const session::Info &model = state.program.anchors().at(anchor);
    check(anchor, data.data, data.info, given, model);
    session::convert(buffer, info.onnxType, data.data,
                     session::toOnnx(typeOfData(data.info, model)),
                     given.nelms());
    stepIO.outComplete(anchor);
  }

private:
  /// Fills a buffer with synthetic data, the same in every step: normal or
  /// uniform [0, 1) random numbers, truncated for integers.
  void fillSynthetic(const session::Info &info, std::int64_t count,
                     void *buffer) const {
    std::vector<float> values(static_cast<std::size_t>(count));
    std::mt19937 engine(42);
    std::normal_distribution<float> normal;
    std::uniform_real_distribution<float> uniform;
    if (synthetic == SyntheticDataMode::RandomNormal)
      std::generate(values.begin(), values.end(),
                    [&] { return normal(engine); });
    if (synthetic == SyntheticDataMode::RandomUniform)
      std::generate(values.begin(), values.end(),
                    [&] { return uniform(engine); });
    session::convert(values.data(), session::toOnnx(DataType::FLOAT), buffer,
                     info.onnxType, count);
  }

  /// `wanted` is the device's type, `model` the model's.
  void check(const std::string &id, const void *data, const TensorInfo &found,
             const TensorInfo &wanted, const session::Info &model) const {
    if (!data)
      throw runtime_error("there is no data for '{}'", id);
    if (stepIO.runtimeAssertsEnabled())
      checkType(id, found.dataType(), session::toTensorInfo(model).dataType(),
                state.options);
    if (found.nelms() < wanted.nelms())
      throw runtime_error("the data for '{}' is {}, which has fewer than {} "
                          "elements",
                          id, found, wanted.nelms());
  }

  IStepIO &stepIO;
  const popart_detail::SessionState &state;
  SyntheticDataMode synthetic;
};

/// True if an anchor returns all micro-batches of a batch.
bool returnsMicroBatches(const AnchorReturnType &type) {
  return type.id() == AnchorReturnTypeId::All ||
         type.id() == AnchorReturnTypeId::EveryN;
}

/// Checks that the StepIO has the data of a step, for tensors of the model.
void checkStepIO(const IStepIO &stepIO,
                 const popart_detail::SessionState &state) {
  const std::int64_t microBatches = state.options.accumulationFactor;
  const std::int64_t inputs =
      state.dataFlow.batchesPerStep() * microBatches * state.replicas;
  auto check = [&](const std::string &id, const session::Info &info,
                   std::int64_t count, bool isInput) {
    const TensorInfo one = session::toTensorInfo(info);
    stepIO.checkNumElements(id, one.nelms() * count, isInput);
    const DataType given = stepIO.typeOf(id, isInput);
    if (given != DataType::UNDEFINED)
      checkType(id, given, one.dataType(), state.options);
  };
  std::set<TensorId> known = state.inputs;
  for (const auto &[id, elements] : state.weights)
    known.insert(id);
  stepIO.checkInputs(known);
  // Data of weights is not read.
  for (const auto &[id, elements] : state.weights)
    if (stepIO.typeOf(id, true) != DataType::UNDEFINED)
      stepIO.checkNumElements(id, elements * inputs, true);
  for (const auto &[id, info] : state.program.inputs())
    check(id, info,
          state.broadcastInputs.contains(id) ? inputs / state.replicas : inputs,
          true);
  for (const auto &[id, info] : state.program.anchors())
    check(id, info,
          state.dataFlow.numOutFetchesPerRepl(id) *
              (returnsMicroBatches(state.dataFlow.art(id)) ? microBatches : 1) *
              state.replicas,
          false);
}

} // namespace

Session::Session(std::unique_ptr<popart_detail::SessionState> state)
    : state(std::move(state)) {}

Session::~Session() = default;

void Session::prepareDevice(bool loadEngine) {
  const pvti::Tracepoint span(&pvti::traceFramework,
                              "popart::Session::prepareDevice");
  if (!state->options.compileEngine)
    return;
  state->program.compile();
  if (loadEngine)
    loadEngineAndConnectStreams();
}

void Session::loadEngineAndConnectStreams() { state->program.load(); }

/// Sends a new seed to the device before it is used.
static void giveSeed(popart_detail::SessionState &state) {
  if (state.hasNewSeed && !state.program.setRandomSeed(state.randomSeed))
    session::logWarning("setRandomSeed: the model draws no random numbers");
  state.hasNewSeed = false;
}

void Session::run(IStepIO &stepIO, const std::string &) {
  const pvti::Tracepoint span(&pvti::traceFramework, "popart::Session::run");
  if (!state->program.isLoaded())
    throw runtime_error("Devicex::prepare() must be called before "
                        "Devicex::run(const IStepIO &) is called.");
  if (state->isTraining && !state->hasWeights && !state->weights.empty())
    throw runtime_error("Must call weightsFromHost before run as the model has "
                        "initializers and the session has been created in "
                        "training mode");
  bool isSynthetic = state->options.syntheticDataMode != SyntheticDataMode::Off;
  if (stepIO.runtimeAssertsEnabled() && !isSynthetic)
    checkStepIO(stepIO, *state);
  giveSeed(*state);
  StepTransfers transfers(stepIO, *state);
  state->program.run(transfers);
  state->hasRun = true;
  state->areHostWeightsInSync = false;
}

void Session::setRandomSeed(std::uint64_t seed) {
  if (!state->program.isLoaded())
    throw runtime_error("Devicex::prepare() must be called before "
                        "Devicex::setRandomSeedFromHost(uint64_t) is called.");
  state->randomSeed = seed;
  state->hasNewSeed = true;
}

std::uint64_t Session::getRandomSeed() const {
  if (!state->program.isLoaded())
    throw runtime_error("Devicex::prepare() must be called before "
                        "Devicex::getRandomSeedToHost() is called.");
  if (state->hasNewSeed)
    return state->randomSeed;
  return state->program.randomSeed().value_or(state->randomSeed);
}

static void needGenerators(const popart_detail::SessionState &state,
                           const char *what) {
  if (!state.options.enableLoadAndOffloadRNGState)
    throw runtime_error("Trying to {} the RNG state, but the session option "
                        "enableLoadAndOffloadRNGState must be set to True",
                        what);
  if (!state.program.isLoaded())
    throw runtime_error("Devicex::prepare() must be called before the RNG "
                        "state can be {}.",
                        what);
}

std::vector<std::uint32_t> Session::getRNGState() {
  needGenerators(*state, "get");
  giveSeed(*state);
  return state->program.generators();
}

void Session::setRNGState(const std::vector<std::uint32_t> &words) {
  needGenerators(*state, "set");
  giveSeed(*state);
  const std::size_t wanted = state->program.numGeneratorWords();
  if (words.size() != wanted)
    throw runtime_error("Devicex::setRngStateValue received rngState of size "
                        "{}; was expecting size {}",
                        words.size(), wanted);
  state->program.setGenerators(words);
}

bool Session::hasInfo(const TensorId &id) const {
  return state->program.info(id) != nullptr;
}

TensorInfo Session::getInfo(const TensorId &id) const {
  const session::Info *info = state->program.info(id);
  if (!info)
    throw error("TensorInfo for `{}' not set", id);
  return session::toTensorInfo(*info);
}

std::set<TensorId> Session::getAllTensorIds() const {
  std::vector<std::string> names = state->program.tensors();
  return {names.begin(), names.end()};
}

const DataFlow &Session::getDataFlow() const { return state->dataFlow; }

const SessionOptions &Session::getSessionOptions() const {
  return state->options;
}

TensorInfo Session::getAnchorInfo(const TensorId &id) const {
  const AnchorReturnType type = state->dataFlow.art(id);
  const int batchesPerStep = state->dataFlow.batchesPerStep();
  if (type.id() == AnchorReturnTypeId::EveryN &&
      batchesPerStep % type.rp() != 0)
    throw runtime_error("the anchor '{}' is returned every {} batches, which "
                        "does not divide the {} batches of a step",
                        id, type.rp(), batchesPerStep);
  const std::int64_t batches = state->dataFlow.numOutFetchesPerRepl(id);
  Shape shape;
  for (const std::int64_t extent :
       {batches,
        returnsMicroBatches(type) ? state->options.accumulationFactor : 1,
        state->replicas})
    if (extent != 1)
      shape.push_back(extent);
  // A tensor not in the main graph may be a result of a subgraph.
  const auto found = state->program.anchors().find(id);
  const TensorInfo one = found == state->program.anchors().end()
                             ? getInfo(id)
                             : session::toTensorInfo(found->second);
  shape.insert(shape.end(), one.shape().begin(), one.shape().end());
  return {narrowed(one.dataType()), shape};
}

unsigned Session::getReplicationFactor() const {
  return static_cast<unsigned>(state->replicas);
}

std::uint64_t Session::getCycleCount(const std::string &) const {
  if (!state->options.instrumentWithHardwareCycleCounter)
    throw runtime_error("getCycleCount needs the session option "
                        "instrumentWithHardwareCycleCounter");
  if (!state->hasRun)
    throw runtime_error("run has to be called before getCycleCount");
  return state->program.cycles();
}

std::string Session::getSummaryReport(bool resetProfile) const {
  if (!state->program.isLoaded())
    throw runtime_error("prepareDevice has to be called before "
                        "getSummaryReport");
  return state->program.summary(state->options.reportOptions, resetProfile);
}

std::string Session::getGraphReport(bool useCbor) const {
  if (!state->program.isLoaded())
    throw runtime_error("prepareDevice has to be called before "
                        "getGraphReport");
  return state->program.graphReport(useCbor);
}

std::string Session::getExecutionReport(bool useCbor, bool resetProfile) const {
  if (!state->program.isLoaded())
    throw runtime_error("prepareDevice has to be called before "
                        "getExecutionReport");
  return state->program.executionReport(useCbor, resetProfile);
}

pva::Report Session::getReport(bool resetProfile) const {
  if (!state->program.isLoaded())
    throw runtime_error("prepareDevice has to be called before getReport");
  return state->program.report(resetProfile);
}

std::string Session::serializeIr() const { return state->program.irAsJson(); }

namespace {

/// Throws if an input needs a conversion that the session forbids.
void refuseCasts(const session::SessionProgram &program) {
  for (const auto *tensors : {&program.inputs(), &program.anchors()})
    for (const auto &entry : *tensors) {
      const TensorInfo info = session::toTensorInfo(entry.second);
      if (narrowed(info.dataType()) != info.dataType())
        throw error("'{}' is {}, which the device does not have, and the "
                    "session option enableSupportedDataTypeCasting is false",
                    entry.first, info);
    }
}

/// Creates the state of any session; errors name the kind of session.
std::unique_ptr<popart_detail::SessionState>
makeState(const char *kind, const std::string &model, const DataFlow &dataFlow,
          const std::shared_ptr<DeviceInfo> &device,
          const InputShapeInfo &inputShapes, const SessionOptions &options,
          const Patterns &patterns, const TensorId &loss = {},
          const Optimizer *optimizer = nullptr) {
  if (!device)
    throw error("{}: there is no device", kind);
  checkOptions(options, optimizer);
  session::ExternalPlaces places;
  const std::string bytes = session::modelBytes(model, &places);
  session::Setup setup =
      setupOf(bytes, dataFlow, *device, inputShapes, options, patterns);
  if (optimizer) {
    setup.loss = loss;
    setup.optimizer = toCompiler(*optimizer);
  } else if (setup.automaticLossScaling)
    throw error("[AutomaticLossScale transform] Only compatible when doing "
                "training");
  // Data of a step is that of this process' replicas.
  const std::int64_t replicas = setup.request.share().count;
  auto state = std::make_unique<popart_detail::SessionState>(
      std::move(setup), bytes, dataFlow, options);
  if (!options.enableSupportedDataTypeCasting)
    refuseCasts(state->program);
  state->replicas = replicas;
  state->broadcastInputs = session::broadcastInputsOf(bytes);
  state->isTraining = optimizer != nullptr;
  state->isOnCpu = device->getType() == DeviceType::Cpu;
  state->places = places;
  return state;
}

} // namespace

InferenceSession::~InferenceSession() = default;

std::unique_ptr<InferenceSession> InferenceSession::createFromOnnxModel(
    const std::string &model, const DataFlow &dataFlow,
    std::shared_ptr<DeviceInfo> device, const InputShapeInfo &inputShapes,
    const SessionOptions &options, const Patterns &patterns,
    const std::string &) {
  if (options.enableGradientAccumulation)
    throw error("Gradient Accumulation only available when training");
  if (dataFlow.nAnchors() == 0)
    throw error("User must specify an anchor tensor when doing inference.");
  return std::unique_ptr<InferenceSession>(
      new InferenceSession(makeState("InferenceSession", model, dataFlow,
                                     device, inputShapes, options, patterns)));
}

TrainingSession::~TrainingSession() = default;

std::unique_ptr<TrainingSession> TrainingSession::createFromOnnxModel(
    const std::string &model, const DataFlow &dataFlow, const TensorId &loss,
    const Optimizer &optimizer, std::shared_ptr<DeviceInfo> device,
    const InputShapeInfo &inputShapes, const SessionOptions &options,
    const Patterns &patterns, const std::string &) {
  return std::unique_ptr<TrainingSession>(new TrainingSession(
      makeState("TrainingSession", model, dataFlow, device, inputShapes,
                options, patterns, loss, &optimizer)));
}

void TrainingSession::updateOptimizerFromHost(const Optimizer *optimizer) {
  if (!optimizer)
    throw error("updateOptimizerFromHost: there is no optimizer");
  if (!state->program.isLoaded())
    throw runtime_error("prepareDevice has to be called before "
                        "updateOptimizerFromHost");
  state->program.setOptimizer(toCompiler(*optimizer));
}

} // namespace popart
