// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Definitions of supported operators: inputs, outputs, attributes and types.
// For ONNX's operators they come from ONNX's schemas. Operators of Graphcore's
// domain have no schema; their definitions are empty.

#include "lib/PopART/Support/OnnxTypes.h"

#include <popart/supportedoperations.hpp>

#include <onnx/defs/schema.h>

#include <algorithm>

namespace popart {

namespace {

/// Types by ONNX's name: "tensor(float)".
OpDefinition::DataTypes typesOf(const onnx::OpSchema::FormalParameter &value) {
  static const std::map<std::string, DataType> types = {
      {"tensor(float)", DataType::FLOAT},
      {"tensor(float16)", DataType::FLOAT16},
      {"tensor(double)", DataType::DOUBLE},
      {"tensor(bool)", DataType::BOOL},
      {"tensor(int8)", DataType::INT8},
      {"tensor(int16)", DataType::INT16},
      {"tensor(int32)", DataType::INT32},
      {"tensor(int64)", DataType::INT64},
      {"tensor(uint8)", DataType::UINT8},
      {"tensor(uint16)", DataType::UINT16},
      {"tensor(uint32)", DataType::UINT32},
      {"tensor(uint64)", DataType::UINT64}};
  OpDefinition::DataTypes result;
  for (const std::string *name : value.GetTypes())
    if (const auto found = types.find(*name); found != types.end())
      result.push_back(found->second);
  std::sort(result.begin(), result.end());
  return result;
}

/// True for operands that have to be known at compile time.
bool isConstant(const std::string &type, std::size_t index) {
  static const std::set<std::string> types = {
      "Clip",   "ConstantOfShape", "Expand", "OneHot", "Pad",     "Reshape",
      "Resize", "Slice",           "Tile",   "TopK",   "Upsample"};
  if (types.count(type) == 0)
    return false;
  return type == "ConstantOfShape" ||
         (type == "OneHot" ? index == 1 : index != 0);
}

OpDefinition definitionOf(const onnx::OpSchema &schema) {
  OpDefinition definition;
  for (std::size_t i = 0; i != schema.inputs().size(); ++i) {
    const onnx::OpSchema::FormalParameter &input = schema.inputs()[i];
    definition.inputs.emplace_back(input.GetName(), typesOf(input),
                                   isConstant(schema.Name(), i));
  }
  for (const onnx::OpSchema::FormalParameter &output : schema.outputs())
    definition.outputs.emplace_back(output.GetName(), typesOf(output));
  for (const auto &entry : schema.attributes())
    definition.attributes.emplace(entry.first, "*");
  return definition;
}

} // namespace

std::map<OperatorIdentifier, OpDefinition>
getSupportedOperationsDefinition(bool includeInternal) {
  std::map<OperatorIdentifier, OpDefinition> definitions;
  for (const OperatorIdentifier &id : getSupportedOperations(includeInternal)) {
    const onnx::OpSchema *schema =
        id.domain == Domain::ai_onnx
            ? onnx::OpSchemaRegistry::Schema(id.type, id.version, "")
            : nullptr;
    definitions[id] = schema ? definitionOf(*schema) : OpDefinition();
  }
  return definitions;
}

} // namespace popart
