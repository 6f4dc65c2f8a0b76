// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ONNX model behind a Builder. Tensors are named after their operators, and
// a name that is taken gets a number.

#include "lib/PopART/Import/GrowingModel.h"
#include "lib/PopART/Interface/Elements.h"
#include "lib/PopART/Interface/OnnxTypes.h"
#include "lib/PopART/Interface/SessionProgram.h"
#include "lib/PopART/Interface/Translated.h"

#include <popart/builder.hpp>
#include <popart/patterns/patterns.hpp>

#include <onnx/onnx_pb.h>

#include <algorithm>
#include <set>

namespace popart {

namespace popart_detail {

/// The graph of another Builder.
const onnx::GraphProto &graphOf(const Builder &builder);

} // namespace popart_detail

namespace {

constexpr int DefaultOpset = 10;

void fill(onnx::TensorProto &proto, const ConstVoidData &value) {
  proto.set_data_type(session::toOnnx(value.info.dataType()));
  for (std::int64_t extent : value.info.shape())
    proto.add_dims(extent);
  session::setElements(proto, value.data,
                       static_cast<std::size_t>(value.info.nbytes()));
}

void fill(onnx::ValueInfoProto &proto, const TensorId &id,
          const TensorInfo &info) {
  proto.set_name(id);
  onnx::TypeProto::Tensor &type = *proto.mutable_type()->mutable_tensor_type();
  type.set_elem_type(session::toOnnx(info.dataType()));
  type.mutable_shape();
  for (std::int64_t extent : info.shape())
    type.mutable_shape()->add_dim()->set_dim_value(extent);
}

template <class T, class Function>
bool ifHolds(const any &value, Function &&function) {
  const T *held = any_cast<T>(&value);
  if (held)
    function(*held);
  return held != nullptr;
}

void fill(onnx::AttributeProto &proto, const std::string &name,
          const any &value) {
  proto.set_name(name);
  auto setInt = [&](std::int64_t i) {
    proto.set_type(onnx::AttributeProto::INT);
    proto.set_i(i);
  };
  auto setFloat = [&](float f) {
    proto.set_type(onnx::AttributeProto::FLOAT);
    proto.set_f(f);
  };
  auto setString = [&](const std::string &s) {
    proto.set_type(onnx::AttributeProto::STRING);
    proto.set_s(s);
  };
  auto setList = [&](auto type, auto add) {
    return [&proto, type, add](const auto &list) {
      proto.set_type(type);
      for (const auto &item : list)
        (proto.*add)(item);
    };
  };
  auto setInts =
      setList(onnx::AttributeProto::INTS, &onnx::AttributeProto::add_ints);
  bool isKnown =
      ifHolds<std::int64_t>(value, setInt) || ifHolds<int>(value, setInt) ||
      ifHolds<bool>(value, setInt) || ifHolds<float>(value, setFloat) ||
      ifHolds<double>(value,
                      [&](double f) { setFloat(static_cast<float>(f)); }) ||
      ifHolds<std::string>(value, setString) ||
      ifHolds<const char *>(value, setString) ||
      ifHolds<std::vector<std::int64_t>>(value, setInts) ||
      ifHolds<std::vector<int>>(value, setInts) ||
      ifHolds<std::vector<float>>(value,
                                  setList(onnx::AttributeProto::FLOATS,
                                          &onnx::AttributeProto::add_floats)) ||
      ifHolds<std::vector<std::string>>(
          value,
          [&](const std::vector<std::string> &list) {
            proto.set_type(onnx::AttributeProto::STRINGS);
            for (const std::string &item : list)
              proto.add_strings(item);
          }) ||
      ifHolds<popart_detail::Subgraph>(
          value,
          [&](const popart_detail::Subgraph &subgraph) {
            proto.set_type(onnx::AttributeProto::GRAPH);
            *proto.mutable_g() = popart_detail::graphOf(*subgraph.builder);
          }) ||
      ifHolds<ConstVoidData>(value, [&](const ConstVoidData &data) {
        proto.set_type(onnx::AttributeProto::TENSOR);
        fill(*proto.mutable_t(), data);
      });
  if (!isKnown)
    throw error("the attribute '{}' is of a type that nodes cannot have", name);
}

/// Cast names its type; ONNX has a number for it.
any attributeValue(const std::string &type, const std::string &name,
                   const any &value) {
  const std::string *text = any_cast<std::string>(&value);
  if (type != "Cast" || name != "to" || !text)
    return value;
  return std::int64_t(session::toOnnx(dataTypeFromString(*text)));
}

} // namespace

namespace popart_detail {

class BuilderState {
public:
  BuilderState() {
    model.set_ir_version(onnx::IR_VERSION);
    model.set_producer_name("Populus");
    graph().set_name("BuilderGraph");
  }

  /// For a graph inside that of `parent`, whose tensors it sees. Names are
  /// unique in all of them.
  explicit BuilderState(BuilderState &parent)
      : parent(&parent), names(parent.names) {
    graph().set_name(newName("subgraph"));
  }

  explicit BuilderState(const std::string &bytes) : isFromElsewhere(true) {
    if (!model.ParseFromString(bytes))
      throw error("Builder: this is not an ONNX model");
    for (const auto &input : graph().input())
      names->insert(input.name());
    for (const auto &weight : graph().initializer())
      names->insert(weight.name());
    for (const auto &node : graph().node())
      names->insert(node.output().begin(), node.output().end());
  }

  static BuilderState &of(const Builder &builder) { return *builder.state; }

  onnx::GraphProto &graph() { return *model.mutable_graph(); }

  std::string scoped(const std::string &name) const {
    std::string prefix;
    for (const std::string &scope : scopes)
      prefix += scope + "/";
    return prefix + name;
  }

  /// `stem` in the open scopes, or the first of stem/1, stem/2, … that is free.
  TensorId newName(const std::string &stem) {
    std::string wanted = scoped(stem), name = wanted;
    for (int &i = next[wanted]; !names->insert(name).second;)
      name = wanted + "/" + std::to_string(++i);
    return name;
  }

  void useOpset(const std::string &domain, int version) {
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

  TensorIds addNode(const std::string &domain, const std::string &type,
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

  TensorId addIdentity(const TensorId &id) {
    return addNode("", "Identity", {id}, 1, {}, "").front();
  }

  onnx::NodeProto &nodeOf(const TensorId &output) {
    for (onnx::NodeProto &node : *graph().mutable_node())
      if (std::find(node.output().begin(), node.output().end(), output) !=
          node.output().end())
        return node;
    throw error("Builder: no node makes the tensor '{}'", output);
  }

  /// The model with an opset at least, with the types of its results, and with
  /// initializers among its inputs, where programs look for them.
  onnx::ModelProto complete() const {
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

  static void addWeightsToInputs(onnx::GraphProto &graph) {
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

  /// Asks the compiler for types and shapes.
  std::vector<TensorInfo> inferred(const std::vector<std::string> &ids) const {
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

  BuilderState *parent = nullptr;
  onnx::ModelProto model;
  std::shared_ptr<std::set<std::string>> names =
      std::make_shared<std::set<std::string>>();
  std::vector<std::string> scopes;
  /// Attributes that new nodes get.
  std::map<std::string, any> ofAllNodes;
  std::vector<std::unique_ptr<Builder>> subgraphs;

  /// Initializers whose elements the model, as others get it, has in files.
  session::ExternalPlaces places;

  /// What the compiler knows of the model so far. Whoever changes a node
  /// forgets it.
  mutable populus::popir::GrowingModel growing;

private:
  /// Nothing of a model from elsewhere, which has to be checked first, or that
  /// cannot be imported.
  std::optional<session::Info> grown(const std::string &id) const {
    if (isFromElsewhere || model.opset_import().empty())
      return std::nullopt;
    const std::optional<populus::popir::TensorInfo> info =
        growing.find(model, id);
    if (!info)
      return std::nullopt;
    return session::Info{populus::popir::toOnnx(info->type), info->shape};
  }

  bool isFromElsewhere = false;
  /// By stem, the last number of its names.
  std::map<std::string, int> next;

  /// A subgraph is part of a model, and its shapes depend on who calls it.
  void needRoot(const char *what) const {
    if (parent)
      throw error("Builder: a subgraph by itself has no {}", what);
  }

  onnx::ModelProto withOpset() const {
    onnx::ModelProto result = model;
    for (const auto &import : result.opset_import())
      if (import.domain().empty())
        return result;
    result.add_opset_import()->set_version(DefaultOpset);
    return result;
  }
};

const onnx::GraphProto &graphOf(const Builder &builder) {
  return BuilderState::of(builder).graph();
}

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
  fill(*state->graph().add_input(), id, info);
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
  fill(weight, value);
  weight.set_name(id);
  return id;
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

void Builder::addNodeAttribute(const std::string &name, const any &value,
                               const std::set<TensorId> &outputs) {
  for (const TensorId &output : outputs) {
    onnx::NodeProto &node = state->nodeOf(output);
    for (const onnx::AttributeProto &attribute : node.attribute())
      if (attribute.name() == name)
        throw error("Builder: the node of '{}' has the attribute '{}' already",
                    output, name);
    fill(*node.add_attribute(), name, value);
    // These are about where and how an operator is computed.
    if (name.compare(0, 2, "__") != 0)
      state->growing.forget();
  }
}

/// Null where the node has no such attribute.
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

/// The attribute of the one node that makes these tensors.
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
  for (const TensorId &output : outputs) {
    auto &attributes = *state->nodeOf(output).mutable_attribute();
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
  addNodeAttribute("__ipu_number", value, {id});
}

void Builder::virtualGraph(const std::set<TensorId> &ids, std::int64_t value) {
  addNodeAttribute("__ipu_number", value, ids);
}

void Builder::pipelineStage(const TensorId &id, std::int64_t value) {
  addNodeAttribute("__pipeline_stage", value, {id});
}

void Builder::pipelineStage(const std::set<TensorId> &ids, std::int64_t value) {
  addNodeAttribute("__pipeline_stage", value, ids);
}

void Builder::executionPhase(const std::set<TensorId> &ids,
                             std::int64_t value) {
  addNodeAttribute("__execution_phase", value, ids);
}

void Builder::setPartialsType(const TensorId &id,
                              const std::string &partialsType) {
  if (partialsType != "HALF" && partialsType != "FLOAT")
    throw error("setPartialsType: '{}' is not one of HALF and FLOAT",
                partialsType);
  addNodeAttribute("__partials_type", partialsType, {id});
}

std::string Builder::getPartialsType(const TensorId &id) const {
  if (!nodeHasAttribute("__partials_type", {id}))
    return "FLOAT";
  return getStringNodeAttribute("__partials_type", {id});
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
  addNodeAttribute("__available_memory", proportion, ids);
}

void Builder::recomputeOutputInBackwardPass(const std::set<TensorId> &ids,
                                            RecomputeType value) {
  addNodeAttribute("__recompute_output_in_backward_pass",
                   static_cast<std::int64_t>(value), ids);
}

bool Builder::getRecomputeOutputInBackwardPass(
    const std::set<TensorId> &ids) const {
  const char *const name = "__recompute_output_in_backward_pass";
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
  addNodeAttribute("__inplace_op_names", names, {id});
  addNodeAttribute("__inplace_op_priorities", values, {id});
}

void Builder::excludePatterns(const std::set<TensorId> &ids,
                              const std::vector<std::string> &patternNames) {
  const Patterns all(PatternsLevel::All);
  for (const std::string &name : patternNames)
    if (!all.getSettings().count(name))
      throw error("Invalid pattern name '{}'", name);
  addNodeAttribute("__exclude_patterns", patternNames, ids);
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
  addNodeAttribute("__serialize_matmul_mode", mode, ids);
  addNodeAttribute("__serialize_matmul_factor", factor, ids);
  addNodeAttribute("__serialize_matmul_precision",
                   static_cast<std::int64_t>(keepPrecision), ids);
}

void Builder::setEnableConvDithering(const TensorId &id, std::int64_t value) {
  addNodeAttribute("__enable_conv_dithering", value, {id});
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
  if (factor != 1)
    throw error("embedReplicationFactor: {} replicas are not supported, there "
                "can be one",
                factor);
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
