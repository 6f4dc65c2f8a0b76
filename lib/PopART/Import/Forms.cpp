// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of operator forms newer than libonnx, and its queries.

#include "lib/PopART/Import/Forms.h"

#include "lib/PopART/IR/Annotations.h"
#include "lib/PopART/Import/ModelFile.h"
#include "lib/PopART/Support/Error.h"

#include <onnx/defs/schema.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <map>

namespace populus::popir {

namespace {

const std::vector<OperatorForm> &allForms() {
  static const std::vector<OperatorForm> forms = {
#include "lib/PopART/Import/NewForms.inc"
  };
  return forms;
}

std::string describe(const onnx::NodeProto &node) {
  return fmt::format("node '{}' ({})", nodeName(node), node.op_type());
}

bool isThere(const google::protobuf::RepeatedPtrField<std::string> &names,
             int index) {
  return index < names.size() && !names.Get(index).empty();
}

void checkAttributes(const onnx::NodeProto &node, const OperatorForm &form) {
  for (const onnx::AttributeProto &given : node.attribute()) {
    if (annotations::isAnnotation(given.name()))
      continue;
    auto formal = std::ranges::find(form.attributes, given.name(),
                                    &FormalAttribute::name);
    if (formal == form.attributes.end())
      failInput("{}: {}-{} has no attribute '{}'", describe(node), form.type,
                form.version, given.name());
    if (given.type() != formal->type && given.ref_attr_name().empty())
      failInput(
          "{}: its attribute '{}' is of type {}, and has to be {}",
          describe(node), given.name(),
          onnx::AttributeProto_AttributeType_Name(given.type()),
          onnx::AttributeProto_AttributeType_Name(
              static_cast<onnx::AttributeProto_AttributeType>(formal->type)));
  }
  for (const FormalAttribute &formal : form.attributes)
    if (formal.isRequired &&
        std::ranges::none_of(node.attribute(), [&](const auto &given) {
          return given.name() == formal.name;
        }))
      failInput("{}: it has no attribute '{}'", describe(node), formal.name);
}

void checkNumberOfInputs(const onnx::NodeProto &node,
                         const OperatorForm &form) {
  bool isVariadic =
      !form.inputs.empty() && form.inputs.back().kind == FormalInput::Variadic;
  if (node.input_size() > static_cast<int>(form.inputs.size()) && !isVariadic)
    failInput("{}: it has {} inputs, and {}-{} has {} at most", describe(node),
              node.input_size(), form.type, form.version, form.inputs.size());
  for (std::size_t i = 0; i != form.inputs.size(); ++i)
    if (form.inputs[i].kind != FormalInput::Optional &&
        !isThere(node.input(), static_cast<int>(i)))
      failInput("{}: its input {} ('{}') is missing", describe(node), i,
                form.inputs[i].name);
}

} // namespace

const OperatorForm *findForm(const std::string &type, int opset) {
  const OperatorForm *newest = nullptr;
  for (const OperatorForm &form : allForms())
    if (form.type == type && form.version <= opset &&
        (!newest || form.version > newest->version))
      newest = &form;
  return newest;
}

int newestOpset() {
  return std::ranges::max(allForms(), {}, &OperatorForm::version).version;
}

// The IR version of the ONNX release that introduced the newest opset.
int newestIrVersion() { return 14; }

int newestOpsetOfLibonnx() {
  return onnx::OpSchemaRegistry::DomainToVersionRange::Instance()
      .Map()
      .at(onnx::ONNX_DOMAIN)
      .second;
}

int newestIrVersionOfLibonnx() { return onnx::Version::IR_VERSION; }

void checkNodeForm(const onnx::NodeProto &node, const OperatorForm &form) {
  if (form.isDeprecated)
    failInput("{}: {}-{} is deprecated; export the model with a newer opset",
              describe(node), form.type, form.version);
  checkAttributes(node, form);
  checkNumberOfInputs(node, form);
  if (node.output_size() < form.fewestOutputs ||
      (form.mostOutputs >= 0 && node.output_size() > form.mostOutputs))
    failInput("{}: it has {} results, and {}-{} has {} to {}", describe(node),
              node.output_size(), form.type, form.version, form.fewestOutputs,
              form.mostOutputs);
}

void checkInputTypes(const onnx::NodeProto &node, const OperatorForm &form,
                     const std::vector<Value *> &inputs) {
  std::map<std::string, DataType> bound;
  for (std::size_t i = 0; i != inputs.size(); ++i) {
    if (!inputs[i] || form.inputs.empty())
      continue;
    const FormalInput &formal =
        form.inputs[std::min(i, form.inputs.size() - 1)];
    const DataType type = inputs[i]->info.type;
    if ((formal.types >> toOnnx(type) & 1) == 0)
      failInput("{}: its input {} ('{}') is of type {}, which {}-{} does not "
                "take",
                describe(node), i, formal.name, name(type), form.type,
                form.version);
    if (formal.variable.empty())
      continue;
    const auto [first, isNew] = bound.emplace(formal.variable, type);
    if (!isNew && first->second != type)
      failInput("{}: its input {} ('{}') is of type {}, and others that have "
                "to be of the same type are {}",
                describe(node), i, formal.name, name(type),
                name(first->second));
  }
}

} // namespace populus::popir
