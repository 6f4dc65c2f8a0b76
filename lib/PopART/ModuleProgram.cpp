// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stages from a module to an engine, and the engine's streams.

#include "lib/PopART/ModuleProgram.h"

#include "lib/PopART/Inspection.h"
#include "lib/PopART/Lowering/Lowering.h"
#include "lib/PopART/Support/Error.h"

#include <poplar/Engine.hpp>

namespace populus::popir {

namespace {

poplar::OptionFlags flagsOf(const std::map<std::string, std::string> &options) {
  poplar::OptionFlags flags;
  for (const auto &[name, value] : options)
    flags.set(name, value);
  return flags;
}

std::size_t deviceBytes(const TensorInfo &info) {
  return static_cast<std::size_t>(info.numElements()) *
         sizeOf(deviceDataType(info.type));
}

} // namespace

struct ModuleProgram::Impl {
  Impl(Module &module, const Options &options) : machine(options.machine) {
    Inspection(options.dotDirectory, options.dotChecks)
        .run(module, options.pipeline);
    for (const Variable &variable : module.variables())
      variables[variable.name] = variable.info;
    TileProgram program =
        lowerModule(module, makeTarget(machine), options.program);
    inputs = program.inputs;
    outputs = program.outputs;
    const poplar::OptionFlags flags = flagsOf(options.engineOptions);
    engine =
        std::make_unique<poplar::Engine>(compileProgram(program, flags), flags);
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

  const TensorInfo &info(const std::string &name) const {
    const auto found = variables.find(name);
    if (found == variables.end())
      failInput("the program has no variable '{}'", name);
    return found->second;
  }

  MachineOptions machine;
  std::map<std::string, TensorInfo> variables;
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
  const TensorInfo &info = impl->info(name);
  if (value.info() != info)
    failInput("the variable '{}' is {}, and the new value {}", name,
              toString(info), toString(value.info()));
  const HostTensor elements = toDevice(value, name);
  if (!elements.bytes().empty())
    impl->engine->writeTensor(weightHandle(name), elements.bytes().data(),
                              elements.bytes().data() +
                                  elements.bytes().size());
}

HostTensor ModuleProgram::readVariable(const std::string &name) const {
  const TensorInfo &info = impl->info(name);
  HostTensor elements({deviceDataType(info.type), info.shape});
  if (!elements.bytes().empty())
    impl->engine->readTensor(weightHandle(name), elements.bytes().data(),
                             elements.bytes().data() + elements.bytes().size());
  return elements.convertedTo(info.type);
}

poplar::Engine &ModuleProgram::engine() { return *impl->engine; }

} // namespace populus::popir
