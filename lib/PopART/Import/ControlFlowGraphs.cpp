// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Control flow that is not inlined: loops that end at run time or are too large
// to unroll, and branches too large to compute both. Their bodies become graphs
// of the module, which operators of the IR call (Ops/Loop.cpp, Ops/If.cpp).
// Values of the outer graph that a body reads become arguments; constants are
// copied.

#include "lib/PopART/Import/Body.h"
#include "lib/PopART/Import/ControlFlow.h"

#include "lib/PopART/IR/KnownValues.h"
#include "lib/PopART/IR/Module.h"
#include "lib/PopART/IR/OpBuilder.h"
#include "lib/PopART/IR/Sources.h"
#include "lib/PopART/Import/TensorData.h"
#include "lib/PopART/Ops/Control/CallingOp.h"

#include <algorithm>
#include <exception>

namespace populus::popir {

/// A body as a graph, and the outer values that it reads, which are bound to
/// its last arguments.
struct BodyImporter::BodyGraph {
  Graph *graph = nullptr;
  std::vector<Value *> captured;
};

namespace {

/// A loop of more iterations is taken for a mistake.
constexpr std::int64_t MostRepeats = 1'000'000;

void checkRepeats(std::int64_t count, const onnx::NodeProto &node) {
  if (count > MostRepeats)
    failUnsupported("node '{}' ({}) has {} iterations, and {} at most are "
                    "supported",
                    nodeName(node), node.op_type(), count, MostRepeats);
}

std::vector<Value *> joined(std::vector<Value *> first,
                            const std::vector<Value *> &second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

/// True for a constant, and for a small value that depends on constants only;
/// the latter becomes a constant, because a body may need it.
bool isKnown(Value &value) {
  constexpr std::int64_t MostElements = 1024; // of a shape, or a list of axes
  return value.isConstant() ||
         (value.info.numElements() <= MostElements && knownValue(value));
}

/// Gives a variable back its value at the end of the scope.
template <class T> class Restored {
public:
  explicit Restored(T &variable) : variable(variable), value(variable) {}
  ~Restored() { variable = std::move(value); }
  Restored(const Restored &) = delete;
  Restored &operator=(const Restored &) = delete;

private:
  T &variable;
  T value;
};

/// Translates an error of a body: replaces the body's arguments by the model's
/// inputs that they depend on. `copies` maps outer values to arguments.
UnknownValue
seenFromOutside(const UnknownValue &error,
                const std::unordered_map<const Value *, Value *> &copies) {
  std::set<std::string> inputs;
  for (const auto &[value, argument] : copies)
    if (error.inputs().contains(argument->name))
      inputs.merge(inputsBehind(*value));
  return {error.kind(), error.what(), inputs};
}

/// The slice of a tensor at an index along an axis.
Value &elementAt(GraphBuilder &b, Value &tensor, std::int64_t axis,
                 Value &place) {
  Value &element = b.op("DynamicSlice", {&tensor, &b.reshape(place, {1})},
                        {{"axes", std::vector<std::int64_t>{axis}},
                         {"sizes", std::vector<std::int64_t>{1}}},
                        "ai.graphcore");
  Shape shape = tensor.info.shape;
  shape.erase(shape.begin() + axis);
  return b.reshape(element, shape);
}

} // namespace

void BodyImporter::tryInTurn(const std::function<void()> &first,
                             const std::function<void()> &second) {
  const Checkpoint before = checkpoint();
  // Nothing becomes known inside: `second` may do without what `first` needs.
  // If neither does, the error makes it known and the node is imported again.
  const Restored asked(makeKnown);
  makeKnown = nullptr;
  std::exception_ptr unknown;
  try {
    return first();
  } catch (const Error &error) {
    if (dynamic_cast<const UnknownValue *>(&error))
      unknown = std::current_exception();
    undo(before);
  }
  try {
    second();
  } catch (const Error &) {
    if (unknown)
      std::rethrow_exception(unknown);
    throw;
  }
}

BodyImporter::BodyGraph BodyImporter::importBody(
    const onnx::GraphProto &body, const Scope &scope, const std::string &name,
    const std::function<std::vector<Value *>(Graph &)> &arguments) {
  BodyGraph result;
  result.graph = &graph.module().addGraphBefore(graph, scope.prefix() + name);
  Graph &inside = *result.graph;
  std::unordered_map<const Value *, Value *> known;
  try {
    Scope outer(scope, name, [&](Value &value) -> Value * {
      if (bounds)
        bounds->refusePadded({&value}, fmt::format("'{}'", name));
      Value *&copy = known[&value];
      if (!copy && isKnown(value)) {
        copy = &inside.addConstant(inside.uniqueName(value.name),
                                   value.constant());
      } else if (!copy) {
        copy = &inside.addArgument(inside.uniqueName(value.name), value.info);
        result.captured.push_back(&value);
      }
      return copy;
    });
    BodyImporter importer(model, inside, folding);
    importer.depth = depth + 1;
    importer.expandedNodes = expandedNodes;
    importer.copies = copies;
    if (importer.depth > DeepestBody)
      failInput("node '{}': there are too many bodies inside each other", name);
    for (Value *value :
         importer.addBody(body, arguments(inside), outer, "body"))
      inside.addResult(fmt::format("result{}", inside.results().size()),
                       *value);
    dropFolded(inside);
  } catch (const UnknownValue &error) {
    const UnknownValue ofOuter = seenFromOutside(error, known);
    graph.module().removeGraph(inside);
    throw ofOuter;
  } catch (const Error &) {
    graph.module().removeGraph(inside);
    throw;
  }
  return result;
}

std::vector<Value *> BodyImporter::addCallingOp(std::unique_ptr<Op> op,
                                                std::vector<Value *> inputs) {
  std::vector<Value *> outputs;
  for (std::size_t i = 0; i != op->spec().numOutputs; ++i)
    outputs.push_back(&graph.addValue(graph.uniqueName(op->name())));
  finish(std::move(op), std::move(inputs), outputs);
  return outputs;
}

void BodyImporter::addIfOp(const onnx::NodeProto &node, Value &condition,
                           Scope &scope) {
  const std::string name = nodeName(node);
  const auto none = [](Graph &) { return std::vector<Value *>(); };
  const BodyGraph yes =
      importBody(bodyOf(node, "then_branch"), scope, name + "/then", none);
  const BodyGraph no =
      importBody(bodyOf(node, "else_branch"), scope, name + "/else", none);
  const auto &ofYes = yes.graph->results(), &ofNo = no.graph->results();
  for (std::size_t i = 0; i != ofYes.size() && i != ofNo.size(); ++i)
    checkBranches(node, condition, ofYes[i].value->info, ofNo[i].value->info);
  const std::vector<Value *> inputs =
      joined(joined({&condition}, yes.captured), no.captured);
  Attributes attributes;
  attributes.set("then_inputs", static_cast<std::int64_t>(yes.captured.size()));
  bindOutputs(
      node,
      addCallingOp(makeCallingOp("If", name, {yes.graph, no.graph},
                                 inputs.size(), ofYes.size(), attributes),
                   inputs),
      scope);
}

void BodyImporter::addLoopOp(const onnx::NodeProto &node, Scope &scope) {
  const onnx::GraphProto &body = bodyOf(node, "body");
  const std::string name = nodeName(node);
  std::vector<Value *> inputs = inputsOf(node, scope);
  inputs.resize(std::max<std::size_t>(inputs.size(), 2));
  const std::vector<Value *> carried(inputs.begin() + 2, inputs.end());
  BodyGraph inside = importBody(body, scope, name, [&](Graph &graph) {
    std::vector<Value *> arguments = {
        &graph.addArgument(graph.uniqueName("iteration"),
                           {typeOfCounter(body), {}}),
        &graph.addConstant(graph.uniqueName("condition"),
                           HostTensor::scalar(DataType::Bool, 1))};
    for (const Value *value : carried)
      arguments.push_back(
          &graph.addArgument(graph.uniqueName(value->name), value->info));
    return arguments;
  });
  Graph &graph = *inside.graph;
  Value *goesOn = graph.results().at(0).value;
  const bool isConditional = !constantScalar(goesOn);
  if (constantScalar(goesOn) == 0)
    failUnsupported("node '{}' (Loop) ends behind its first iteration", name);
  if (!isConditional)
    graph.removeResult(0);
  Attributes attributes;
  attributes.set("carried", static_cast<std::int64_t>(carried.size()));
  if (isConditional)
    attributes.set("conditional", std::int64_t(1));
  const std::optional<std::int64_t> begins = constantScalar(inputs[1]);
  if (const auto count = begins == 0 ? std::optional<std::int64_t>(0)
                                     : constantScalar(inputs[0])) {
    checkRepeats(*count, node);
    attributes.set("trip_count", std::max<std::int64_t>(*count, 0));
    inputs[0] = nullptr;
  }
  if (begins)
    inputs[1] = nullptr;
  const std::size_t numResults = graph.results().size() - isConditional;
  inputs = joined(std::move(inputs), inside.captured);
  bindOutputs(node,
              addCallingOp(makeCallingOp("Loop", name, {&graph}, inputs.size(),
                                         numResults, attributes),
                           inputs),
              scope);
}

std::vector<Value *>
BodyImporter::makeLoop(std::int64_t most, const std::vector<Value *> &carried,
                       const std::vector<Value *> &fixed,
                       const std::function<std::vector<Value *>(
                           OpBuilder &, const std::vector<Value *> &carried,
                           const std::vector<Value *> &fixed)> &round,
                       const std::string &stem) {
  Graph &inside = graph.module().addGraphBefore(graph, stem);
  inside.addArgument(inside.uniqueName("iteration"), {DataType::Int32, {}});
  const auto argumentsFor = [&](const std::vector<Value *> &values) {
    std::vector<Value *> arguments;
    for (const Value *value : values)
      arguments.push_back(
          &inside.addArgument(inside.uniqueName(value->name), value->info));
    return arguments;
  };
  const std::vector<Value *> current = argumentsFor(carried);
  GraphBuilder b(inside, stem);
  for (Value *result : round(b, current, argumentsFor(fixed)))
    inside.addResult(fmt::format("result{}", inside.results().size()), *result);
  Attributes attributes;
  attributes.set("carried", static_cast<std::int64_t>(carried.size()));
  attributes.set("conditional", std::int64_t(1));
  attributes.set("trip_count", most);
  const std::vector<Value *> inputs =
      joined(joined({nullptr, nullptr}, carried), fixed);
  return addCallingOp(makeCallingOp("Loop", stem, {&inside}, inputs.size(),
                                    carried.size(), attributes),
                      inputs);
}

std::vector<Value *> BodyImporter::scanOp(const onnx::NodeProto &node,
                                          const std::vector<Value *> &inputs,
                                          const ScanForm &form,
                                          std::int64_t length, Scope &scope,
                                          const std::string &name) {
  const std::size_t numCarried = inputs.size() - form.numScanInputs;
  checkRepeats(length, node);
  const auto argumentsOf = [&](Graph &inside) {
    GraphBuilder b(inside, name);
    Value &iteration = inside.addArgument(inside.uniqueName("iteration"),
                                          {DataType::Int32, {}});
    std::vector<Value *> arguments;
    for (const Value *input : inputs)
      arguments.push_back(
          &inside.addArgument(inside.uniqueName(input->name), input->info));
    for (std::int64_t k = 0; k != form.numScanInputs; ++k) {
      Value &place = form.backwards[k] != 0
                         ? b.from(static_cast<double>(length - 1), iteration)
                         : iteration;
      Value *&whole = arguments[numCarried + k];
      whole = &elementAt(b, *whole, form.axes[k], place);
    }
    return arguments;
  };
  const BodyGraph inside =
      importBody(bodyOf(node, "body"), scope, name, argumentsOf);
  Attributes attributes;
  attributes.set("carried", static_cast<std::int64_t>(numCarried));
  attributes.set("trip_count", length);
  const std::vector<Value *> operands =
      joined(joined({nullptr, nullptr}, inputs), inside.captured);
  std::vector<Value *> results =
      addCallingOp(makeCallingOp("Loop", name, {inside.graph}, operands.size(),
                                 inside.graph->results().size(), attributes),
                   operands);
  for (std::size_t k = 0; k != form.outAxes.size(); ++k) {
    Value *&result = results.at(numCarried + k);
    if (form.outBackwards[k] != 0)
      result = &makeOp("Slice",
                       {result, &makeConstant(HostTensor::ofInts({-1}), name),
                        &makeConstant(HostTensor::ofInts({-length - 1}), name),
                        &makeConstant(HostTensor::ofInts({0}), name),
                        &makeConstant(HostTensor::ofInts({-1}), name)},
                       {}, name);
    result = &withFirstAxisAt(*result, form.outAxes[k], name);
  }
  return results;
}

Value &BodyImporter::withFirstAxisAt(Value &tensor, std::int64_t axis,
                                     const std::string &stem) {
  const std::int64_t rank = tensor.info.rank();
  axis += axis < 0 ? rank : 0;
  if (axis < 0 || axis >= rank)
    failInput("node '{}' (Scan): axis {} is out of range", stem, axis);
  if (axis == 0)
    return tensor;
  std::vector<std::int64_t> order;
  for (std::int64_t i = 1; i != rank; ++i)
    order.push_back(i);
  order.insert(order.begin() + axis, 0);
  Attributes attributes;
  attributes.set("perm", std::move(order));
  return makeOp("Transpose", {&tensor}, std::move(attributes), stem);
}

} // namespace populus::popir
