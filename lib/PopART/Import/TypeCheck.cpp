// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PopART accepts types that ONNX does not, or not in the model's opset: uint32
// indices, loop counters of int32, comparisons and maxima of types of later
// opsets. If our operators accept them, too, libonnx checks a copy of the model
// with casts, or its error is ignored. Operators whose shapes libonnx gets
// wrong are hidden from it.

#include "lib/PopART/Import/TypeCheck.h"

#include "lib/PopART/Import/ModelFile.h"
#include "lib/PopART/Support/Error.h"

#include <onnx/defs/schema.h>
#include <onnx/shape_inference/implementation.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>

namespace populus::popir {

namespace {

// Before opset 9 a Constant had to be float, but exporters used integers for
// shapes. As initializers these are valid.
void liftIntegerConstants(onnx::ModelProto &model) {
  if (opsetsOf(model)[""] >= 9)
    return;
  onnx::GraphProto &graph = *model.mutable_graph();
  auto isInteger = [](const onnx::NodeProto &node) {
    return node.op_type() == "Constant" && node.output_size() == 1 &&
           node.attribute_size() == 1 && node.attribute(0).has_t() &&
           (node.attribute(0).t().data_type() == onnx::TensorProto::INT32 ||
            node.attribute(0).t().data_type() == onnx::TensorProto::INT64);
  };
  for (const onnx::NodeProto &node : graph.node())
    if (isInteger(node)) {
      onnx::TensorProto &value = *graph.add_initializer();
      value = node.attribute(0).t();
      value.set_name(node.output(0));
    }
  auto &nodes = *graph.mutable_node();
  nodes.erase(std::remove_if(nodes.begin(), nodes.end(), isInteger),
              nodes.end());
  // Until version 3 of the format initializers had to be inputs.
  model.set_ir_version(std::max<std::int64_t>(model.ir_version(), 4));
}

/// The tensor of an empty list.
onnx::AttributeProto emptyTensor(const onnx::AttributeProto &list) {
  onnx::AttributeProto result;
  result.set_name("value");
  result.set_type(onnx::AttributeProto::TENSOR);
  result.mutable_t()->set_data_type(list.name() == "value_ints"
                                        ? onnx::TensorProto::INT64
                                        : onnx::TensorProto::FLOAT);
  result.mutable_t()->add_dims(0);
  return result;
}

bool isEmptyList(const onnx::AttributeProto &attribute) {
  return (attribute.name() == "value_ints" && attribute.ints().empty()) ||
         (attribute.name() == "value_floats" && attribute.floats().empty());
}

// ONNX allows Constants that are empty lists, but libonnx rejects them. Replace
// them by empty tensors.
template <class Nodes> void fillEmptyLists(Nodes &nodes) {
  for (onnx::NodeProto &node : nodes)
    for (onnx::AttributeProto &attribute : *node.mutable_attribute())
      if (attribute.has_g())
        fillEmptyLists(*attribute.mutable_g()->mutable_node());
      else if (node.op_type() == "Constant" && isEmptyList(attribute) &&
               attribute.ref_attr_name().empty())
        attribute = emptyTensor(attribute);
}

onnx::NodeProto castNode(const std::string &from, const std::string &to,
                         std::int32_t type) {
  onnx::NodeProto cast;
  cast.set_op_type("Cast");
  cast.add_input(from);
  cast.add_output(to);
  onnx::AttributeProto &attribute = *cast.add_attribute();
  attribute.set_name("to");
  attribute.set_type(onnx::AttributeProto::INT);
  attribute.set_i(type);
  return cast;
}

/// Casts ONNX's int64 counter for a loop body that counts in int32.
bool widenCounter(onnx::NodeProto &loop) {
  for (onnx::AttributeProto &attribute : *loop.mutable_attribute()) {
    onnx::GraphProto &body = *attribute.mutable_g();
    if (attribute.name() != "body" || body.input().empty())
      continue;
    onnx::ValueInfoProto &counter = *body.mutable_input(0);
    auto &type = *counter.mutable_type()->mutable_tensor_type();
    if (type.elem_type() != onnx::TensorProto::INT32)
      continue;
    type.set_elem_type(onnx::TensorProto::INT64);
    const std::string name = counter.name(), wide = name + "/wide";
    counter.set_name(wide);
    google::protobuf::RepeatedPtrField<onnx::NodeProto> nodes;
    *nodes.Add() = castNode(wide, name, onnx::TensorProto::INT32);
    nodes.MergeFrom(body.node());
    body.mutable_node()->Swap(&nodes);
    return true;
  }
  return false;
}

// Adds casts to ONNX's integer type: of RoiAlign's batch indices, and of
// iteration counts.
void widenIntegers(onnx::GraphProto &graph) {
  google::protobuf::RepeatedPtrField<onnx::NodeProto> nodes;
  for (onnx::NodeProto &node : *graph.mutable_node()) {
    for (onnx::AttributeProto &attribute : *node.mutable_attribute())
      if (attribute.has_g())
        widenIntegers(*attribute.mutable_g());
    const bool isRoiAlign = node.op_type() == "RoiAlign";
    if ((isRoiAlign && node.input_size() == 3) ||
        (node.op_type() == "Loop" && widenCounter(node) &&
         !node.input(0).empty())) {
      const int operand = isRoiAlign ? 2 : 0;
      *nodes.Add() = castNode(node.input(operand), node.output(0) + "/integers",
                              onnx::TensorProto::INT64);
      node.set_input(operand, node.output(0) + "/integers");
    }
    *nodes.Add() = std::move(node);
  }
  graph.mutable_node()->Swap(&nodes);
}

/// libonnx counts the frames of STFT wrongly, and then refuses their readers.
/// It sees a tensor of unknown shape instead.
void hideFrames(onnx::GraphProto &graph, onnx::GraphProto &main) {
  for (onnx::NodeProto &node : *graph.mutable_node()) {
    for (onnx::AttributeProto &attribute : *node.mutable_attribute())
      if (attribute.has_g())
        hideFrames(*attribute.mutable_g(), main);
    if (node.op_type() != "STFT" || node.output_size() != 1 ||
        node.input_size() == 0)
      continue;
    onnx::ValueInfoProto &shape = *main.add_input();
    shape.set_name(node.output(0) + "/shape");
    auto &type = *shape.mutable_type()->mutable_tensor_type();
    type.set_elem_type(onnx::TensorProto::INT64);
    type.mutable_shape()->add_dim();
    const std::string signal = node.input(0);
    node.set_op_type("Reshape");
    node.clear_attribute();
    node.clear_input();
    node.add_input(signal);
    node.add_input(shape.name());
  }
}

/// ZipMap's maps are tensors here; libonnx has no shapes of maps.
void removeZipMaps(onnx::GraphProto &graph) {
  auto isZipMap = [](const onnx::NodeProto &node) {
    return node.op_type() == "ZipMap" &&
           node.domain() == onnx::AI_ONNX_ML_DOMAIN;
  };
  std::set<std::string> maps;
  for (const onnx::NodeProto &node : graph.node())
    if (isZipMap(node))
      maps.insert(node.output().begin(), node.output().end());
  auto &nodes = *graph.mutable_node();
  nodes.erase(std::remove_if(nodes.begin(), nodes.end(), isZipMap),
              nodes.end());
  auto &outputs = *graph.mutable_output();
  outputs.erase(std::remove_if(outputs.begin(), outputs.end(),
                               [&](const onnx::ValueInfoProto &output) {
                                 return maps.count(output.name()) != 0;
                               }),
                outputs.end());
}

/// Operators whose operand `index` is an index, which may be uint32.
constexpr std::array<std::string_view, 4> WithIndices = {
    "Gather", "GatherElements", "Scatter", "ScatterElements"};
constexpr int IndexOperand = 1;

/// Operators that accept all numeric types and check them themselves.
constexpr std::array<std::string_view, 12> OfNumbers = {
    "Add",     "Sub",  "Mul", "Div", "Pow", "Equal",
    "Greater", "Less", "Max", "Min", "Sum", "Where"};

template <std::size_t N>
bool isIn(const std::array<std::string_view, N> &names,
          const onnx::NodeProto &node) {
  return std::ranges::find(names, node.op_type()) != names.end();
}

const onnx::OpSchema *schemaOf(const std::map<std::string, int> &opsets,
                               const onnx::NodeProto &node) {
  const auto opset =
      opsets.find(node.domain() == "ai.onnx" ? "" : node.domain());
  return opset == opsets.end()
             ? nullptr
             : onnx::OpSchemaRegistry::Schema(node.op_type(),
                                              static_cast<int>(opset->second),
                                              opset->first);
}

/// Finds operands of types that neither ONNX nor we accept.
class OperandTypes {
public:
  explicit OperandTypes(const onnx::ModelProto &model)
      : opsets(opsetsOf(model)), graph(model.graph()) {
    for (const auto *values :
         {&graph.input(), &graph.output(), &graph.value_info()})
      for (const onnx::ValueInfoProto &value : *values)
        types[value.name()] = value.type();
    for (const onnx::TensorProto &tensor : graph.initializer())
      types[tensor.name()].mutable_tensor_type()->set_elem_type(
          tensor.data_type());
  }

  bool areTaken() const {
    return std::ranges::all_of(graph.node(), [&](const auto &node) {
      const onnx::OpSchema *schema = schemaOf(opsets, node);
      return !schema || isIn(OfNumbers, node) || areTaken(node, *schema);
    });
  }

private:
  /// libonnx throws if it is asked for the name of a type that it lacks.
  static bool isKnownToOnnx(const onnx::TypeProto &type) {
    return !type.has_tensor_type() ||
           onnx::TensorProto_DataType_IsValid(type.tensor_type().elem_type());
  }

  /// True if all operand types are accepted, and operands that share a type
  /// variable have one type.
  bool areTaken(const onnx::NodeProto &node,
                const onnx::OpSchema &schema) const {
    std::map<std::string, onnx::DataType> variables;
    for (int i = 0; i != node.input_size(); ++i) {
      const auto found = types.find(node.input(i));
      if (found == types.end() || schema.inputs().empty())
        continue;
      const std::size_t last = schema.inputs().size() - 1;
      const onnx::OpSchema::FormalParameter &parameter =
          schema.inputs()[std::min<std::size_t>(i, last)];
      if (!isKnownToOnnx(found->second))
        return false;
      const onnx::DataType type =
          onnx::Utils::DataTypeUtils::ToType(found->second);
      const bool isIndex =
          isIn(WithIndices, node) && i == IndexOperand &&
          found->second.tensor_type().elem_type() == onnx::TensorProto::UINT32;
      if (isIndex)
        continue;
      if (parameter.GetTypes().count(type) == 0 ||
          (parameter.GetIsHomogeneous() &&
           variables.emplace(parameter.GetTypeStr(), type).first->second !=
               type))
        return false;
    }
    return true;
  }

  std::map<std::string, int> opsets;
  const onnx::GraphProto &graph;
  std::map<std::string, onnx::TypeProto> types;
};

/// The message about an invalid model; empty for a valid one.
std::string problemOf(onnx::ModelProto &model, bool checksOperands) {
  const onnx::ShapeInferenceOptions options(checksOperands, /*strict_mode=*/1,
                                            /*data_prop=*/true);
  try {
    onnx::shape_inference::InferShapes(
        model, onnx::OpSchemaRegistry::Instance(), options);
  } catch (const std::exception &error) {
    return oneLine(error.what());
  }
  return {};
}

/// Removes nodes for which libonnx has no rule of types, such as an
/// SVMClassifier, and all that depend on them. It would refuse their readers,
/// because an operand has no type.
class WithoutRule {
public:
  explicit WithoutRule(onnx::ModelProto &model)
      : model(model), opsets(opsetsOf(model)) {}

  /// Returns true if there were such nodes.
  bool remove() {
    onnx::GraphProto &graph = *model.mutable_graph();
    for (const onnx::ValueInfoProto &value : graph.value_info())
      known.insert(value.name());
    auto &nodes = *graph.mutable_node();
    const auto end = std::remove_if(
        nodes.begin(), nodes.end(), [&](const onnx::NodeProto &node) {
          if (hasRule(node) && !readsUnknown(node))
            return false;
          for (const std::string &output : node.output())
            if (!known.contains(output))
              unknown.insert(output);
          return true;
        });
    const bool isAny = end != nodes.end();
    nodes.erase(end, nodes.end());
    auto &outputs = *graph.mutable_output();
    outputs.erase(std::remove_if(outputs.begin(), outputs.end(),
                                 [&](const onnx::ValueInfoProto &output) {
                                   return unknown.contains(output.name());
                                 }),
                  outputs.end());
    return isAny;
  }

private:
  template <class Test>
  static bool anyInside(const onnx::NodeProto &node, Test test) {
    return std::ranges::any_of(node.attribute(), [&](const auto &attribute) {
      return attribute.has_g() &&
             std::ranges::any_of(attribute.g().node(), test);
    });
  }

  bool hasRule(const onnx::NodeProto &node) const {
    const onnx::OpSchema *schema = schemaOf(opsets, node);
    const bool isKnown =
        findFunction(model, node) ||
        (schema && (schema->has_type_and_shape_inference_function() ||
                    schema->HasFunction()));
    return isKnown && !anyInside(node, [&](const onnx::NodeProto &inside) {
             return !hasRule(inside);
           });
  }

  bool readsUnknown(const onnx::NodeProto &node) const {
    return std::ranges::any_of(node.input(),
                               [&](const std::string &name) {
                                 return unknown.contains(name);
                               }) ||
           anyInside(node, [&](const onnx::NodeProto &inside) {
             return readsUnknown(inside);
           });
  }

  onnx::ModelProto &model;
  const std::map<std::string, int> opsets;
  std::set<std::string> known, unknown;
};

/// True if the part of the model is valid whose types libonnx knows.
bool isValidWhereKnown(onnx::ModelProto model) {
  return WithoutRule(model).remove() &&
         (problemOf(model, true).empty() ||
          (problemOf(model, false).empty() && OperandTypes(model).areTaken()));
}

} // namespace

void checkTypes(onnx::ModelProto &model) {
  liftIntegerConstants(model);
  fillEmptyLists(*model.mutable_graph()->mutable_node());
  for (onnx::FunctionProto &function : *model.mutable_functions())
    fillEmptyLists(*function.mutable_node());
  widenIntegers(*model.mutable_graph());
  hideFrames(*model.mutable_graph(), *model.mutable_graph());
  removeZipMaps(*model.mutable_graph());
  const std::string problem = problemOf(model, true);
  const bool isValid =
      problem.empty() ||
      (problemOf(model, false).empty() && OperandTypes(model).areTaken()) ||
      isValidWhereKnown(model);
  if (!isValid)
    failInput("types or shapes of the model do not fit: {}", problem);
}

} // namespace populus::popir
