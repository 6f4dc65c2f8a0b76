// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Import of single nodes: operators, functions of ONNX, functions of the model.

#include "lib/PopART/Import/Body.h"

#include "lib/PopART/IR/Annotations.h"
#include "lib/PopART/IR/Module.h"
#include "lib/PopART/IR/OpTable.h"
#include "lib/PopART/Import/ControlFlow.h"
#include "lib/PopART/Import/Decomposition.h"
#include "lib/PopART/Import/Forms.h"
#include "lib/PopART/Import/TensorData.h"
#include "lib/PopART/Ops/Bounded/BoundedOp.h"
#include "lib/PopART/Support/Log.h"

#include <onnx/defs/function.h>
#include <onnx/defs/schema.h>

#include <algorithm>
#include <limits>
#include <unordered_set>

namespace populus::popir {

namespace {

/// The limit of operators, with loops unrolled and functions inlined.
constexpr std::size_t MostOperators = 1'000'000;

/// The limit of elements of a tensor; 16 IPUs hold fewer floats.
constexpr std::int64_t MostElements = std::numeric_limits<unsigned>::max();

/// Removes and returns the placement from a node's attributes. The Builder adds
/// these attributes; no operator defines them.
Placement takePlacement(Attributes &attributes) {
  auto take = [&](const char *name) -> std::optional<std::int64_t> {
    if (!attributes.has(name))
      return std::nullopt;
    const std::int64_t value = attributes.getInt(name, 0);
    attributes.remove(name);
    return value;
  };
  Placement placement;
  placement.ipu = take(annotations::IpuNumber);
  placement.stage = take(annotations::PipelineStage);
  placement.phase = take(annotations::ExecutionPhase);
  // RecomputeType of the interface: 1 stores results, 2 recomputes them.
  constexpr std::int64_t Again = 2;
  if (const auto type = take(annotations::Recompute); type.value_or(0) != 0)
    placement.recompute = *type == Again;
  return placement;
}

OpSpec importSpec(const onnx::NodeProto &node, const Scope &scope) {
  OpSpec spec;
  spec.id = resolveOperator(scope.opsets(), node);
  spec.name = scope.prefix() + nodeName(node);
  spec.attributes = importAttributes(node);
  spec.placement = takePlacement(spec.attributes);
  spec.numInputs = node.input_size();
  // Trailing omitted results do not count.
  spec.numOutputs = node.output_size();
  while (spec.numOutputs > 0 &&
         node.output(static_cast<int>(spec.numOutputs) - 1).empty())
    --spec.numOutputs;
  return spec;
}

/// The type of a tensor for libonnx.
onnx::TypeProto typeProto(const Value *tensor) {
  onnx::TypeProto type;
  if (!tensor)
    return type;
  type.mutable_tensor_type()->set_elem_type(toOnnx(tensor->info.type));
  auto &shape = *type.mutable_tensor_type()->mutable_shape();
  for (std::int64_t extent : tensor->info.shape)
    shape.add_dim()->set_dim_value(extent);
  return type;
}

/// The node with default values of omitted attributes.
onnx::NodeProto withDefaults(const onnx::NodeProto &node,
                             const onnx::OpSchema &schema) {
  onnx::NodeProto result = node;
  for (const auto &[name, attribute] : schema.attributes()) {
    bool isGiven = std::any_of(node.attribute().begin(), node.attribute().end(),
                               [&](const onnx::AttributeProto &given) {
                                 return given.name() == name;
                               });
    if (isGiven ||
        attribute.default_value.type() == onnx::AttributeProto::UNDEFINED)
      continue;
    onnx::AttributeProto &copy = *result.add_attribute();
    copy = attribute.default_value;
    copy.set_name(name);
  }
  return result;
}

/// A node of a function, with attribute references replaced by the caller's
/// attributes.
onnx::NodeProto withAttributes(const onnx::NodeProto &node,
                               const onnx::NodeProto &caller) {
  onnx::NodeProto result = node;
  result.clear_attribute();
  for (const onnx::AttributeProto &attribute : node.attribute()) {
    if (attribute.ref_attr_name().empty()) {
      *result.add_attribute() = attribute;
      continue;
    }
    for (const onnx::AttributeProto &given : caller.attribute())
      if (given.name() == attribute.ref_attr_name()) {
        onnx::AttributeProto &copy = *result.add_attribute();
        copy = given;
        copy.set_name(attribute.name());
      }
  }
  return result;
}

} // namespace

std::optional<Value *> Scope::find(const std::string &name) const {
  if (auto found = names.find(name); found != names.end())
    return found->second;
  std::optional<Value *> outer = parent ? parent->find(name) : std::nullopt;
  return outer && *outer && capture ? capture(**outer) : outer;
}

void Problems::add(const Error &error) {
  if (error.kind() != ErrorKind::Unsupported)
    kind = error.kind();
  if (const auto *unknown = dynamic_cast<const UnknownValue *>(&error))
    unknownInputs.insert(unknown->inputs().begin(), unknown->inputs().end());
  if (std::find(texts.begin(), texts.end(), error.what()) == texts.end())
    texts.push_back(error.what());
}

void Problems::throwIfAny() const {
  constexpr std::size_t Most = 20;
  if (texts.empty())
    return;
  std::vector<std::string> shown(texts.begin(),
                                 texts.begin() + std::min(texts.size(), Most));
  if (texts.size() > Most)
    shown.push_back(fmt::format("and {} more", texts.size() - Most));
  const std::string text = fmt::format("{}", fmt::join(shown, "; "));
  if (unknownInputs.empty())
    throw Error(kind, text);
  throw UnknownValue(kind, text, unknownInputs);
}

std::string BodyImporter::newName(const Scope &scope,
                                  const std::string &name) const {
  return scope.prefix().empty() ? name
                                : graph.uniqueName(scope.prefix() + name);
}

Value &BodyImporter::addInitializer(const onnx::TensorProto &tensor,
                                    const Scope &scope) {
  HostTensor value = importTensor(tensor);
  const bool isOfModel = scope.prefix().empty();
  if (!isOfModel || !isVariable || !isVariable(tensor))
    return graph.addConstant(newName(scope, tensor.name()), std::move(value));
  TensorInfo info = value.info();
  return graph.useVariable(graph.module().addVariable(
      tensor.name(), std::move(info),
      std::make_shared<const HostTensor>(std::move(value))));
}

void BodyImporter::addGraph(const onnx::GraphProto &body, Scope &scope,
                            int knownInitializers, int knownNodes) {
  if (body.sparse_initializer_size() != 0)
    failUnsupported("sparse initializers ('{}') are not supported; store them "
                    "as dense tensors",
                    body.sparse_initializer(0).values().name());
  for (int i = knownInitializers; i != body.initializer_size(); ++i)
    scope.bind(body.initializer(i).name(),
               &addInitializer(body.initializer(i), scope));
  for (int i = knownNodes; i != body.node_size(); ++i)
    addNode(body.node(i), scope);
}

void BodyImporter::addNode(const onnx::NodeProto &node, Scope &scope) {
  if (!scope.prefix().empty() && ++*expandedNodes > MostExpandedNodes)
    failExpansion();
  bool isKnownToFail = std::any_of(
      node.input().begin(), node.input().end(), [&](const std::string &name) {
        return !name.empty() &&
               scope.find(name) == std::optional<Value *>(nullptr);
      });
  try {
    if (!isKnownToFail)
      return makeKnown ? importKnowing(node, scope) : importNode(node, scope);
    // Its attributes can be wrong all the same.
    if (isModelOp(resolveOperator(scope.opsets(), node)))
      createOp(importSpec(node, scope));
  } catch (const ReadsPadding &error) {
    readers.add(error);
  } catch (const Error &error) {
    problems.add(error);
  }
  for (const std::string &output : node.output())
    scope.bind(output, nullptr);
}

BodyImporter::Checkpoint BodyImporter::checkpoint() const {
  return {graph.ops().empty() ? nullptr : graph.ops().back(), problems, readers,
          firstDouble, bounds ? std::optional(*bounds) : std::nullopt};
}

void BodyImporter::undo(const Checkpoint &before) {
  std::unordered_set<const Op *> added;
  bool isAdded = !before.lastOp;
  for (const Op *op : graph.ops()) {
    if (isAdded)
      added.insert(op);
    isAdded |= op == before.lastOp;
  }
  graph.removeOps([&](const Op &op) { return added.contains(&op); });
  problems = before.problems;
  readers = before.readers;
  firstDouble = before.firstDouble;
  if (bounds)
    *bounds = *before.bounds;
}

/// Imports a node. If that fails for want of a value, such as a shape that is
/// computed from weights, the value's inputs become constants, and the node is
/// imported again.
void BodyImporter::importKnowing(const onnx::NodeProto &node, Scope &scope) {
  const Checkpoint before = checkpoint();
  for (;;)
    try {
      return importNode(node, scope);
    } catch (const UnknownValue &error) {
      const std::vector<Value *> known = makeKnown(error.inputs());
      if (known.empty())
        throw;
      undo(before);
      for (Value *constant : known)
        folder.foldUsers(graph, *constant);
    }
}

void BodyImporter::importNode(const onnx::NodeProto &node, Scope &scope) {
  OperatorId id = resolveOperator(scope.opsets(), node);
  if (const onnx::FunctionProto *function = findFunction(model, node))
    return addFunction(node, *function, scope);
  if (!isModelOp(id)) // what it becomes may depend on shapes
    refusePadded(node, scope);
  if (readsSequence(node, scope) && !isControlFlow(id))
    return addSequenceOp(id.type, node, scope);
  const OperatorForm *form = findForm(scope.opsets(), node);
  if (form && !readsSequence(node, scope))
    checkInputTypes(node, *form, inputsOf(node, scope));
  const Decomposition *found = findDecomposition(id);
  if (found && addDecomposition(node, *found, scope))
    return;
  if (isModelOp(id))
    return addOperator(node, scope);
  if (isControlFlow(id))
    return addControlFlow(id.type, node, scope);
  if (!addSchemaFunction(node, scope))
    failUnsupported("operator {} (node '{}') is not supported", toString(id),
                    scope.prefix() + nodeName(node));
}

std::vector<Value *> BodyImporter::inputsOf(const onnx::NodeProto &node,
                                            const Scope &scope) const {
  for (const std::string &name : node.input())
    if (scope.findSequence(name))
      failUnsupported("node '{}' ({}) reads '{}', which is a sequence or an "
                      "optional value",
                      scope.prefix() + nodeName(node), node.op_type(), name);
  std::vector<Value *> result;
  for (const Named &input : namedInputsOf(node, scope))
    result.push_back(input.tensor);
  return result;
}

std::vector<Named> BodyImporter::namedInputsOf(const onnx::NodeProto &node,
                                               const Scope &scope) const {
  std::vector<Named> result;
  for (const std::string &name : node.input()) {
    Named &input = result.emplace_back();
    if (name.empty())
      continue;
    input.sequence = scope.findSequence(name);
    const std::optional<Value *> tensor = scope.find(name);
    if (!tensor && !input.sequence)
      failInput("node '{}' ({}) reads '{}', which nothing before it defines",
                scope.prefix() + nodeName(node), node.op_type(), name);
    input.tensor = tensor.value_or(nullptr);
  }
  return result;
}

Value *BodyImporter::required(const std::vector<Value *> &inputs,
                              std::size_t index,
                              const onnx::NodeProto &node) const {
  if (index >= inputs.size() || !inputs[index])
    failInput("node '{}' ({}): input {} is missing", nodeName(node),
              node.op_type(), index);
  return inputs[index];
}

void BodyImporter::refusePadded(const onnx::NodeProto &node,
                                const Scope &scope) const {
  if (!bounds)
    return;
  std::vector<Value *> tensors;
  for (const std::string &name : node.input())
    if (!name.empty() && !scope.findSequence(name))
      tensors.push_back(scope.find(name).value_or(nullptr));
  bounds->refusePadded(tensors, fmt::format("{} '{}'", node.op_type(),
                                            scope.prefix() + nodeName(node)));
}

/// Imports an operator that --bound applies to; returns false for others.
bool BodyImporter::addBounded(const onnx::NodeProto &node, Scope &scope) {
  const OpSpec spec = importSpec(node, scope);
  const std::vector<Value *> inputs = inputsOf(node, scope);
  if (!bounds || spec.numOutputs == 0 || node.output(0).empty())
    return false;
  const std::string first = scope.prefix() + node.output(0);
  const BoundedForm *form = bounds->formOf(spec.id, inputs, first);
  if (!form)
    return false;
  std::vector<Value *> outputs(form->numResults);
  for (std::size_t i = 0; i != spec.numOutputs; ++i)
    if (const std::string &name = node.output(static_cast<int>(i));
        !name.empty()) {
      outputs[i] = &graph.addValue(newName(scope, name));
      scope.bind(name, outputs[i]);
    }
  outputs.back() = &graph.addValue(graph.uniqueName(first + "_count"));
  finish(createOp(bounds->specOf(*form, spec, first)), inputs, outputs);
  return true;
}

void BodyImporter::addOperator(const onnx::NodeProto &node, Scope &scope) {
  if (addBounded(node, scope))
    return;
  std::unique_ptr<Op> op = createOp(importSpec(node, scope));
  std::vector<Value *> inputs = inputsOf(node, scope), outputs;
  for (std::size_t i = 0; i != op->spec().numOutputs; ++i) {
    const std::string &name = node.output(static_cast<int>(i));
    Value *output = nullptr;
    if (!name.empty()) {
      output = &graph.addValue(newName(scope, name));
      scope.bind(name, output);
    }
    outputs.push_back(output);
  }
  const bool isUnbounded = needsBound(op->id(), inputs);
  try {
    finish(std::move(op), std::move(inputs), outputs);
  } catch (const UnknownValue &error) {
    if (!isUnbounded)
      throw;
    throw UnknownValue(
        error.kind(),
        fmt::format("{}; --bound {}=auto (or a number) computes it on the "
                    "device, and pads its results to the largest size",
                    error.what(), scope.prefix() + node.output(0)),
        error.inputs());
  }
  for (const Value *output : outputs)
    if (!firstDouble && output && !output->isConstant() &&
        output->info.type == DataType::Double)
      firstDouble = output;
}

void BodyImporter::addFunction(const onnx::NodeProto &node,
                               const onnx::FunctionProto &function,
                               Scope &scope) {
  if (++depth > DeepestBody)
    failUnsupported("node '{}' ({}): functions and bodies are more than {} "
                    "deep inside each other",
                    nodeName(node), node.op_type(), DeepestBody);
  std::vector<Named> inputs = namedInputsOf(node, scope);
  inputs.resize(static_cast<std::size_t>(function.input_size()));
  Scope inner(scope, nodeName(node), opsetsOf(function));
  for (int i = 0; i != function.input_size(); ++i)
    if (inputs[i].tensor || inputs[i].sequence)
      inner.bind(function.input(i), inputs[i]);
  for (const onnx::NodeProto &inside : function.node()) {
    onnx::NodeProto copy = withAttributes(inside, node);
    // An optional input that the caller omits is omitted inside, too.
    for (std::string &name : *copy.mutable_input())
      if (!inner.find(name) && !inner.findSequence(name) &&
          std::ranges::count(function.input(), name) != 0)
        name.clear();
    addNode(copy, inner);
  }
  for (int i = 0; i != node.output_size() && i != function.output_size(); ++i)
    if (!node.output(i).empty())
      scope.bind(node.output(i),
                 Named{inner.find(function.output(i)).value_or(nullptr),
                       inner.findSequence(function.output(i))});
  --depth;
}

bool BodyImporter::addSchemaFunction(const onnx::NodeProto &caller,
                                     Scope &scope) {
  const onnx::OpSchema *schema = findFunctionSchema(scope.opsets(), caller);
  if (!schema)
    return false;
  onnx::NodeProto node = withDefaults(caller, *schema);
  if (schema->HasFunction()) {
    addFunction(node, *schema->GetFunction(), scope);
    return true;
  }
  if (!schema->HasContextDependentFunction())
    return false;
  std::vector<onnx::TypeProto> types;
  for (const Value *input : inputsOf(node, scope))
    types.push_back(typeProto(input));
  onnx::FunctionBodyBuildContextImpl context(node, types);
  onnx::FunctionProto function;
  if (!schema->BuildContextDependentFunction(context, function))
    return false;
  addFunction(node, function, scope);
  return true;
}

/// Expands a node into simpler operators; returns false if the node has to be
/// imported as an operator.
bool BodyImporter::addDecomposition(const onnx::NodeProto &node,
                                    const Decomposition &decomposition,
                                    Scope &scope) {
  // Bodies are no attributes of a spec; the decomposition inlines them.
  onnx::NodeProto plain;
  std::set<std::string> bodies;
  for (const onnx::AttributeProto &attribute : node.attribute())
    if (attribute.has_g())
      bodies.insert(attribute.name());
  if (!bodies.empty()) {
    plain = node;
    auto &list = *plain.mutable_attribute();
    list.erase(std::remove_if(list.begin(), list.end(),
                              [](const auto &a) { return a.has_g(); }),
               list.end());
  }
  std::set<std::string> unread = bodies;
  const auto inlineBody = [&](const std::string &name,
                              const std::vector<Value *> &arguments) {
    unread.erase(name);
    return bodies.contains(name) ? addBody(bodyOf(node, name), arguments, scope,
                                           nodeName(node) + '/' + name)
                                 : std::vector<Value *>();
  };
  Expansion expansion(*this, importSpec(bodies.empty() ? node : plain, scope),
                      inputsOf(node, scope), inlineBody);
  const std::vector<Value *> results = decomposition.expand(expansion);
  if (results.empty())
    return false;
  if (!unread.empty())
    expansion.failInput(
        fmt::format("it has no attribute '{}'", *unread.begin()));
  bindOutputs(node, results, scope);
  return true;
}

void BodyImporter::finish(std::unique_ptr<Op> newOp,
                          std::vector<Value *> inputs,
                          std::vector<Value *> outputs) {
  if (graph.ops().size() == MostOperators)
    failUnsupported("the model has more than {} operators once its loops are "
                    "unrolled",
                    MostOperators);
  Op &op = graph.addOp(std::move(newOp), std::move(inputs), std::move(outputs));
  inferOutputs(op);
  try {
    if (bounds)
      bounds->add(op);
  } catch (const ReadsPadding &) {
    graph.erase(op);
    throw;
  }
  folder.fold(graph, op);
}

Value &BodyImporter::makeOp(const std::string &type,
                            std::vector<Value *> inputs, Attributes attributes,
                            const std::string &stem) {
  return *makeOps({"", type}, std::move(inputs), std::move(attributes), stem, 1)
              .front();
}

std::vector<Value *> BodyImporter::makeOps(OperatorId id,
                                           std::vector<Value *> inputs,
                                           Attributes attributes,
                                           const std::string &stem,
                                           std::size_t count) {
  OpSpec spec;
  spec.id = newestOf(id.domain, id.type);
  spec.name = stem;
  spec.attributes = std::move(attributes);
  spec.numInputs = inputs.size();
  spec.numOutputs = count;
  std::vector<Value *> outputs;
  for (std::size_t i = 0; i != count; ++i)
    outputs.push_back(&graph.addValue(graph.uniqueName(stem)));
  finish(createOp(std::move(spec)), std::move(inputs), outputs);
  return outputs;
}

Value &BodyImporter::makeConstant(HostTensor value, const std::string &stem) {
  return graph.addConstant(graph.uniqueName(stem), std::move(value));
}

void BodyImporter::inferOutputs(Op &op) {
  std::vector<TensorInfo> infos = op.infer();
  for (std::size_t i = 0; i != op.outputs().size(); ++i) {
    if (!op.hasOutput(i))
      continue;
    if (i >= infos.size())
      op.failUnsupported(fmt::format("its output {} ('{}') is not supported", i,
                                     op.output(i).name));
    if (!checkedNumElements(infos[i].shape, sizeOf(infos[i].type)))
      op.failInput(fmt::format("its output has the impossible shape {}",
                               toString(infos[i].shape)));
    if (numElements(infos[i].shape) > MostElements)
      fail(ErrorKind::Memory,
           "node {}: its output has the shape {}; a tensor has at most {} "
           "elements",
           op.describe(), toString(infos[i].shape), MostElements);
    op.outputs()[i]->info = std::move(infos[i]);
  }
  logging::debug(logging::Module::op, "{} -> {}", op.describe(),
                 op.hasOutput(0) ? toString(op.output().info) : "nothing");
}

} // namespace populus::popir
