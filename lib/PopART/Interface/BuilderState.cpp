// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors are named after their operators; a number makes the name unique.
// Shapes come from the compiler's incremental import of the model.

#include "lib/PopART/Interface/BuilderState.h"

#include "lib/PopART/Interface/OnnxFill.h"
#include "lib/PopART/Interface/TensorInfos.h"
#include "lib/PopART/Support/OnnxTypes.h"

#include <algorithm>

namespace popart {

namespace {

constexpr int DefaultOpset = 10;

/// Cast names its type; ONNX has a number for it.
any attributeValue(const std::string &type, const std::string &name,
                   const any &value) {
  const std::string *text = any_cast<std::string>(&value);
  if (type != "Cast" || name != "to" || !text)
    return value;
  return std::int64_t(session::toOnnx(dataTypeFromString(*text)));
}
void addWeightsToInputs(onnx::GraphProto &graph) {
  std::set<std::string> known;
  for (const auto &input : graph.input())
    known.insert(input.name());
  for (const onnx::TensorProto &weight : graph.initializer()) {
    if (known.count(weight.name()))
      continue;
    onnx::ValueInfoProto &input = *graph.add_input();
    input.set_name(weight.name());
    onnx::TypeProto::Tensor &type =
        *input.mutable_type()->mutable_tensor_type();
    type.set_elem_type(weight.data_type());
    type.mutable_shape();
    for (const std::int64_t extent : weight.dims())
      type.mutable_shape()->add_dim()->set_dim_value(extent);
  }
}

} // namespace

namespace popart_detail {

BuilderState::BuilderState() {
  model.set_ir_version(onnx::IR_VERSION);
  model.set_producer_name("Populus");
  graph().set_name("BuilderGraph");
}

BuilderState::BuilderState(BuilderState &parent)
    : parent(&parent), names(parent.names) {
  graph().set_name(newName("subgraph"));
}

BuilderState::BuilderState(const std::string &bytes) : isFromElsewhere(true) {
  if (!model.ParseFromString(bytes))
    throw error("Builder: this is not an ONNX model");
  for (const auto &input : graph().input())
    names->insert(input.name());
  for (const auto &weight : graph().initializer())
    names->insert(weight.name());
  for (const auto &node : graph().node())
    names->insert(node.output().begin(), node.output().end());
}

std::string BuilderState::scoped(const std::string &name) const {
  std::string prefix;
  for (const std::string &scope : scopes)
    prefix += scope + "/";
  return prefix + name;
}

TensorId BuilderState::newName(const std::string &stem) {
  std::string wanted = scoped(stem), name = wanted;
  for (int &i = next[wanted]; !names->insert(name).second;)
    name = wanted + "/" + std::to_string(++i);
  return name;
}

void BuilderState::useOpset(const std::string &domain, int version) {
  if (parent)
    return parent->useOpset(domain, version);
  for (const auto &import : model.opset_import()) {
    if (import.domain() != domain)
      continue;
    if (import.version() != version)
      throw error("Builder: opset {} of the domain '{}' was used, so {} "
                  "cannot be",
                  import.version(), domain, version);
    return;
  }
  auto &import = *model.add_opset_import();
  import.set_domain(domain);
  import.set_version(version);
}

/// ONNX has no empty lists: an empty one means that the attribute is omitted.
static bool isEmptyList(const any &value) {
  const auto *ints = any_cast<std::vector<std::int64_t>>(&value);
  const auto *floats = any_cast<std::vector<float>>(&value);
  return (ints && ints->empty()) || (floats && floats->empty());
}

TensorIds BuilderState::addNode(const std::string &domain,
                                const std::string &type,
                                const TensorIds &inputs, unsigned numOutputs,
                                const std::map<std::string, any> &attributes,
                                const std::string &name) {
  for (const TensorId &input : inputs)
    if (!input.empty() && !names->count(input))
      throw error("Builder: {} reads '{}', which there is not", type, input);
  onnx::NodeProto &node = *graph().add_node();
  node.set_domain(domain);
  node.set_op_type(type);
  if (!name.empty())
    node.set_name(scoped(name));
  for (const TensorId &input : inputs)
    node.add_input(input);
  for (const auto &entry : attributes)
    if (!isEmptyList(entry.second))
      fill(*node.add_attribute(), entry.first,
           attributeValue(type, entry.first, entry.second));
  for (const auto &entry : ofAllNodes)
    if (!attributes.count(entry.first))
      fill(*node.add_attribute(), entry.first, entry.second);
  TensorIds outputs;
  for (unsigned i = 0; i != numOutputs; ++i) {
    outputs.push_back(newName(type + ":" + std::to_string(i)));
    node.add_output(outputs.back());
  }
  return outputs;
}

onnx::NodeProto &BuilderState::nodeOf(const TensorId &output) {
  for (onnx::NodeProto &node : *graph().mutable_node())
    if (std::find(node.output().begin(), node.output().end(), output) !=
        node.output().end())
      return node;
  throw error("Builder: no node makes the tensor '{}'", output);
}

onnx::ModelProto BuilderState::complete() const {
  needRoot("model");
  onnx::ModelProto result = withOpset();
  std::vector<std::string> ids;
  for (const auto &output : result.graph().output())
    ids.push_back(output.name());
  std::vector<TensorInfo> infos = inferred(ids);
  for (std::size_t i = 0; i != ids.size(); ++i)
    fill(*result.mutable_graph()->mutable_output(static_cast<int>(i)), ids[i],
         infos[i]);
  addWeightsToInputs(*result.mutable_graph());
  return result;
}

std::vector<TensorInfo>
BuilderState::inferred(const std::vector<std::string> &ids) const {
  needRoot("shapes");
  std::vector<TensorInfo> infos;
  for (const std::string &id : ids)
    if (std::optional<session::Info> info = grown(id))
      infos.push_back(session::toTensorInfo(*info));
  if (infos.size() == ids.size())
    return infos;
  infos.clear();
  for (const session::Info &info :
       session::inferInfos(withOpset().SerializeAsString(), ids))
    infos.push_back(session::toTensorInfo(info));
  return infos;
}

std::optional<session::Info> BuilderState::grown(const std::string &id) const {
  if (isFromElsewhere || model.opset_import().empty())
    return std::nullopt;
  const std::optional<populus::popir::TensorInfo> info =
      growing.find(model, id);
  if (!info)
    return std::nullopt;
  return session::Info{populus::popir::toOnnx(info->type), info->shape};
}

void BuilderState::needRoot(const char *what) const {
  if (parent)
    throw error("Builder: a subgraph by itself has no {}", what);
}

onnx::ModelProto BuilderState::withOpset() const {
  onnx::ModelProto result = model;
  for (const auto &import : result.opset_import())
    if (import.domain().empty())
      return result;
  result.add_opset_import()->set_version(DefaultOpset);
  return result;
}

} // namespace popart_detail
} // namespace popart
