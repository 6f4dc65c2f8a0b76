// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the entries of the metadata, and turns a type of CommGroup into a size
// and a stride: of 8 replicas, Consecutive 2 are groups {0 1} {2 3} ..., and
// Orthogonal 2 are {0 4} {1 5} ...

#include "lib/PopART/Interface/ReplicaSettings.h"

#include "lib/PopART/IR/Annotations.h"
#include "lib/PopART/Import/ModelFile.h"
#include "lib/PopART/Import/TensorData.h"
#include "lib/PopART/Interface/Elements.h"
#include "lib/PopART/Interface/ModelBytes.h"
#include "lib/PopART/Interface/OnnxFill.h"
#include "lib/PopART/Interface/Translated.h"
#include "lib/PopART/ReplicaData.h"
#include "lib/PopART/Support/Error.h"

#include <gcl/CollectiveOperator.hpp>
#include <popart/commgroup.hpp>

#include <onnx/onnx_pb.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>

namespace popart::session {

using namespace populus::popir;

namespace {

struct Group {
  unsigned size = 1, stride = 1;
};

/// An Error that names `what` where the groups do not divide the replicas.
Group checked(Group group, unsigned replicas, const std::string &what) {
  if (group.size == 0 || group.stride == 0 ||
      replicas % (group.size * group.stride) != 0)
    failInput("{}: groups of {} replicas, {} apart, do not divide {} replicas",
              what, group.size, group.stride, replicas);
  return group;
}

Group groupOf(CommGroupType type, unsigned size, unsigned stride,
              unsigned replicas, const std::string &what) {
  switch (type) {
  case CommGroupType::All:
    return {replicas, 1};
  case CommGroupType::Consecutive:
    return checked({size, size == 1 ? 1 : stride}, replicas, what);
  case CommGroupType::Orthogonal:
    if (size == 0 || replicas % size != 0)
      return checked({size, 1}, replicas, what);
    return {size, replicas / size};
  case CommGroupType::None:
    break;
  }
  return {1, 1};
}

// Models have the numbers of popart's operators, and are lowered with gcl's.
static_assert(static_cast<int>(CollectiveOperator::Mean) ==
                  static_cast<int>(gcl::CollectiveOperator::MEAN) &&
              static_cast<int>(CollectiveOperator::Local) ==
                  static_cast<int>(gcl::CollectiveOperator::LOCAL));

constexpr std::array<std::string_view, 4> TypeNames = {"All", "Consecutive",
                                                       "Orthogonal", "None"};

void setShape(onnx::ValueInfoProto &info, const onnx::TensorProto &weight) {
  onnx::TensorShapeProto &shape =
      *info.mutable_type()->mutable_tensor_type()->mutable_shape();
  shape.clear_dim();
  for (const std::int64_t extent : weight.dims())
    shape.add_dim()->set_dim_value(extent);
}

VariableGroups groupsFrom(const std::string &text, unsigned replicas,
                          const std::string &weight) {
  std::istringstream stream(text);
  std::string type, mode;
  unsigned size = 0, stride = 0;
  stream >> type >> size >> stride >> mode;
  const auto known = std::ranges::find(TypeNames, type);
  if (!stream || known == TypeNames.end())
    failInput("the metadata of the model says '{}' of the weight '{}', which "
              "is no setting of a variable",
              text, weight);
  if (mode == "AllReduceReplicas")
    failUnsupported("the weight '{}' has VariableRetrievalMode "
                    "AllReduceReplicas, which is not supported; OnePerGroup "
                    "and AllReplicas are",
                    weight);
  const Group group =
      groupOf(static_cast<CommGroupType>(known - TypeNames.begin()), size,
              stride, replicas, "the settings of the weight '" + weight + "'");
  VariableGroups groups;
  groups.count = replicas / group.size;
  groups.returnsAll = mode == "AllReplicas";
  // Blocks of size * stride replicas have a group for each place in a stride.
  for (unsigned replica = 0; replica != replicas; ++replica)
    groups.groupOf.push_back(replica / (group.size * group.stride) *
                                 group.stride +
                             replica % group.stride);
  return groups;
}

bool isCollective(const onnx::NodeProto &node) {
  const std::string &type = node.op_type();
  return node.domain() == "ai.graphcore" &&
         (type == "ReplicatedAllReduce" || type == "ReplicatedReduceScatter" ||
          type == "ReplicatedAllGather");
}

std::int64_t numberOf(const onnx::NodeProto &node, const char *name) {
  const auto found =
      std::ranges::find(node.attribute(), name, &onnx::AttributeProto::name);
  return found == node.attribute().end() ? 0 : found->i();
}

void setGroups(onnx::GraphProto &graph, unsigned replicas) {
  for (onnx::NodeProto &node : *graph.mutable_node()) {
    for (onnx::AttributeProto &attribute : *node.mutable_attribute())
      if (attribute.has_g())
        setGroups(*attribute.mutable_g(), replicas);
    if (!isCollective(node))
      continue;
    const std::int64_t type = numberOf(node, annotations::CommGroupType);
    const std::int64_t size = numberOf(node, annotations::CommGroupSize);
    if (type < 0 || type >= std::int64_t(TypeNames.size()) || size < 0)
      failInput("{} '{}': there is no CommGroup of type {} and size {}",
                node.op_type(), node.name(), type, size);
    const Group group =
        groupOf(static_cast<CommGroupType>(type), static_cast<unsigned>(size),
                1, replicas, node.op_type() + " '" + node.name() + "'");
    popart_detail::fill(*node.add_attribute(), annotations::GroupSize,
                        std::int64_t(group.size));
    popart_detail::fill(*node.add_attribute(), annotations::GroupStride,
                        std::int64_t(group.stride));
  }
}

/// The value that replicas of the first group have.
void takeFirstGroup(onnx::TensorProto &weight, const VariableGroups &groups) {
  const std::int64_t rows = groups.rowsOnHost();
  const HostTensor value = importTensor(weight);
  const bool isOfEach = !value.shape().empty() &&
                        (value.shape()[0] == rows ||
                         value.shape()[0] == std::int64_t(groups.count));
  if (!isOfEach)
    failInput("the weight '{}' is {}, and with {} groups of replicas it has a "
              "value for each in front",
              weight.name(), toString(value.info()), groups.count);
  const HostTensor first = rowsOf(value, {0});
  onnx::TensorProto replaced;
  replaced.set_name(weight.name());
  replaced.set_data_type(weight.data_type());
  replaced.set_raw_data("");
  for (std::size_t i = 1; i != first.shape().size(); ++i)
    replaced.add_dims(first.shape()[i]);
  setElements(replaced, first.bytes().data(), first.bytes().size());
  weight = std::move(replaced);
}

/// Shapes that the model states are those with all groups.
void forgetShapes(onnx::GraphProto &graph,
                  const std::map<std::string, VariableGroups> &weights) {
  graph.clear_value_info();
  for (onnx::ValueInfoProto &output : *graph.mutable_output())
    if (output.type().has_tensor_type())
      output.mutable_type()->mutable_tensor_type()->clear_shape();
  for (onnx::ValueInfoProto &input : *graph.mutable_input())
    if (weights.contains(input.name()))
      for (const onnx::TensorProto &weight : graph.initializer())
        if (weight.name() == input.name())
          setShape(input, weight);
}

void checkFactor(const std::string &embedded, unsigned replicas) {
  if (embedded != std::to_string(replicas))
    failInput("the model is for {} replicas (embedReplicationFactor), and the "
              "session has {}",
              embedded, replicas);
}

std::set<std::string> broadcastInputs(const onnx::ModelProto &model) {
  constexpr std::string_view Prefix = StreamModeKey;
  std::set<std::string> names;
  for (const onnx::StringStringEntryProto &entry : model.metadata_props())
    if (entry.key().starts_with(Prefix) && entry.value() == "Broadcast")
      names.insert(entry.key().substr(Prefix.size()));
  return names;
}

} // namespace

void setMetadata(onnx::ModelProto &model, const std::string &key,
                 const std::string &value) {
  for (onnx::StringStringEntryProto &entry : *model.mutable_metadata_props())
    if (entry.key() == key)
      return entry.set_value(value);
  onnx::StringStringEntryProto &entry = *model.add_metadata_props();
  entry.set_key(key);
  entry.set_value(value);
}

std::vector<unsigned> VariableGroups::rowsFor(std::int64_t rows) const {
  if (rows != std::int64_t(groupOf.size()))
    return groupOf;
  // One for each replica; with groups of one replica both are the same.
  std::vector<unsigned> all;
  for (unsigned replica = 0; replica != groupOf.size(); ++replica)
    all.push_back(replica);
  return all;
}

std::vector<unsigned> VariableGroups::returned() const {
  if (returnsAll)
    return rowsFor(static_cast<std::int64_t>(groupOf.size()));
  std::vector<unsigned> first;
  for (unsigned group = 0; group != count; ++group)
    first.push_back(static_cast<unsigned>(std::ranges::find(groupOf, group) -
                                          groupOf.begin()));
  return first;
}

std::int64_t VariableGroups::rowsOnHost() const {
  return returnsAll ? static_cast<std::int64_t>(groupOf.size()) : count;
}

std::set<std::string> broadcastInputsOf(const std::string &model) {
  return translated([&] {
    const onnx::ModelProto proto = parseModel(model, "the model");
    return broadcastInputs(proto);
  });
}

ReplicaSettings replicaSettings(const onnx::ModelProto &model,
                                unsigned replicas) {
  ReplicaSettings settings;
  settings.broadcastInputs = broadcastInputs(model);
  for (const onnx::StringStringEntryProto &entry : model.metadata_props()) {
    const std::string_view key = entry.key();
    if (key == ReplicationFactorKey)
      checkFactor(entry.value(), replicas);
    if (!key.starts_with(VariableSettingsKey))
      continue;
    const std::string weight =
        entry.key().substr(std::string_view(VariableSettingsKey).size());
    VariableGroups groups = groupsFrom(entry.value(), replicas, weight);
    if (groups.rowsOnHost() != 1)
      settings.variables[weight] = std::move(groups);
  }
  return settings;
}

void useReplicas(onnx::ModelProto &model, unsigned replicas) {
  const ReplicaSettings settings = replicaSettings(model, replicas);
  onnx::GraphProto &graph = *model.mutable_graph();
  bool hasGroups = false;
  for (onnx::TensorProto &weight : *graph.mutable_initializer())
    if (const auto groups = settings.variables.find(weight.name());
        groups != settings.variables.end() && groups->second.count != 1) {
      takeFirstGroup(weight, groups->second);
      hasGroups = true;
    }
  if (hasGroups)
    forgetShapes(graph, settings.variables);
  setGroups(graph, replicas);
}

} // namespace popart::session
