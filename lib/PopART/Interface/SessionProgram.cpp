// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler's side of a session: the driver makes the program
// (SessionModule.h is its source), and callbacks serve the streams of the
// engine.

#include "lib/PopART/Interface/SessionProgram.h"

#include "lib/PopART/Import/ModelFile.h"
#include "lib/PopART/Interface/SessionProgramImpl.h"
#include "lib/PopART/Interface/Translated.h"
#include "lib/PopART/Lowering/Lowering.h"
#include "lib/PopART/ReplicaData.h"
#include "lib/PopART/Support/Error.h"
#include "lib/PopART/Support/Log.h"
#include "lib/PopART/Training/Training.h"
#include "lib/Poplar/Engine/EngineAccess.h"
#include "lib/Poplar/Engine/ExecutableAccess.h"

#include <onnx/onnx_pb.h>
#include <poplar/Engine.hpp>

#include <cstring>
#include <utility>

namespace popart::session {

using namespace populus::popir;

/// Type and shape in a stream's buffer.
static Info deviceInfo(const TensorInfo &info) {
  return {toOnnx(deviceDataType(info.type)), info.shape};
}

SessionProgram::Impl::Impl(Setup newSetup)
    : setup(std::move(newSetup)), source(setup), driver(setup.request, source),
      settings(replicaSettings(parseModel(setup.model, "the model"),
                               setup.request.program.replicas)),
      module(driver.module()) {
  for (const Value *input : module.main().arguments())
    if (input->isUsed())
      inputs[input->name] = infoOf(input->info);
  for (const GraphResult &result : module.main().results())
    anchors[anchorOf(result)] = infoOf(result.value->info);
  if (!setup.loss.empty())
    for (const auto &[name, value] :
         optimizerVariables(module, setup.optimizer, setup.accumulation))
      numbers.insert(name);
  rememberConstants();
}

const std::string &
SessionProgram::Impl::anchorOf(const GraphResult &result) const {
  const auto found = source.returnedInputs.find(result.name);
  return found == source.returnedInputs.end() ? result.name : found->second;
}

void SessionProgram::Impl::compile() {
  Result result = driver.run();
  logging::info(logging::Module::devicex, "{} the program",
                result.isFromCache ? "loaded" : "compiled");
  use(std::move(result.executable));
}

void SessionProgram::Impl::use(poplar::Executable executable) {
  hostTensors.clear();
  for (const populus::runtime::HostTensor &tensor :
       populus::access(executable).hostTensors)
    hostTensors.insert(tensor.handle);
  engine = std::make_unique<poplar::Engine>(std::move(executable),
                                            setup.request.runFlags());
  connect();
}

void SessionProgram::Impl::connect() {
  for (const Value *input : module.main().arguments())
    engine->connectStreamToCallback(
        input->name, [this, name = input->name, info = deviceInfo(input->info)](
                         void *buffer) { readInput(name, info, buffer); });
  for (const GraphResult &output : module.main().results())
    engine->connectStreamToCallback(
        output.name,
        [this, name = anchorOf(output), info = deviceInfo(output.value->info)](
            void *buffer) { transfers->write(name, info, buffer); });
}

/// An input that nothing reads may be left unset.
void SessionProgram::Impl::readInput(const std::string &name, const Info &info,
                                     void *buffer) {
  if (inputs.contains(name))
    return transfers->read(name, info, buffer);
  const auto type = fromOnnx(info.onnxType).value_or(DataType::Float);
  std::memset(buffer, 0, numElements(info.shape) * sizeOf(type));
}

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
    impl->device = makeDevice(impl->setup.request.ownMachine());
    logging::info(logging::Module::devicex, "loading the engine");
    impl->engine->load(impl->device);
    impl->seedGenerators(0);
    writeOffChipVariables(*impl->engine, impl->module, impl->share());
    // Initial values are the same in all replicas.
    impl->setWeights(impl->setup.model, [&](const std::string &name) {
      return impl->settings.variables.contains(name);
    });
    if (impl->hostTensors.contains(SeedHandle))
      writeSeed(*impl->engine, 0, impl->share());
    impl->isLoaded = true;
  });
}

bool SessionProgram::isLoaded() const { return impl->isLoaded; }

void SessionProgram::run(Transfers &transfers) {
  impl->transfers = &transfers;
  const std::uint64_t before = populus::clockOf(*impl->engine);
  impl->engine->run(0);
  impl->lastCycles = populus::clockOf(*impl->engine) - before;
  impl->transfers = nullptr;
}

const std::map<std::string, Info> &SessionProgram::inputs() const {
  return impl->inputs;
}

const std::map<std::string, Info> &SessionProgram::anchors() const {
  return impl->anchors;
}

const Info *SessionProgram::info(const std::string &tensor) const {
  auto found = impl->source.infos.find(tensor);
  return found == impl->source.infos.end() ? nullptr : &found->second;
}

std::vector<std::string> SessionProgram::tensors() const {
  std::vector<std::string> names;
  for (const auto &[name, info] : impl->source.infos)
    names.push_back(name);
  return names;
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

} // namespace popart::session
