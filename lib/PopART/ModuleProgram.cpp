// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stages from a module to an engine, and the engine's streams.

#include "lib/PopART/ModuleProgram.h"

#include "lib/PopART/CompileKey.h"
#include "lib/PopART/Custom/CustomOps.h"
#include "lib/PopART/IR/Text.h"
#include "lib/PopART/Inspection.h"
#include "lib/PopART/Lowering/Lowering.h"
#include "lib/PopART/ReplicaData.h"
#include "lib/PopART/Support/Cache.h"
#include "lib/PopART/Support/Error.h"
#include "lib/Poplar/Engine/ExecutableAccess.h"

#include <poplar/Engine.hpp>

#include <algorithm>
#include <sstream>

namespace populus::popir {

namespace {

poplar::OptionFlags flagsOf(const std::map<std::string, std::string> &options) {
  poplar::OptionFlags flags;
  for (const auto &[name, value] : options)
    flags.set(name, value);
  return flags;
}

/// The cache entry of a module; none with custom operators, which the key does
/// not cover.
ExecutableCache cacheFor(const Module &module,
                         const ModuleProgram::Options &options) {
  if (options.cacheDirectory.empty() || hasCustomOps())
    return {};
  TextOptions whole;
  whole.elide = false;
  return {options.cacheDirectory,
          keyOfModule(options, toString(module, whole))};
}

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
  Impl(Module &module, const Options &options)
      : machine(options.machine), replicas(options.program.replicas) {
    const ExecutableCache cache = cacheFor(module, options);
    Inspection(options.dotDirectory, options.dotChecks)
        .run(module, options.pipeline);
    for (const Variable &variable : module.variables())
      variables.emplace(variable.name, variable);
    inputs = streamsOf(module, true);
    outputs = streamsOf(module, false);
    const poplar::OptionFlags flags = flagsOf(options.engineOptions);
    poplar::Executable executable = executableOf(module, options, flags, cache);
    isRandom = std::ranges::any_of(access(executable).hostTensors,
                                   [](const runtime::HostTensor &tensor) {
                                     return tensor.handle == SeedHandle;
                                   });
    engine = std::make_unique<poplar::Engine>(std::move(executable), flags);
    connect();
  }

  poplar::Executable executableOf(const Module &module, const Options &options,
                                  const poplar::OptionFlags &flags,
                                  const ExecutableCache &cache) const {
    if (std::optional<std::string> kept = cache.find()) {
      std::istringstream stream(std::move(*kept));
      return poplar::Executable::deserialize(stream);
    }
    TileProgram program =
        lowerModule(module, makeTarget(machine), options.program);
    poplar::Executable executable =
        compileProgram(program, flags, options.progress);
    cache.keep([&](std::ostream &file) { executable.serialize(file); });
    return executable;
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

  MachineOptions machine;
  unsigned replicas;
  /// True if the program has a seed of random numbers.
  bool isRandom = false;
  std::map<std::string, Variable> variables;
  std::vector<StreamInfo> inputs, outputs;
  std::unique_ptr<poplar::Engine> engine;
  poplar::Device device;
  const Transfer *read = nullptr;
  const Transfer *write = nullptr;
};

ModuleProgram::ModuleProgram(Module &module, const Options &options)
    : impl(std::make_unique<Impl>(module, options)) {}

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

HostTensor ModuleProgram::readVariable(const std::string &name) const {
  const Variable &variable = impl->variable(name);
  HostTensor value =
      popir::readVariable(*impl->engine, variable, impl->replicas);
  return impl->replicas == 1 ? value.reshaped(variable.info.shape) : value;
}

poplar::Engine &ModuleProgram::engine() { return *impl->engine; }

} // namespace populus::popir
