// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stages of a compilation, one after the other.

#include "lib/PopART/Compile.h"

#include "lib/PopART/Import/ModelFile.h"
#include "lib/PopART/Support/Error.h"
#include "lib/PopART/Support/Log.h"
#include "lib/PopART/Support/OutputFile.h"
#include "lib/Poplar/ExecutableAccess.h"
#include "runtime/Format/Executable.h"
#include "runtime/Target/TargetInfo.h"

#include <onnx/onnx_pb.h>
#include <poplar/IPUModel.hpp>

#include <chrono>
#include <filesystem>
#include <ostream>

namespace popart {

namespace {

using populus::runtime::TargetInfo;

const TargetInfo &findTarget(const std::string &name) {
  std::vector<std::string_view> names;
  for (const TargetInfo &target : populus::runtime::allTargets()) {
    if (target.name == name)
      return target;
    names.push_back(target.name);
  }
  fail(ErrorKind::Usage, "--target: there is no target '{}'; there are {}",
       name, fmt::join(names, ", "));
}

void checkMachine(const MachineOptions &machine, const TargetInfo &target) {
  bool isCpuDevice = machine.device == "cpu";
  if (!isCpuDevice && machine.device != "ipu" && machine.device != "ipu-model")
    fail(ErrorKind::Usage,
         "--device: there is no device '{}'; there are ipu, ipu-model and cpu",
         machine.device);
  if (target.isIpu() == isCpuDevice)
    fail(ErrorKind::Usage, "--target {} does not run on --device {}",
         machine.target, machine.device);
  if (!target.isIpu() && (machine.numIpus != 1 || machine.tilesPerIpu > 1))
    fail(ErrorKind::Usage, "--target cpu has one tile");
  if (machine.tilesPerIpu > target.tilesPerIpu)
    fail(ErrorKind::Usage, "--tiles {}: an {} has {} tiles",
         machine.tilesPerIpu, machine.target, target.tilesPerIpu);
}

/// Writes the IR of each stage into a folder, numbered in order.
class StageDump {
public:
  explicit StageDump(const std::string &folder) : folder(folder) {
    if (folder.empty())
      return;
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error)
      failInput("{}: the folder cannot be made: {}", folder, error.message());
  }

  void write(std::string_view stage, const Graph &ir) {
    if (!folder.empty())
      writeText(fmt::format("{}/{:02}-{}.txt", folder, number++, stage),
                toString(ir));
  }

private:
  std::string folder;
  unsigned number = 0;
};

class Timer {
public:
  /// Runs a stage and remembers how long it took.
  template <class Function>
  auto operator()(const std::string &name, Function &&function) {
    using Clock = std::chrono::steady_clock;
    struct Scope {
      Timer &timer;
      const std::string &name;
      Clock::time_point start = Clock::now();
      ~Scope() {
        std::chrono::duration<double> time = Clock::now() - start;
        timer.times.push_back({name, time.count()});
      }
    } scope{*this, name};
    logging::info(logging::Module::session, "{}", name);
    return function();
  }

  std::vector<StageTime> times;
};

/// Runs `function`; errors that it ends with name the model.
template <class Function>
auto aboutModel(const std::string &path, Function &&function) {
  try {
    return function();
  } catch (const Error &error) {
    if (error.kind() == ErrorKind::Usage)
      throw;
    throw Error(error.kind(), fmt::format("{}: {}", path, error.what()));
  }
}

std::string describe(const std::vector<StreamInfo> &streams) {
  std::vector<std::string> texts;
  for (const StreamInfo &stream : streams)
    texts.push_back(fmt::format("{}: {}", stream.name, toString(stream.info)));
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string describeOpsets(const onnx::ModelProto &model) {
  std::vector<std::string> texts;
  for (const onnx::OperatorSetIdProto &import : model.opset_import())
    texts.push_back(fmt::format(
        "{} {}", import.domain().empty() ? "ai.onnx" : import.domain(),
        import.version()));
  return fmt::format("{}", fmt::join(texts, ", "));
}

void setStreamShapes(populus::runtime::Executable &executable,
                     const TileProgram &program) {
  using populus::runtime::StreamDirection;
  auto set = [&](const StreamInfo &info, StreamDirection direction) {
    for (populus::runtime::Stream &stream : executable.streams)
      if (stream.handle == info.name && stream.direction == direction)
        stream.shape.assign(info.info.shape.begin(), info.info.shape.end());
  };
  for (const StreamInfo &info : program.inputs)
    set(info, StreamDirection::HostToDevice);
  for (const StreamInfo &info : program.outputs)
    set(info, StreamDirection::DeviceToHost);
}

/// Tells tools where the executable comes from and what goes in and out.
void annotate(poplar::Executable &executable, const TileProgram &program,
              const onnx::ModelProto &model, const CompileOptions &options) {
  populus::runtime::Executable &data = populus::access(executable);
  setStreamShapes(data, program);
  data.metadata["producer"] = "popart-compile " POPULUS_VERSION;
  data.metadata["model"] =
      std::filesystem::path(options.model).filename().string();
  data.metadata["graph"] = model.graph().name();
  data.metadata["opsets"] = describeOpsets(model);
  data.metadata["inputs"] = describe(program.inputs);
  data.metadata["outputs"] = describe(program.outputs);
  data.metadata["batches_per_step"] =
      std::to_string(options.program.batchesPerStep);
}

} // namespace

poplar::Target makeTarget(const MachineOptions &machine) {
  const TargetInfo &info = findTarget(machine.target);
  checkMachine(machine, info);
  if (!info.isIpu())
    return poplar::Target::createCPUTarget();
  unsigned tiles =
      machine.tilesPerIpu != 0 ? machine.tilesPerIpu : info.tilesPerIpu;
  if (machine.device == "ipu")
    return poplar::Target::createIPUTarget(machine.numIpus, tiles,
                                           machine.target);
  poplar::IPUModel model(machine.target.c_str());
  model.numIPUs = machine.numIpus;
  model.tilesPerIPU = tiles;
  return model.createDevice().getTarget();
}

std::vector<StageTime> compileModel(const CompileOptions &options) {
  poplar::Target target = makeTarget(options.machine);
  if (!options.output.empty())
    checkWritable(options.output);
  StageDump dump(options.dumpDirectory);
  Timer timer;
  onnx::ModelProto model;

  Graph ir = timer("import", [&] {
    model = readModel(options.model);
    return aboutModel(options.model,
                      [&] { return importModel(model, options.import); });
  });
  dump.write("import", ir);
  if (options.stop == Stage::Import) {
    writeText(options.output, toString(ir));
    return timer.times;
  }
  timer("transform", [&] {
    runTransforms(ir, options.patterns,
                  [&](std::string_view name) { dump.write(name, ir); });
  });
  if (options.stop == Stage::Ir) {
    writeText(options.output, toString(ir));
    return timer.times;
  }
  TileProgram program = timer("lower", [&] {
    return aboutModel(options.model,
                      [&] { return lowerGraph(ir, target, options.program); });
  });
  poplar::Executable executable = timer("compile", [&] {
    return aboutModel(options.model, [&] { return compileProgram(program); });
  });
  annotate(executable, program, model, options);
  timer("write", [&] {
    writeFile(options.output,
              [&](std::ostream &file) { executable.serialize(file); });
  });
  return timer.times;
}

} // namespace popart
