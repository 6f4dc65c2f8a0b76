// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A Builder's inputs, weights, results and nodes, written into its ONNX model
// (BuilderState.h). Attributes of nodes are in NodeAttributes.cpp.

#include "lib/PopART/Interface/BuilderState.h"
#include "lib/PopART/Interface/OnnxFill.h"
#include "lib/PopART/Interface/ReplicaSettings.h"
#include "lib/PopART/Interface/Translated.h"

#include <popart/builder.hpp>

#include <algorithm>
#include <sstream>

namespace popart {

namespace popart_detail {

TensorIds Opset::many(const char *type, const TensorIds &args,
                      unsigned num_outputs, const Attributes &attributes,
                      const DebugContext &debug) {
  return builder->customOp({domain, type, version}, version, args, num_outputs,
                           attributes.values, debug);
}

} // namespace popart_detail

Builder::Builder() : state(new popart_detail::BuilderState) {}
Builder::~Builder() = default;

std::unique_ptr<Builder> Builder::create() {
  return std::unique_ptr<Builder>(new Builder);
}

std::unique_ptr<Builder>
Builder::createFromOnnxModel(const std::string &modelProtoOrFilename) {
  std::unique_ptr<Builder> builder = create();
  builder->state = std::make_unique<popart_detail::BuilderState>(
      session::modelBytes(modelProtoOrFilename));
  return builder;
}

Builder &Builder::createSubgraphBuilder() {
  std::unique_ptr<Builder> builder = create();
  builder->state = std::make_unique<popart_detail::BuilderState>(*state);
  state->subgraphs.push_back(std::move(builder));
  return *state->subgraphs.back();
}

static std::string nameOr(const DebugContext &debug,
                          const std::string &fallback) {
  return debug.getPathName().empty() ? fallback : debug.getPathName();
}

TensorId Builder::addInputTensor(const TensorInfo &info,
                                 const DebugContext &debug) {
  TensorId id = state->newName(nameOr(debug, "input"));
  popart_detail::fill(*state->graph().add_input(), id, info);
  return id;
}

TensorId Builder::addInputTensor(const std::string &type, const Shape &shape,
                                 const DebugContext &debug) {
  return addInputTensor(TensorInfo(type, shape), debug);
}

TensorId Builder::addUntypedInputTensor(const DebugContext &debug) {
  TensorId id = state->newName(nameOr(debug, "input"));
  state->graph().add_input()->set_name(id);
  return id;
}

void Builder::addInputTensorFromParentGraph(const TensorId &id) {
  if (!state->parent || !state->names->count(id))
    throw error("Builder: there is no tensor '{}' in a graph around this one",
                id);
}

TensorId Builder::addInitializedInputTensor(const ConstVoidData &value,
                                            const DebugContext &debug) {
  TensorId id = state->newName(nameOr(debug, "init_input"));
  onnx::TensorProto &weight = *state->graph().add_initializer();
  popart_detail::fill(weight, value);
  weight.set_name(id);
  return id;
}

static const char *nameOf(VariableRetrievalMode mode) {
  switch (mode) {
  case VariableRetrievalMode::OnePerGroup:
    return "OnePerGroup";
  case VariableRetrievalMode::AllReduceReplicas:
    return "AllReduceReplicas";
  case VariableRetrievalMode::AllReplicas:
    break;
  }
  return "AllReplicas";
}

TensorId Builder::addInitializedInputTensor(const ConstVoidData &value,
                                            const VariableSettings &settings,
                                            const DebugContext &debug) {
  const TensorId id = addInitializedInputTensor(value, debug);
  const CommGroup group = settings.getSharedVariableDomain();
  std::ostringstream text;
  text << group.type << ' ' << group.replicaGroupSize << ' '
       << settings.getStride() << ' ' << nameOf(settings.getRetrievalMode());
  session::setMetadata(state->model, session::VariableSettingsKey + id,
                       text.str());
  return id;
}

void Builder::setReplicatedStreamMode(const TensorId &input,
                                      ReplicatedStreamMode mode) {
  session::setMetadata(state->model, session::StreamModeKey + input,
                       mode == ReplicatedStreamMode::Broadcast ? "Broadcast"
                                                               : "Replicate");
}

void Builder::setExchange(const TensorId &input, TileSet tiles,
                          ExchangeStrategy strategy) {
  session::setMetadata(state->model, session::ExchangeKey + input,
                       std::to_string(static_cast<int>(tiles)) + ' ' +
                           std::to_string(static_cast<int>(strategy)));
}

void Builder::addOutputTensor(const TensorId &id) {
  if (!state->names->count(id))
    throw error("Builder: there is no tensor '{}' to return", id);
  for (const TensorId &output : getOutputTensorIds())
    if (output == id)
      throw error("Builder: '{}' is returned already", id);
  state->graph().add_output()->set_name(id);
}

AiOnnxOpset6 Builder::aiOnnxOpset6() { return AiOnnxOpset6(*this); }
AiOnnxOpset7 Builder::aiOnnxOpset7() { return AiOnnxOpset7(*this); }
AiOnnxOpset8 Builder::aiOnnxOpset8() { return AiOnnxOpset8(*this); }
AiOnnxOpset9 Builder::aiOnnxOpset9() { return AiOnnxOpset9(*this); }
AiOnnxOpset10 Builder::aiOnnxOpset10() { return AiOnnxOpset10(*this); }
AiOnnxOpset11 Builder::aiOnnxOpset11() { return AiOnnxOpset11(*this); }
AiGraphcoreOpset1 Builder::aiGraphcoreOpset1() {
  return AiGraphcoreOpset1(*this);
}

TensorIds Builder::customOp(const OperatorIdentifier &id, int opsetVersion,
                            const TensorIds &inputs, unsigned numOutputs,
                            const std::map<std::string, any> &attributes,
                            const DebugContext &debug) {
  std::string domain = id.domain == "ai.onnx" ? "" : id.domain;
  state->useOpset(domain, opsetVersion);
  return state->addNode(domain, id.type, inputs, numOutputs, attributes,
                        debug.getPathName());
}
TensorIds Builder::getValueTensorIds() const {
  TensorIds ids;
  for (const auto &node : state->graph().node())
    ids.insert(ids.end(), node.output().begin(), node.output().end());
  return ids;
}

TensorIds Builder::getTrainableTensorIds() const {
  TensorIds ids;
  for (const auto &weight : state->graph().initializer())
    ids.push_back(weight.name());
  return ids;
}

bool Builder::hasParent() const { return state->parent != nullptr; }

void Builder::embedReplicationFactor(int factor) {
  if (factor < 1)
    throw error("embedReplicationFactor: {} replicas are not possible", factor);
  session::setMetadata(state->model, session::ReplicationFactorKey,
                       std::to_string(factor));
}

void Builder::pushNameScope(const std::string &name) {
  state->scopes.push_back(name);
}

void Builder::popNameScope() {
  if (state->scopes.empty())
    throw error("Builder: no name scope is open");
  state->scopes.pop_back();
}

std::string Builder::getNameScope(const std::string &name) const {
  return state->scoped(name);
}

void Builder::setGraphName(const std::string &name) {
  state->graph().set_name(name);
}

std::string Builder::getModelProto() const {
  onnx::ModelProto model = state->complete();
  session::referTo(state->places, *model.mutable_graph());
  return model.SerializeAsString();
}

void Builder::saveInitializersExternally(const std::vector<TensorId> &ids,
                                         const std::string &path) {
  session::translated([&] {
    session::saveExternally(state->graph(), ids, path, state->places);
  });
}

void Builder::saveModelProto(const std::string &path) const {
  session::writeFile(path, getModelProto());
}

TensorIds Builder::getInputTensorIds() const {
  TensorIds ids;
  for (const auto &input : state->graph().input())
    ids.push_back(input.name());
  // Weights are inputs of the model, too.
  for (const auto &weight : state->graph().initializer())
    if (std::find(ids.begin(), ids.end(), weight.name()) == ids.end())
      ids.push_back(weight.name());
  return ids;
}

TensorIds Builder::getOutputTensorIds() const {
  TensorIds ids;
  for (const auto &output : state->graph().output())
    ids.push_back(output.name());
  return ids;
}

bool Builder::isInitializer(const TensorId &id) const {
  const auto &weights = state->graph().initializer();
  return std::any_of(weights.begin(), weights.end(),
                     [&](const auto &weight) { return weight.name() == id; });
}

Shape Builder::getTensorShape(const TensorId &id) const {
  return state->inferred({id}).front().shape();
}

std::string Builder::getTensorDtypeString(const TensorId &id) const {
  return state->inferred({id}).front().data_type_lcase();
}

} // namespace popart
