// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// If, Loop, Scan and Call. Small bodies are inlined into the flat graph: the
// taken branch of an If with a constant condition, or both branches with a
// selection of their results; a loop is unrolled. Other bodies remain graphs
// (ControlFlowGraphs.cpp).

#include "lib/PopART/Import/ControlFlow.h"

#include "lib/PopART/Import/Body.h"

#include "lib/PopART/IR/KnownValues.h"
#include "lib/PopART/Import/TensorData.h"

#include <algorithm>
#include <limits>

namespace populus::popir {

namespace {

/// The limit of copies of a body.
constexpr std::int64_t MostIterations = 4096;

/// Loops that would unroll to more nodes stay loops if possible.
constexpr std::int64_t MostUnrolledNodes = 2048;

/// The limit for unrolled nested loops together.
constexpr std::int64_t MostNestedNodes = 16 * MostUnrolledNodes;

/// Larger branches are not computed both.
constexpr std::int64_t MostSelectedNodes = 8;

/// Multiplies a number for the lifetime of the object.
class Multiplied {
public:
  Multiplied(std::int64_t &number, std::int64_t factor)
      : number(number), before(number) {
    if (__builtin_mul_overflow(before, std::max<std::int64_t>(factor, 1),
                               &number))
      number = std::numeric_limits<std::int64_t>::max();
  }
  Multiplied(const Multiplied &) = delete;
  Multiplied &operator=(const Multiplied &) = delete;
  ~Multiplied() { number = before; }

private:
  std::int64_t &number;
  std::int64_t before;
};

/// The number of nodes, including nested bodies.
std::int64_t countNodes(const onnx::GraphProto &body) {
  std::int64_t count = 0;
  for (const onnx::NodeProto &node : body.node()) {
    count += node.op_type() != "Constant";
    for (const onnx::AttributeProto &attribute : node.attribute())
      if (attribute.has_g())
        count += countNodes(attribute.g());
  }
  return count;
}

const onnx::AttributeProto *findAttribute(const onnx::NodeProto &node,
                                          const std::string &name) {
  for (const onnx::AttributeProto &attribute : node.attribute())
    if (attribute.name() == name)
      return &attribute;
  return nullptr;
}

std::vector<std::int64_t> intsOf(const onnx::NodeProto &node,
                                 const std::string &name, std::size_t size) {
  std::vector<std::int64_t> result;
  if (const onnx::AttributeProto *attribute = findAttribute(node, name))
    result.assign(attribute->ints().begin(), attribute->ints().end());
  result.resize(size, 0);
  return result;
}

Attributes axisAttribute(std::int64_t axis) {
  Attributes attributes;
  attributes.set("axis", axis);
  return attributes;
}

/// A result of a body that has to be a tensor.
Value *tensorOf(const Named &result, const std::string &body) {
  if (result.sequence)
    failUnsupported("the body of node '{}' returns a sequence or an optional "
                    "value, and has to be known when the model is compiled",
                    body);
  return result.tensor;
}

} // namespace

const onnx::GraphProto &bodyOf(const onnx::NodeProto &node,
                               const std::string &name) {
  const onnx::AttributeProto *attribute = findAttribute(node, name);
  if (!attribute || !attribute->has_g())
    failInput("node '{}' ({}) has no {}", nodeName(node), node.op_type(), name);
  return attribute->g();
}

std::optional<std::int64_t> constantScalar(Value *tensor) {
  if (!tensor || tensor->info.numElements() != 1)
    return std::nullopt;
  const HostTensor *value = knownValue(*tensor);
  return value ? std::optional(value->toInts()[0]) : std::nullopt;
}

void checkBranches(const onnx::NodeProto &node, const Value &condition,
                   const TensorInfo &yes, const TensorInfo &no) {
  if (yes != no)
    failUnknown(condition,
                fmt::format("node '{}' (If): its branches return {} and {}, "
                            "and which one is taken is computed when the model "
                            "runs; shapes have to be known before",
                            nodeName(node), toString(yes), toString(no)));
}

const std::vector<OpDefinition> &controlFlowOps() {
  static const std::vector<OpDefinition> ops = {
      {"", "If", {1, 11, 13, 16, 19, 21, 23, 24, 25}},
      {"", "Loop", {1, 11, 13, 16, 19, 21, 23, 24, 25}},
      {"", "Scan", {8, 9, 11, 16, 19, 21, 23, 24, 25}},
      {"ai.graphcore", "Call", {1}},
      {"", "SequenceConstruct", {11}},
      {"", "SequenceEmpty", {11}},
      {"", "SequenceInsert", {11}},
      {"", "SequenceErase", {11}},
      {"", "SequenceAt", {11}},
      {"", "SequenceLength", {11}},
      {"", "SequenceMap", {17}},
      {"", "SplitToSequence", {11, 24}},
      {"", "ConcatFromSequence", {11}},
      {"", "Optional", {15, 28}},
      {"", "OptionalGetElement", {15, 18, 28}},
      {"", "OptionalHasElement", {15, 18, 28}},
  };
  return ops;
}

bool isControlFlow(const OperatorId &id) {
  return std::ranges::any_of(controlFlowOps(), [&](const OpDefinition &op) {
    return op.domain == id.domain && op.type == id.type;
  });
}

std::vector<Named> BodyImporter::addNamedBody(const onnx::GraphProto &body,
                                              const std::vector<Named> &inputs,
                                              Scope &scope,
                                              const std::string &name) {
  Scope inner(scope, name);
  if (static_cast<std::size_t>(body.input_size()) > inputs.size())
    failInput("the body of node '{}' has {} inputs, and gets {}", name,
              body.input_size(), inputs.size());
  for (int i = 0; i != body.input_size(); ++i)
    inner.bind(body.input(i).name(), inputs[i]);
  addGraph(body, inner);
  problems.throwIfAny(); // its results are needed now
  readers.throwIfAny();
  std::vector<Named> outputs;
  for (const onnx::ValueInfoProto &output : body.output()) {
    outputs.push_back({inner.find(output.name()).value_or(nullptr),
                       inner.findSequence(output.name())});
    if (!outputs.back().tensor && !outputs.back().sequence)
      failInput("the body of node '{}' returns '{}', which no node computes",
                name, output.name());
  }
  return outputs;
}

std::vector<Value *> BodyImporter::addBody(const onnx::GraphProto &body,
                                           const std::vector<Value *> &inputs,
                                           Scope &scope,
                                           const std::string &name) {
  const std::vector<Named> named(inputs.begin(), inputs.end());
  std::vector<Value *> outputs;
  for (const Named &output : addNamedBody(body, named, scope, name))
    outputs.push_back(tensorOf(output, name));
  return outputs;
}

void BodyImporter::bindOutputs(const onnx::NodeProto &node,
                               const std::vector<Named> &results,
                               Scope &scope) {
  for (int i = 0; i != node.output_size(); ++i)
    scope.bind(node.output(i),
               i < static_cast<int>(results.size()) ? results[i] : Named());
}

void BodyImporter::bindOutputs(const onnx::NodeProto &node,
                               const std::vector<Value *> &results,
                               Scope &scope) {
  bindOutputs(node, std::vector<Named>(results.begin(), results.end()), scope);
}

/// Graphcore's Call: a body with its own inputs, which several nodes may share.
/// It is inlined; SubgraphOutline makes functions of repeats later.
void BodyImporter::addCall(const onnx::NodeProto &node, Scope &scope) {
  const onnx::GraphProto &callee = bodyOf(node, "callee");
  const std::vector<Value *> inputs = inputsOf(node, scope);
  auto check = [&](const char *what, std::size_t given, int wanted) {
    if (static_cast<int>(given) != wanted)
      failInput("For CallOp '{}', number of {} ({}) does not match that of the "
                "callee subgraph ({})",
                nodeName(node), what, given, wanted);
  };
  check("inputs", inputs.size(), callee.input_size());
  check("outputs", static_cast<std::size_t>(node.output_size()),
        callee.output_size());
  bindOutputs(node, addBody(callee, inputs, scope, nodeName(node)), scope);
}

void BodyImporter::addControlFlow(const std::string &type,
                                  const onnx::NodeProto &node, Scope &scope) {
  if (type == "If")
    addIf(node, scope);
  else if (type == "Loop")
    addLoop(node, scope);
  else if (type == "Scan")
    addScan(node, scope);
  else if (type == "Call")
    addCall(node, scope);
  else
    addSequenceOp(type, node, scope);
}

void BodyImporter::addIf(const onnx::NodeProto &node, Scope &scope) {
  Value *condition = required(inputsOf(node, scope), 0, node);
  const onnx::GraphProto &yes = bodyOf(node, "then_branch");
  const onnx::GraphProto &no = bodyOf(node, "else_branch");
  if (const std::optional<std::int64_t> known = constantScalar(condition))
    bindOutputs(node,
                addNamedBody(*known ? yes : no, {}, scope, nodeName(node)),
                scope);
  else if (countNodes(yes) + countNodes(no) <= MostSelectedNodes)
    addSelectedIf(node, *condition, scope);
  else
    addIfOp(node, *condition, scope);
}

/// Both branches, and a selection between their results.
void BodyImporter::addSelectedIf(const onnx::NodeProto &node, Value &condition,
                                 Scope &scope) {
  const std::string name = nodeName(node);
  const std::vector<Value *> yes =
      addBody(bodyOf(node, "then_branch"), {}, scope, name + "/then");
  const std::vector<Value *> no =
      addBody(bodyOf(node, "else_branch"), {}, scope, name + "/else");
  // A condition of one element has any rank; the results have their own.
  Value &scalar =
      condition.info.rank() == 0
          ? condition
          : makeOp("Reshape",
                   {&condition, &makeConstant(HostTensor::ofInts({}), name)},
                   {}, name);
  std::vector<Value *> results;
  for (std::size_t i = 0; i != yes.size() && i != no.size(); ++i) {
    checkBranches(node, condition, yes[i]->info, no[i]->info);
    results.push_back(&makeOp("Where", {&scalar, yes[i], no[i]}, {}, name));
  }
  bindOutputs(node, results, scope);
}

Value &BodyImporter::stacked(const std::vector<Value *> &parts,
                             std::int64_t axis, const std::string &stem) {
  std::vector<Value *> slices;
  for (Value *part : parts)
    slices.push_back(&makeOp(
        "Unsqueeze", {part, &makeConstant(HostTensor::ofInts({axis}), stem)},
        {}, stem));
  return makeOp("Concat", slices, axisAttribute(axis), stem);
}

/// True if a loop's body returns its condition unchanged.
static bool keepsCondition(const onnx::GraphProto &body) {
  if (body.input_size() < 2 || body.output_size() < 1)
    return false;
  std::string name = body.output(0).name();
  for (const onnx::NodeProto &node : body.node())
    if (node.op_type() == "Identity" && node.input_size() == 1 &&
        node.output_size() == 1 && node.output(0) == name)
      name = node.input(0);
  return name == body.input(1).name();
}

DataType typeOfCounter(const onnx::GraphProto &body) {
  const bool isNarrow =
      !body.input().empty() && body.input(0).type().tensor_type().elem_type() ==
                                   onnx::TensorProto::INT32;
  return isNarrow ? DataType::Int32 : DataType::Int64;
}

/// A small loop is unrolled, a larger one is kept.
bool BodyImporter::isSmall(std::int64_t iterations, std::int64_t nodes) const {
  std::int64_t unrolled = 0, nested = 0;
  return !__builtin_mul_overflow(iterations, nodes, &unrolled) &&
         unrolled <= MostUnrolledNodes &&
         !__builtin_mul_overflow(unrolled, copies, &nested) &&
         nested <= MostNestedNodes;
}

/// Imports a loop; unrolls it if it is small or cannot stay a loop.
void BodyImporter::addLoop(const onnx::NodeProto &node, Scope &scope) {
  const std::vector<Named> inputs = namedInputsOf(node, scope);
  const auto limit =
      constantScalar(inputs.empty() ? nullptr : inputs[0].tensor);
  const bool isShort =
      limit.value_or(MostIterations) <= MostIterations &&
      isSmall(limit.value_or(0), countNodes(bodyOf(node, "body")));
  const auto unroll = [&] { addUnrolledLoop(node, scope); };
  const auto keep = [&] { addLoopOp(node, scope); };
  if (readsSequence(node, scope)) // which only the import knows
    unroll();
  else
    isShort ? tryInTurn(unroll, keep) : tryInTurn(keep, unroll);
}

void BodyImporter::addUnrolledLoop(const onnx::NodeProto &node, Scope &scope) {
  const onnx::GraphProto &body = bodyOf(node, "body");
  const std::string name = nodeName(node);
  std::vector<Named> inputs = namedInputsOf(node, scope);
  inputs.resize(std::max<std::size_t>(inputs.size(), 2));
  std::int64_t limit = MostIterations + 1;
  if (Value *most = inputs[0].tensor) {
    std::optional<std::int64_t> count = constantScalar(most);
    if (!count)
      failUnknown(*most,
                  fmt::format("node '{}' (Loop): its number of iterations '{}' "
                              "is computed when the model runs, and has to be "
                              "known before",
                              name, most->name));
    limit = *count;
    // A varying condition can end the loop earlier.
    if (limit > MostIterations && (!inputs[1].tensor || keepsCondition(body)))
      failUnsupported("node '{}' (Loop) has {} iterations, and {} at most are "
                      "supported",
                      name, limit, MostIterations);
  }
  std::vector<Named> carried(inputs.begin() + 2, inputs.end());
  std::vector<std::vector<Value *>> scanned(std::max<int>(
      0, body.output_size() - 1 - static_cast<int>(carried.size())));
  Value *condition = inputs[1].tensor;
  const Multiplied inside(copies, std::min(limit, MostIterations));
  for (std::int64_t i = 0; i < limit; ++i) {
    std::optional<std::int64_t> goesOn =
        condition ? constantScalar(condition) : std::optional<std::int64_t>(1);
    if (!goesOn)
      failUnknown(*condition,
                  fmt::format("node '{}' (Loop): whether it ends ('{}') is "
                              "computed when the model runs, and has to be "
                              "known before",
                              name, condition->name));
    if (*goesOn == 0)
      break;
    if (i == MostIterations)
      failUnsupported("node '{}' (Loop) has more than {} iterations", name,
                      MostIterations);
    if (!condition)
      condition = &makeConstant(HostTensor::scalar(DataType::Bool, 1), name);
    std::vector<Named> arguments = {
        {&makeConstant(
            HostTensor::scalar(typeOfCounter(body), static_cast<double>(i)),
            name)},
        {condition}};
    arguments.insert(arguments.end(), carried.begin(), carried.end());
    const std::vector<Named> results =
        addNamedBody(body, arguments, scope, fmt::format("{}/{}", name, i));
    if (results.size() < 1 + carried.size())
      failInput("node '{}' (Loop): its body returns {} tensors for {} that it "
                "carries",
                name, results.size(), carried.size());
    condition = tensorOf(results[0], name);
    std::copy_n(results.begin() + 1, carried.size(), carried.begin());
    for (std::size_t k = 0; k != scanned.size(); ++k)
      scanned[k].push_back(tensorOf(results[1 + carried.size() + k], name));
  }
  std::vector<Named> outputs = carried;
  for (const std::vector<Value *> &parts : scanned) {
    if (parts.empty() && !node.output(static_cast<int>(outputs.size())).empty())
      failUnsupported("node '{}' (Loop) has no iterations, so that the shape "
                      "of what it collects is not known",
                      name);
    outputs.push_back(parts.empty() ? nullptr : &stacked(parts, 0, name));
  }
  bindOutputs(node, outputs, scope);
}

BodyImporter::ScanForm BodyImporter::scanForm(const onnx::NodeProto &node,
                                              std::size_t numInputs) {
  const onnx::AttributeProto *given = findAttribute(node, "num_scan_inputs");
  const std::int64_t count = given ? given->i() : 0;
  if (count < 1 || count > static_cast<std::int64_t>(numInputs))
    failInput("node '{}' (Scan): num_scan_inputs {} is not possible",
              nodeName(node), count);
  const std::size_t numScanned =
      std::max<int>(0, bodyOf(node, "body").output_size() -
                           static_cast<int>(numInputs - count));
  return {count, intsOf(node, "scan_input_axes", count),
          intsOf(node, "scan_input_directions", count),
          intsOf(node, "scan_output_axes", numScanned),
          intsOf(node, "scan_output_directions", numScanned)};
}

Value &BodyImporter::elementOf(Value &tensor, std::int64_t axis,
                               std::int64_t place, const std::string &stem) {
  Value &index = makeConstant(HostTensor::ofInts({place}).reshaped({}), stem);
  return makeOp("Gather", {&tensor, &index}, axisAttribute(axis), stem);
}

void BodyImporter::addScan(const onnx::NodeProto &node, Scope &scope) {
  std::vector<Value *> inputs = inputsOf(node, scope);
  if (resolveOperator(scope.opsets(), node).version < 9)
    return addBatchedScan(node, inputs, scope);
  bindOutputs(node,
              scanned(node, inputs, scanForm(node, inputs.size()), scope,
                      nodeName(node)),
              scope);
}

/// Scan-8: the first input holds sequence lengths. All others have a batch
/// dimension, whose elements are scanned separately.
void BodyImporter::addBatchedScan(const onnx::NodeProto &node,
                                  std::vector<Value *> inputs, Scope &scope) {
  const std::string name = nodeName(node);
  if (inputs.size() < 2)
    failInput("node '{}' (Scan) has nothing to scan", name);
  if (inputs[0])
    failUnsupported("node '{}' (Scan): lengths of sequences are not supported",
                    name);
  inputs.erase(inputs.begin());
  ScanForm form = scanForm(node, inputs.size());
  form.backwards = intsOf(node, "directions", form.numScanInputs);
  std::int64_t batch = 0;
  for (std::size_t i = 0; i != inputs.size(); ++i) {
    const Shape &shape = required(inputs, i, node)->info.shape;
    if (shape.empty() || (i != 0 && shape[0] != batch))
      failInput("node '{}' (Scan): its inputs differ in their batch", name);
    batch = shape[0];
  }
  std::vector<std::vector<Value *>> results;
  for (std::int64_t b = 0; b != batch; ++b) {
    std::vector<Value *> elements;
    for (Value *input : inputs)
      elements.push_back(&elementOf(*input, 0, b, name));
    const std::vector<Value *> outputs = scanned(
        node, elements, form, scope, fmt::format("{}/batch{}", name, b));
    results.resize(outputs.size());
    for (std::size_t k = 0; k != outputs.size(); ++k)
      results[k].push_back(outputs[k]);
  }
  std::vector<Value *> outputs;
  for (const std::vector<Value *> &parts : results)
    outputs.push_back(&stacked(parts, 0, name));
  bindOutputs(node, outputs, scope);
}

std::vector<Value *> BodyImporter::scanned(const onnx::NodeProto &node,
                                           const std::vector<Value *> &inputs,
                                           ScanForm form, Scope &scope,
                                           const std::string &name) {
  const std::size_t numCarried = inputs.size() - form.numScanInputs;
  std::int64_t length = 0;
  for (std::int64_t k = 0; k != form.numScanInputs; ++k) {
    const Shape &shape = required(inputs, numCarried + k, node)->info.shape;
    auto rank = static_cast<std::int64_t>(shape.size());
    std::int64_t &axis = form.axes[k];
    axis += axis < 0 ? rank : 0;
    if (axis < 0 || axis >= rank)
      failInput("node '{}' (Scan): axis {} is out of range", name, axis);
    length = shape[axis];
  }
  std::vector<Value *> results;
  const auto unroll = [&] {
    results = unrolledScan(node, inputs, form, length, scope, name);
  };
  const auto keep = [&] {
    results = scanOp(node, inputs, form, length, scope, name);
  };
  if (isSmall(length, countNodes(bodyOf(node, "body"))))
    unroll();
  else
    tryInTurn(keep, unroll);
  return results;
}

std::vector<Value *>
BodyImporter::unrolledScan(const onnx::NodeProto &node,
                           const std::vector<Value *> &inputs,
                           const ScanForm &form, std::int64_t length,
                           Scope &scope, const std::string &name) {
  const onnx::GraphProto &body = bodyOf(node, "body");
  const std::size_t numCarried = inputs.size() - form.numScanInputs;
  std::vector<Value *> carried(inputs.begin(), inputs.begin() + numCarried);
  std::vector<std::vector<Value *>> scanned(form.outAxes.size());
  if (length > MostIterations)
    failUnsupported("node '{}' (Scan) has more than {} iterations", name,
                    MostIterations);
  const Multiplied inside(copies, length);
  for (std::int64_t i = 0; i != length; ++i) {
    std::vector<Value *> arguments = carried;
    for (std::int64_t k = 0; k != form.numScanInputs; ++k)
      arguments.push_back(
          &elementOf(*inputs[numCarried + k], form.axes[k],
                     form.backwards[k] != 0 ? length - 1 - i : i, name));
    std::vector<Value *> results =
        addBody(body, arguments, scope, fmt::format("{}/{}", name, i));
    if (results.size() < numCarried)
      failInput("node '{}' (Scan): its body returns {} tensors for {} that it "
                "carries",
                name, results.size(), numCarried);
    std::copy_n(results.begin(), numCarried, carried.begin());
    for (std::size_t k = 0; k != scanned.size(); ++k)
      scanned[k].push_back(results[numCarried + k]);
  }
  std::vector<Value *> outputs = carried;
  for (std::size_t k = 0; k != scanned.size(); ++k) {
    if (scanned[k].empty())
      failUnsupported("node '{}' (Scan) has no iterations", name);
    if (form.outBackwards[k] != 0)
      std::reverse(scanned[k].begin(), scanned[k].end());
    const std::int64_t rank = scanned[k][0]->info.rank() + 1;
    const std::int64_t axis = form.outAxes[k];
    outputs.push_back(
        &stacked(scanned[k], axis < 0 ? axis + rank : axis, name));
  }
  return outputs;
}

} // namespace populus::popir
