// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attributes of nodes that a Builder created: the operator's own, and
// annotations, whose names begin with __ (IPU, pipeline stage, share of memory,
// recomputation).

#include "lib/PopART/IR/Annotations.h"
#include "lib/PopART/Interface/BuilderState.h"
#include "lib/PopART/Interface/OnnxFill.h"

#include <popart/builder.hpp>
#include <popart/patterns/patterns.hpp>

#include <algorithm>
#include <cctype>

namespace popart {

namespace annotations = populus::popir::annotations;
using popart_detail::fill;

/// The distinct nodes that produce some tensors, each with one of them.
static std::vector<std::pair<onnx::NodeProto *, TensorId>>
nodesOf(popart_detail::BuilderState &state, const std::set<TensorId> &outputs) {
  std::vector<std::pair<onnx::NodeProto *, TensorId>> nodes;
  for (const TensorId &output : outputs) {
    onnx::NodeProto *node = &state.nodeOf(output);
    const bool isKnown =
        std::any_of(nodes.begin(), nodes.end(),
                    [&](const auto &entry) { return entry.first == node; });
    if (!isKnown)
      nodes.emplace_back(node, output);
  }
  return nodes;
}

void Builder::addNodeAttribute(const std::string &name, const any &value,
                               const std::set<TensorId> &outputs) {
  for (const auto &[found, output] : nodesOf(*state, outputs)) {
    onnx::NodeProto &node = *found;
    for (const onnx::AttributeProto &attribute : node.attribute())
      if (attribute.name() == name)
        throw error("Builder: the node of '{}' has the attribute '{}' already",
                    output, name);
    fill(*node.add_attribute(), name, value);
    // Annotations are not attributes of the operator.
    if (!annotations::isAnnotation(name))
      state->growing.forget();
  }
}

/// Null if the node has no such attribute.
static const onnx::AttributeProto *findAttribute(const onnx::NodeProto &node,
                                                 const std::string &name) {
  for (const onnx::AttributeProto &attribute : node.attribute())
    if (attribute.name() == name)
      return &attribute;
  return nullptr;
}

bool Builder::nodeHasAttribute(const std::string &name,
                               const std::set<TensorId> &outputs) const {
  return std::all_of(
      outputs.begin(), outputs.end(), [&](const TensorId &output) {
        return findAttribute(state->nodeOf(output), name) != nullptr;
      });
}

/// The attribute of the single node that produces these tensors.
static const onnx::AttributeProto &
attributeOf(popart_detail::BuilderState &state, const std::string &name,
            const std::set<TensorId> &outputs,
            onnx::AttributeProto::AttributeType type, const char *typeName) {
  if (outputs.empty())
    throw error("Builder: no tensor says which node has the attribute '{}'",
                name);
  const onnx::AttributeProto *found =
      findAttribute(state.nodeOf(*outputs.begin()), name);
  if (!found)
    throw error("Node of '{}' does not have an attribute {}", *outputs.begin(),
                name);
  if (found->type() != type)
    throw error("The attribute {} of the node of '{}' is not {}", name,
                *outputs.begin(), typeName);
  return *found;
}

std::int64_t
Builder::getInt64NodeAttribute(const std::string &name,
                               const std::set<TensorId> &outputs) const {
  return attributeOf(*state, name, outputs, onnx::AttributeProto::INT,
                     "an integer")
      .i();
}

std::vector<std::int64_t>
Builder::getInt64VectorNodeAttribute(const std::string &name,
                                     const std::set<TensorId> &outputs) const {
  const auto &list =
      attributeOf(*state, name, outputs, onnx::AttributeProto::INTS,
                  "a list of integers")
          .ints();
  return {list.begin(), list.end()};
}

float Builder::getFloatNodeAttribute(const std::string &name,
                                     const std::set<TensorId> &outputs) const {
  return attributeOf(*state, name, outputs, onnx::AttributeProto::FLOAT,
                     "a float")
      .f();
}

std::vector<float>
Builder::getFloatVectorNodeAttribute(const std::string &name,
                                     const std::set<TensorId> &outputs) const {
  const auto &list =
      attributeOf(*state, name, outputs, onnx::AttributeProto::FLOATS,
                  "a list of floats")
          .floats();
  return {list.begin(), list.end()};
}

std::string
Builder::getStringNodeAttribute(const std::string &name,
                                const std::set<TensorId> &outputs) const {
  return attributeOf(*state, name, outputs, onnx::AttributeProto::STRING,
                     "a string")
      .s();
}

std::vector<std::string>
Builder::getStringVectorNodeAttribute(const std::string &name,
                                      const std::set<TensorId> &outputs) const {
  const auto &list =
      attributeOf(*state, name, outputs, onnx::AttributeProto::STRINGS,
                  "a list of strings")
          .strings();
  return {list.begin(), list.end()};
}

std::vector<std::string>
Builder::getAllNodeAttributeNames(const std::set<TensorId> &outputs) const {
  std::vector<std::string> names;
  if (!outputs.empty())
    for (const auto &attribute : state->nodeOf(*outputs.begin()).attribute())
      names.push_back(attribute.name());
  return names;
}

void Builder::removeNodeAttribute(const std::string &name,
                                  const std::set<TensorId> &outputs) {
  for (const auto &[node, output] : nodesOf(*state, outputs)) {
    auto &attributes = *node->mutable_attribute();
    const auto found =
        std::find_if(attributes.begin(), attributes.end(),
                     [&](const auto &entry) { return entry.name() == name; });
    if (found == attributes.end())
      throw error("Cannot remove the attribute {}, which the node of '{}' does "
                  "not have",
                  name, output);
    attributes.erase(found);
    state->growing.forget();
  }
}

void Builder::setAttribute(const std::string &name, const any &value) {
  state->ofAllNodes[name] = value;
}

bool Builder::hasAttribute(const std::string &name) const {
  return state->ofAllNodes.count(name) != 0;
}

const any &Builder::getAttribute(const std::string &name) const {
  const auto found = state->ofAllNodes.find(name);
  if (found == state->ofAllNodes.end())
    throw error("Builder: no attribute {} is set for new nodes", name);
  return found->second;
}

void Builder::clearAttribute(const std::string &name) {
  state->ofAllNodes.erase(name);
}

void Builder::virtualGraph(const TensorId &id, std::int64_t value) {
  addNodeAttribute(annotations::IpuNumber, value, {id});
}

void Builder::virtualGraph(const std::set<TensorId> &ids, std::int64_t value) {
  addNodeAttribute(annotations::IpuNumber, value, ids);
}

void Builder::pipelineStage(const TensorId &id, std::int64_t value) {
  addNodeAttribute(annotations::PipelineStage, value, {id});
}

void Builder::pipelineStage(const std::set<TensorId> &ids, std::int64_t value) {
  addNodeAttribute(annotations::PipelineStage, value, ids);
}

void Builder::executionPhase(const std::set<TensorId> &ids,
                             std::int64_t value) {
  addNodeAttribute(annotations::ExecutionPhase, value, ids);
}

void Builder::setPartialsType(const TensorId &id,
                              const std::string &partialsType) {
  std::string type = partialsType;
  std::transform(type.begin(), type.end(), type.begin(), [](unsigned char c) {
    return static_cast<char>(std::toupper(c));
  });
  if (type != "HALF" && type != "FLOAT")
    throw error("setPartialsType: '{}' is not one of HALF and FLOAT",
                partialsType);
  addNodeAttribute(annotations::PartialsType, type, {id});
}

std::string Builder::getPartialsType(const TensorId &id) const {
  if (!nodeHasAttribute(annotations::PartialsType, {id}))
    return "FLOAT";
  return getStringNodeAttribute(annotations::PartialsType, {id});
}

void Builder::setAvailableMemoryProportion(const TensorId &id,
                                           float proportion) {
  setAvailableMemoryProportion(std::set<TensorId>{id}, proportion);
}

void Builder::setAvailableMemoryProportion(const std::set<TensorId> &ids,
                                           float proportion) {
  if (!(proportion > 0 && proportion <= 1))
    throw error("setAvailableMemoryProportion: {} is not above 0 and at most 1",
                proportion);
  addNodeAttribute(annotations::AvailableMemory, proportion, ids);
}

void Builder::recomputeOutputInBackwardPass(const std::set<TensorId> &ids,
                                            RecomputeType value) {
  addNodeAttribute(annotations::Recompute, static_cast<std::int64_t>(value),
                   ids);
}

bool Builder::getRecomputeOutputInBackwardPass(
    const std::set<TensorId> &ids) const {
  const char *const name = annotations::Recompute;
  return nodeHasAttribute(name, ids) &&
         getInt64NodeAttribute(name, ids) ==
             static_cast<std::int64_t>(RecomputeType::Recompute);
}

TensorIds Builder::checkpointOutput(const TensorIds &ids) {
  TensorIds results;
  for (const TensorId &id : ids) {
    results.push_back(state->addIdentity(id));
    recomputeOutputInBackwardPass({results.back()}, RecomputeType::Checkpoint);
  }
  return results;
}

void Builder::setInplacePreferences(
    const TensorId &id, const std::map<std::string, float> &priorities) {
  std::vector<std::string> names;
  std::vector<float> values;
  for (const auto &entry : priorities) {
    names.push_back(entry.first);
    values.push_back(entry.second);
  }
  addNodeAttribute(annotations::InplaceNames, names, {id});
  addNodeAttribute(annotations::InplacePriorities, values, {id});
}

void Builder::excludePatterns(const std::set<TensorId> &ids,
                              const std::vector<std::string> &patternNames) {
  const Patterns all(PatternsLevel::All);
  for (const std::string &name : patternNames)
    if (!all.getSettings().count(name))
      throw error("Invalid pattern name '{}'", name);
  addNodeAttribute(annotations::ExcludedPatterns, patternNames, ids);
}

void Builder::setSerializeMatMul(const std::set<TensorId> &ids,
                                 const std::string &mode, std::int64_t factor,
                                 bool keepPrecision) {
  static const char *const modes[] = {"none", "input_channels", "reducing_dim",
                                      "output_channels"};
  if (std::find(std::begin(modes), std::end(modes), mode) == std::end(modes))
    throw error("Unsupported mat mul serialization mode '{}'. Supported modes "
                "are 'input_channels', 'reducing_dim', 'output_channels' or "
                "'none'",
                mode);
  if (mode == "none")
    return;
  addNodeAttribute(annotations::SerialMode, mode, ids);
  addNodeAttribute(annotations::SerialFactor, factor, ids);
  addNodeAttribute(annotations::SerialPrecision,
                   static_cast<std::int64_t>(keepPrecision), ids);
}

void Builder::setEnableConvDithering(const TensorId &id, std::int64_t value) {
  addNodeAttribute(annotations::ConvDithering, value, {id});
}
} // namespace popart
