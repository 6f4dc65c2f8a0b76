// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A module as a source of the driver, its engine, and the engine's streams.

#include "lib/PopART/ModuleProgram.h"

#include "lib/PopART/Driver.h"
#include "lib/PopART/IR/Text.h"
#include "lib/PopART/Lowering/Lowering.h"
#include "lib/PopART/ReplicaData.h"
#include "lib/PopART/Support/Error.h"
#include "lib/Poplar/Engine/ExecutableAccess.h"

#include <poplar/Engine.hpp>

#include <algorithm>
#include <map>

namespace populus::popir {

namespace {

/// A module that there is already.
class GivenModule : public Source {
public:
  explicit GivenModule(Module &module) : given(module) {}

  void addTo(OptionKey &key) const override {
    TextOptions whole;
    whole.elide = false;
    key.add(toString(given, whole));
  }
  Module &module(Request &) override { return given; }

private:
  Module &given;
};

/// The streams that operators of a module load from, or store to.
std::vector<StreamInfo> streamsOf(const Module &module, bool isLoaded) {
  std::map<std::string, TensorInfo> streams;
  for (const Graph &graph : module.graphs())
    for (const Op *op : graph.ops()) {
      const std::string name = op->attributes().getString("stream", "");
      if (isLoaded && op->id().type == "HostLoad")
        streams[name] = op->output().info;
      if (!isLoaded && op->id().type == "HostStore")
        streams[name] = op->input(0).info;
    }
  std::vector<StreamInfo> list;
  for (const auto &[name, info] : streams)
    list.push_back({name, info});
  return list;
}

std::size_t deviceBytes(const TensorInfo &info) {
  return static_cast<std::size_t>(info.numElements()) *
         sizeOf(deviceDataType(info.type));
}

} // namespace

struct ModuleProgram::Impl {
  Impl(Module &module, const Request &request)
      : machine(request.ownMachine()), replicas(request.share()) {
    GivenModule source(module);
    Driver driver(request, source);
    driver.module();
    for (const Variable &variable : module.variables())
      variables.emplace(variable.name, variable);
    inputs = streamsOf(module, true);
    outputs = streamsOf(module, false);
    poplar::Executable executable = driver.run().executable;
    isRandom = std::ranges::any_of(access(executable).hostTensors,
                                   [](const runtime::HostTensor &tensor) {
                                     return tensor.handle == SeedHandle;
                                   });
    engine = std::make_unique<poplar::Engine>(std::move(executable),
                                              request.runFlags());
    connect();
  }

  void connect() {
    for (std::size_t i = 0; i != inputs.size(); ++i)
      engine->connectStreamToCallback(inputs[i].name, [this, i](void *buffer) {
        (*read)(i, buffer, deviceBytes(inputs[i].info));
      });
    for (std::size_t i = 0; i != outputs.size(); ++i)
      engine->connectStreamToCallback(outputs[i].name, [this, i](void *buffer) {
        (*write)(i, buffer, deviceBytes(outputs[i].info));
      });
  }

  const Variable &variable(const std::string &name) const {
    const auto found = variables.find(name);
    if (found == variables.end())
      failInput("the program has no variable '{}'", name);
    return found->second;
  }

  MachineOptions machine; // of this process
  Replicas replicas;
  /// True if the program has a seed of random numbers.
  bool isRandom = false;
  std::map<std::string, Variable> variables;
  std::vector<StreamInfo> inputs, outputs;
  std::unique_ptr<poplar::Engine> engine;
  poplar::Device device;
  const Transfer *read = nullptr;
  const Transfer *write = nullptr;
};

ModuleProgram::ModuleProgram(Module &module, const Request &request)
    : impl(std::make_unique<Impl>(module, request)) {}

ModuleProgram::~ModuleProgram() = default;

void ModuleProgram::load() {
  impl->device = makeDevice(impl->machine);
  impl->engine->load(impl->device);
  if (impl->isRandom)
    writeSeed(*impl->engine, 0, impl->replicas);
  for (const auto &[name, variable] : impl->variables)
    if (variable.isOffChip() && variable.initial)
      writeVariable(name, *variable.initial);
}

const std::vector<StreamInfo> &ModuleProgram::inputs() const {
  return impl->inputs;
}
const std::vector<StreamInfo> &ModuleProgram::outputs() const {
  return impl->outputs;
}

void ModuleProgram::run(const Transfer &read, const Transfer &write) {
  impl->read = &read;
  impl->write = &write;
  impl->engine->run(0);
}

bool ModuleProgram::hasVariable(const std::string &name) const {
  return impl->variables.contains(name);
}

void ModuleProgram::writeVariable(const std::string &name,
                                  const HostTensor &value) {
  popir::writeVariable(*impl->engine, impl->variable(name), impl->replicas,
                       value);
}

HostTensor ModuleProgram::readVariable(const std::string &name,
                                       bool ofAll) const {
  const Variable &variable = impl->variable(name);
  if (!ofAll || impl->replicas.total == 1)
    return readFirst(*impl->engine, variable, impl->replicas);
  return popir::readVariable(*impl->engine, variable, impl->replicas);
}

poplar::Engine &ModuleProgram::engine() { return *impl->engine; }

} // namespace populus::popir
