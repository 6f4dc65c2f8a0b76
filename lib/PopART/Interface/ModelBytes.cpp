// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Models are read, asked, and written again; importing one whole is only needed
// for types and shapes.

#include "lib/PopART/Interface/ModelBytes.h"

#include "lib/PopART/Import/Importer.h"
#include "lib/PopART/Import/ModelFile.h"
#include "lib/PopART/Import/TensorData.h"
#include "lib/PopART/Interface/Elements.h"
#include "lib/PopART/Interface/Translated.h"

#include <onnx/onnx_pb.h>

#include <algorithm>
#include <cctype>

namespace popart::session {

using namespace populus::popir;

Info infoOf(const populus::popir::TensorInfo &info) {
  return {toOnnx(info.type), info.shape};
}

std::vector<Info> inferInfos(const std::string &bytes,
                             const std::vector<std::string> &tensors) {
  return translated([&] {
    onnx::ModelProto model = parseModel(bytes, "the model");
    // A result needs a type, which is what is asked for; so there is another
    // one, which has.
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

std::string modelBytes(const std::string &model) {
  return translated([&] {
    // A path is short and has no control characters; bytes of a model do.
    const bool isPath =
        model.size() < 4096 &&
        std::ranges::none_of(
            model, [](unsigned char c) { return std::iscntrl(c) != 0; });
    if (!isPath)
      return model;
    try {
      return readModel(model).SerializeAsString();
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
