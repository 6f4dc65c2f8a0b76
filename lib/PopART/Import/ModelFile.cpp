// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reading and checking of ONNX files. Nothing in a file is trusted: protobuf
// refuses broken encodings, the operator check names what is not supported, and
// libonnx's checker refuses what is not a valid graph.

#include "lib/PopART/Import/ModelFile.h"

#include "lib/PopART/Ops/Registry.h"
#include "lib/PopART/Support/Error.h"

#include <google/protobuf/stubs/logging.h>
#include <onnx/checker.h>
#include <onnx/defs/schema.h>
#include <onnx/onnx_pb.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace popart {

onnx::ModelProto readModel(const std::string &path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error))
    failInput("{}: no such file; give the path of an ONNX model", path);
  if (std::filesystem::is_directory(path, error))
    failInput("{}: is a directory; give the path of an ONNX model", path);
  std::ifstream file(path, std::ios::binary);
  std::stringstream bytes;
  bytes << file.rdbuf();
  if (!file)
    failInput("{}: cannot be read; check that it is a file that you may read, "
              "and not empty",
              path);
  return parseModel(bytes.str(), path);
}

onnx::ModelProto parseModel(const std::string &bytes, const std::string &name) {
  google::protobuf::LogSilencer silencer; // the Error below says it better
  onnx::ModelProto model;
  if (!model.ParseFromString(bytes))
    failInput("{}: is not an ONNX model, or is damaged or truncated", name);
  if (!model.has_graph() || !model.has_ir_version())
    failInput("{}: is not an ONNX model: it has no {}", name,
              model.has_graph() ? "IR version" : "graph");
  return model;
}

std::string nodeName(const onnx::NodeProto &node) {
  if (!node.name().empty() || node.output_size() == 0)
    return node.name();
  return node.output(0);
}

std::string oneLine(const std::string &text) {
  std::istringstream words(text);
  std::string result, word;
  while (words >> word)
    result += (result.empty() ? "" : " ") + word;
  return result;
}

int newestOpset() {
  return onnx::OpSchemaRegistry::DomainToVersionRange::Instance()
      .Map()
      .at(onnx::ONNX_DOMAIN)
      .second;
}

// "ai.onnx" is another spelling of the empty domain.
static std::string normalDomain(const std::string &domain) {
  return domain == "ai.onnx" ? "" : domain;
}

static int opsetOf(const onnx::ModelProto &model, const std::string &domain) {
  for (const onnx::OperatorSetIdProto &import : model.opset_import())
    if (normalDomain(import.domain()) == domain)
      return static_cast<int>(import.version());
  return 0;
}

OperatorId resolveOperator(const onnx::ModelProto &model,
                           const onnx::NodeProto &node) {
  OperatorId id{normalDomain(node.domain()), node.op_type(), 0};
  const onnx::OpSchema *schema = onnx::OpSchemaRegistry::Schema(
      id.type, opsetOf(model, id.domain), id.domain);
  if (schema)
    id.version = schema->SinceVersion();
  return id;
}

static void checkOpset(const onnx::ModelProto &model) {
  int opset = opsetOf(model, "");
  if (opset > newestOpset())
    failUnsupported("the model uses ONNX opset {}; opsets up to {} are "
                    "supported: export it with opset_version={}",
                    opset, newestOpset(), newestOpset());
}

// "LSTM-7 (nodes 'a', 'b')".
static std::string describeUnsupported(const OperatorId &id,
                                       const std::vector<std::string> &nodes) {
  std::string text = id.version != 0 ? toString(id)
                     : id.domain.empty()
                         ? id.type
                         : fmt::format("{}.{}", id.domain, id.type);
  return fmt::format("{} (node{} '{}')", text, nodes.size() == 1 ? "" : "s",
                     fmt::join(nodes, "', '"));
}

static void checkOperators(const onnx::ModelProto &model) {
  std::map<std::string, std::pair<OperatorId, std::vector<std::string>>>
      missing;
  for (const onnx::NodeProto &node : model.graph().node()) {
    OperatorId id = resolveOperator(model, node);
    if (findOp(id))
      continue;
    auto &entry = missing[toString(id)];
    entry.first = id;
    entry.second.push_back(nodeName(node));
  }
  if (missing.empty())
    return;
  std::vector<std::string> texts;
  for (const auto &[key, entry] : missing)
    texts.push_back(describeUnsupported(entry.first, entry.second));
  failUnsupported("{} operator{} not supported: {}; --list-operators shows "
                  "what is",
                  texts.size(), texts.size() == 1 ? " is" : "s are",
                  fmt::join(texts, ", "));
}

static void checkData(const onnx::ModelProto &model) {
  if (model.graph().sparse_initializer_size() != 0)
    failUnsupported("sparse initializers ('{}') are not supported; store them "
                    "as dense tensors",
                    model.graph().sparse_initializer(0).values().name());
  for (const onnx::TensorProto &tensor : model.graph().initializer())
    if (tensor.data_location() == onnx::TensorProto::EXTERNAL)
      failUnsupported("the data of '{}' is in another file, which is not "
                      "supported; save the model in one file",
                      tensor.name());
}

void checkSupport(const onnx::ModelProto &model) {
  checkOpset(model);
  checkOperators(model);
  checkData(model);
}

void checkValid(const onnx::ModelProto &model) {
  try {
    onnx::checker::check_model(model);
  } catch (const std::exception &error) {
    failInput("is not a valid ONNX model: {}", oneLine(error.what()));
  }
}

} // namespace popart
