// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses, queries and serializes models. Only types and shapes need a complete
// import.

#include "lib/PopART/Interface/ModelBytes.h"

#include "lib/PopART/Import/ExternalData.h"
#include "lib/PopART/Import/Importer.h"
#include "lib/PopART/Import/ModelFile.h"
#include "lib/PopART/Import/TensorData.h"
#include "lib/PopART/Interface/Elements.h"
#include "lib/PopART/Interface/Translated.h"

#include <onnx/onnx_pb.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>

namespace popart::session {

using namespace populus::popir;

Info infoOf(const populus::popir::TensorInfo &info) {
  return {toOnnx(info.type), info.shape};
}

std::vector<Info> inferInfos(const std::string &bytes,
                             const std::vector<std::string> &tensors) {
  return translated([&] {
    onnx::ModelProto model = parseModel(bytes, "the model");
    // The import requires typed results, but the types are the question: make
    // another, typed value the result.
    onnx::ValueInfoProto unused;
    unused.set_name("/unused");
    auto &type = *unused.mutable_type()->mutable_tensor_type();
    type.set_elem_type(onnx::TensorProto::FLOAT);
    type.mutable_shape();
    model.mutable_graph()->clear_output();
    *model.mutable_graph()->add_input() = unused;
    *model.mutable_graph()->add_output() = unused;
    ImportOptions options;
    options.anchors = tensors;
    const std::unique_ptr<Module> module = importModel(model, options);
    std::vector<Info> infos;
    for (const GraphResult &result : module->main().results())
      infos.push_back(infoOf(result.value->info));
    return infos;
  });
}

namespace {

/// Distinguishes a path, which is short and has no control characters, from the
/// bytes of a model.
bool isPath(const std::string &model) {
  return model.size() < 4096 &&
         std::ranges::none_of(
             model, [](unsigned char c) { return std::iscntrl(c) != 0; });
}

/// External files are named relative to the model's folder.
ExternalPlaces placesFrom(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  onnx::ModelProto model;
  if (!model.ParseFromIstream(&file))
    return {};
  ExternalPlaces places = placesOf(model);
  const std::filesystem::path folder =
      std::filesystem::path(path).parent_path();
  for (auto &[id, place] : places)
    place.path = (folder / place.path).string();
  return places;
}

/// Completes the bytes of a program's model with external elements.
std::string completed(const std::string &bytes, ExternalPlaces *places) {
  onnx::ModelProto model;
  if (!model.ParseFromString(bytes))
    return bytes; // whoever imports it says why not
  const ExternalPlaces found = placesOf(model);
  if (found.empty())
    return bytes;
  loadExternalData(model, ".", FileTrust::All);
  if (places)
    *places = found;
  return model.SerializeAsString();
}

} // namespace

std::string modelBytes(const std::string &model, ExternalPlaces *places) {
  return translated([&] {
    if (!isPath(model))
      return completed(model, places);
    try {
      std::string bytes = readModel(model).SerializeAsString();
      if (places)
        *places = placesFrom(model);
      return bytes;
    } catch (const Error &error) {
      fail(error.kind(),
           "Failed to load a ModelProto from the string '{}': {}. Check that "
           "it is either a valid path to an existing onnx model file, or is a "
           "valid onnx ModelProto string.",
           model, error.what());
    }
  });
}

std::string withWeights(const std::string &model, const std::string &other,
                        bool ignoreUnknown) {
  return translated([&] {
    onnx::ModelProto result = parseModel(model, "the model");
    onnx::ModelProto from = parseModel(other, "the model with new weights");
    std::map<std::string, onnx::TensorProto *> known;
    for (onnx::TensorProto &tensor :
         *result.mutable_graph()->mutable_initializer())
      known[tensor.name()] = &tensor;
    for (const onnx::TensorProto &tensor : from.graph().initializer()) {
      auto found = known.find(tensor.name());
      if (found == known.end() && ignoreUnknown)
        continue;
      if (found == known.end())
        failInput("resetWeights, no tensor '{}' in tensors", tensor.name());
      if (tensor.data_type() != found->second->data_type() ||
          !std::ranges::equal(tensor.dims(), found->second->dims()))
        failInput("Trying to reset weights using tensor with non matching "
                  "tensor info. Tensor ID: {}",
                  tensor.name());
      *found->second = tensor;
    }
    return result.SerializeAsString();
  });
}

std::set<std::string> inputsOf(const std::string &model) {
  return translated([&] {
    const onnx::ModelProto proto = parseModel(model, "the model");
    std::set<std::string> names;
    for (const auto &input : proto.graph().input())
      names.insert(input.name());
    return names;
  });
}

std::map<std::string, std::int64_t> weightsOf(const std::string &model) {
  return translated([&] {
    const onnx::ModelProto proto = parseModel(model, "the model");
    std::map<std::string, std::int64_t> weights;
    for (const onnx::TensorProto &weight : proto.graph().initializer())
      weights[weight.name()] =
          numElements(Shape(weight.dims().begin(), weight.dims().end()));
    return weights;
  });
}

void readWeights(const std::string &model,
                 const std::function<void(const std::string &, const Info &,
                                          const void *)> &take) {
  onnx::ModelProto proto =
      translated([&] { return parseModel(model, "the model"); });
  for (const onnx::TensorProto &tensor : proto.graph().initializer()) {
    HostTensor value = translated([&] { return importTensor(tensor); });
    take(tensor.name(), infoOf(value.info()), value.bytes().data());
  }
}

std::string replaceWeights(
    const std::string &model,
    const std::function<bool(const std::string &, const Info &, void *)>
        &give) {
  onnx::ModelProto proto =
      translated([&] { return parseModel(model, "the model"); });
  for (onnx::TensorProto &tensor :
       *proto.mutable_graph()->mutable_initializer()) {
    HostTensor value = translated([&] { return importTensor(tensor); });
    if (!give(tensor.name(), infoOf(value.info()), value.bytes().data()))
      continue;
    onnx::TensorProto replaced;
    if (tensor.has_raw_data())
      replaced.set_raw_data("");
    replaced.set_name(tensor.name());
    replaced.set_data_type(tensor.data_type());
    *replaced.mutable_dims() = tensor.dims();
    setElements(replaced, value.bytes().data(), value.bytes().size());
    tensor = std::move(replaced);
  }
  return proto.SerializeAsString();
}

} // namespace popart::session
