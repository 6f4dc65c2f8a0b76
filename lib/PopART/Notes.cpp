// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Notes.h.

#include "lib/PopART/Notes.h"

#include "lib/PopART/Import/ModelFile.h"
#include "lib/PopART/Lowering/Lowering.h"
#include "lib/Poplar/Engine/ExecutableAccess.h"
#include "runtime/Format/Executable.h"
#include "runtime/Format/MetadataKeys.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <set>

namespace populus::popir {

bool isModuleFile(const std::string &path) { return path.ends_with(".pir"); }

namespace {

std::string describe(const std::vector<StreamInfo> &streams) {
  std::vector<std::string> texts;
  for (const StreamInfo &stream : streams)
    texts.push_back(fmt::format("{}: {}", stream.name, toString(stream.info)));
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string describe(const std::vector<PaddedResult> &results) {
  std::vector<std::string> texts;
  for (const PaddedResult &result : results)
    texts.push_back(fmt::format("{}: the first {} of {} along axis {}",
                                result.name, result.count, result.bound,
                                result.axis));
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

/// The names of the model's inputs in their order, as a list in JSON, where
/// some of them are constants; else nothing. Files of test data are in that
/// order.
std::string orderOfInputs(const onnx::ModelProto &model,
                          const std::vector<StreamInfo> &streams) {
  const std::vector<std::string> names = namesOfInputs(model);
  return names.size() == streams.size() ? "" : nlohmann::json(names).dump();
}

} // namespace

void annotate(poplar::Executable &executable, const TileProgram &program,
              const std::vector<PaddedResult> &padded,
              const onnx::ModelProto &model, const CompileOptions &options) {
  populus::runtime::Executable &data = populus::access(executable);
  data.metadata["producer"] = "popart-compile " POPULUS_VERSION;
  data.metadata["model"] =
      std::filesystem::path(options.model).filename().string();
  if (!isModuleFile(options.model)) {
    data.metadata["graph"] = model.graph().name();
    data.metadata["opsets"] = describeOpsets(model);
  }
  data.metadata["inputs"] = describe(program.inputs);
  data.metadata["outputs"] = describe(program.outputs);
  if (!padded.empty())
    data.metadata["padded"] = describe(padded);
  if (std::string order = orderOfInputs(model, program.inputs);
      !order.empty() && !isModuleFile(options.model))
    data.metadata["input_order"] = order;
  data.metadata["batches_per_step"] =
      std::to_string(options.request.program.batchesPerStep);
}

void annotateTraining(poplar::Executable &executable, const Module &module,
                      onnx::ModelProto model, const std::string &loss) {
  populus::runtime::Executable &data = populus::access(executable);
  nlohmann::json weights = nlohmann::json::array();
  std::set<std::string> names;
  for (const Variable &variable : module.variables()) {
    const DataType type = deviceDataType(variable.info.type);
    if (type != variable.info.type)
      continue; // it cannot be put back as it was
    weights.push_back({{"name", variable.name},
                       {"type", toOnnx(type)},
                       {"shape", variable.info.shape}});
    names.insert(variable.name);
  }
  auto &initializers = *model.mutable_graph()->mutable_initializer();
  initializers.erase(std::remove_if(initializers.begin(), initializers.end(),
                                    [&](const onnx::TensorProto &tensor) {
                                      return names.contains(tensor.name());
                                    }),
                     initializers.end());
  data.metadata["loss"] = loss;
  data.metadata[runtime::WeightsKey] = weights.dump();
  data.metadata[runtime::ModelKey] = model.SerializeAsString();
}

void annotateOffChip(poplar::Executable &executable, const Module &module) {
  auto &metadata = populus::access(executable).metadata;
  for (const Variable &variable : module.variables()) {
    if (!variable.isOffChip() || !variable.initial)
      continue;
    const HostTensor values = toDevice(*variable.initial, variable.name);
    const auto *bytes = reinterpret_cast<const char *>(values.bytes().data());
    metadata[runtime::RemoteValuesKey + weightHandle(variable.name)] =
        std::string(bytes, values.bytes().size());
  }
}

} // namespace populus::popir
