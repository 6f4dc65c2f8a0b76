// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads ONNX files and checks that they are supported. Files are not trusted:
// protobuf rejects broken encodings, the operator check lists unsupported
// operators, and ModelCheck.cpp validates the graph.

#include "lib/PopART/Import/ModelFile.h"

#include "lib/PopART/IR/OpTable.h"
#include "lib/PopART/Import/ControlFlow.h"
#include "lib/PopART/Import/Decomposition.h"
#include "lib/PopART/Import/ExpansionCheck.h"
#include "lib/PopART/Import/ExternalData.h"
#include "lib/PopART/Import/Forms.h"
#include "lib/PopART/Support/Error.h"
#include "runtime/Support/InputStream.h"

#include <google/protobuf/stubs/logging.h>
#include <onnx/defs/schema.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>
#include <sstream>

namespace populus::popir {

static std::string readBytes(const std::string &path) {
  if (path == "-")
    return runtime::readAll<std::string>(std::cin);
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
  return std::move(bytes).str();
}

static bool addExternalData(onnx::ModelProto &model, const std::string &path) {
  return loadExternalData(model, std::filesystem::path(path).parent_path());
}

onnx::ModelProto readModel(const std::string &path) {
  onnx::ModelProto model = parseModel(readBytes(path), path);
  try {
    addExternalData(model, path);
  } catch (const Error &error) {
    throw Error(error.kind(), fmt::format("{}: {}", path, error.what()));
  }
  return model;
}

std::string completeModel(const std::string &path) {
  std::string bytes = readBytes(path);
  try {
    onnx::ModelProto model = parseModel(bytes, path);
    std::string complete;
    if (addExternalData(model, path) && model.SerializeToString(&complete))
      return complete;
  } catch (const Error &) {
    // Ignored: the reader of the bytes will report the same error.
  }
  return bytes;
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

// "ai.onnx" is another spelling of the empty domain.
static std::string normalDomain(const std::string &domain) {
  return domain == "ai.onnx" ? "" : domain;
}

template <class Proto> static Opsets importedOpsets(const Proto &proto) {
  Opsets result;
  for (const onnx::OperatorSetIdProto &import : proto.opset_import())
    result[normalDomain(import.domain())] = static_cast<int>(import.version());
  return result;
}

Opsets opsetsOf(const onnx::ModelProto &model) { return importedOpsets(model); }
Opsets opsetsOf(const onnx::FunctionProto &function) {
  return importedOpsets(function);
}

static int opsetOf(const Opsets &opsets, const std::string &domain) {
  auto found = opsets.find(domain);
  return found == opsets.end() ? 0 : found->second;
}

const onnx::OpSchema *findSchema(const Opsets &opsets,
                                 const onnx::NodeProto &node) {
  std::string domain = normalDomain(node.domain());
  return onnx::OpSchemaRegistry::Schema(node.op_type(), opsetOf(opsets, domain),
                                        domain);
}

const OperatorForm *findForm(const Opsets &opsets,
                             const onnx::NodeProto &node) {
  if (!normalDomain(node.domain()).empty())
    return nullptr;
  return findForm(node.op_type(), opsetOf(opsets, ""));
}

const onnx::OpSchema *findFunctionSchema(const Opsets &opsets,
                                         const onnx::NodeProto &node) {
  // Newer forms that differ only in additional types.
  static const std::set<std::pair<std::string, int>> same = {
      {"Bernoulli", 22}, {"NegativeLogLikelihoodLoss", 22}};
  const onnx::OpSchema *schema = findSchema(opsets, node);
  const bool isFunction = schema && (schema->HasFunction() ||
                                     schema->HasContextDependentFunction());
  if (!isFunction)
    return nullptr;
  const OperatorForm *newer = findForm(opsets, node);
  return !newer || same.count({std::string(newer->type), newer->version}) != 0
             ? schema
             : nullptr;
}

OperatorId resolveOperator(const Opsets &opsets, const onnx::NodeProto &node) {
  OperatorId id{normalDomain(node.domain()), node.op_type(), 0};
  if (const OperatorForm *form = findForm(opsets, node))
    id.version = form->version;
  else if (const onnx::OpSchema *schema = findSchema(opsets, node))
    id.version = schema->SinceVersion();
  else if (!id.domain.empty()) { // a domain that libonnx does not know
    const int opset = opsetOf(opsets, id.domain);
    id.version =
        std::max(newestVersion(id, opset), newestDecomposition(id, opset));
  }
  return id;
}

const onnx::FunctionProto *findFunction(const onnx::ModelProto &model,
                                        const onnx::NodeProto &node) {
  for (const onnx::FunctionProto &function : model.functions())
    if (function.name() == node.op_type() && function.domain() == node.domain())
      return &function;
  return nullptr;
}

static void checkOpset(const onnx::ModelProto &model) {
  int opset = opsetOf(opsetsOf(model), "");
  for (const onnx::NodeProto &node : model.graph().node())
    if (opset <= 0 && normalDomain(node.domain()).empty())
      failInput("the model does not say which ONNX opset it uses (its "
                "opset_import has version {}): export it again",
                opset);
  if (opset > newestOpset())
    failUnsupported("the model uses ONNX opset {}; opsets up to {} are "
                    "supported: export it with opset_version={}",
                    opset, newestOpset(), newestOpset());
  if (model.ir_version() > newestIrVersion())
    failUnsupported("the model's format is ONNX's version {}; versions up to "
                    "{} are supported: export it with an older package onnx",
                    model.ir_version(), newestIrVersion());
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

namespace {

/// Finds unsupported operators in the model, control flow bodies and functions.
class OperatorCheck {
public:
  explicit OperatorCheck(const onnx::ModelProto &model) : model(model) {
    checkNodes(model.graph().node(), opsetsOf(model));
  }

  void throwIfAny() const {
    if (missing.empty())
      return;
    std::vector<std::string> texts;
    for (const auto &[key, entry] : missing)
      texts.push_back(describeUnsupported(entry.first, entry.second));
    failUnsupported("{} operator{} not supported: {}; --list-operators shows "
                    "what is. {}",
                    texts.size(), texts.size() == 1 ? " is" : "s are",
                    fmt::join(texts, ", "), firstOfGuide);
  }

private:
  template <class Nodes>
  void checkNodes(const Nodes &nodes, const Opsets &opsets) {
    for (const onnx::NodeProto &node : nodes)
      check(node, opsets);
  }

  void checkFunction(const onnx::FunctionProto &function) {
    if (functions.insert(&function).second)
      checkNodes(function.node(), opsetsOf(function));
  }

  void check(const onnx::NodeProto &node, const Opsets &opsets) {
    for (const onnx::AttributeProto &attribute : node.attribute())
      checkNodes(attribute.g().node(), opsets);
    OperatorId id = resolveOperator(opsets, node);
    const onnx::OpSchema *schema = findFunctionSchema(opsets, node);
    if (const onnx::FunctionProto *function = findFunction(model, node))
      checkFunction(*function);
    else if (isModelOp(id) || isControlFlow(id) || findDecomposition(id))
      return;
    else if (schema && schema->HasFunction())
      checkFunction(*schema->GetFunction());
    else if (!schema)
      addMissing(id, nodeName(node), opsetOf(opsets, id.domain));
  }

  void addMissing(const OperatorId &id, const std::string &node, int opset) {
    if (firstOfGuide.empty())
      firstOfGuide = fmt::format("No class for {}.{}:{}",
                                 id.domain.empty() ? "ai.onnx" : id.domain,
                                 id.type, id.version ? id.version : opset);
    auto &entry = missing[toString(id)];
    entry.first = id;
    entry.second.push_back(node);
  }

  const onnx::ModelProto &model;
  std::set<const onnx::FunctionProto *> functions;
  std::map<std::string, std::pair<OperatorId, std::vector<std::string>>>
      missing;
  /// The first one, in PopART's wording, which programs compare.
  std::string firstOfGuide;
};

} // namespace

void checkSupport(const onnx::ModelProto &model) {
  checkOpset(model);
  checkExpansion(model);
  OperatorCheck(model).throwIfAny();
}

} // namespace populus::popir
