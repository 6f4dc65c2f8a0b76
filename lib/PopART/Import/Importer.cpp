// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Imports a checked model. In the model's order, it creates an operator for
// each node, connects it, infers types and shapes of its results, and folds it
// if all inputs are constants. Weights and inputs that a node has to know, such
// as a shape, become constants on the way.

#include "lib/PopART/Import/Importer.h"

#include "lib/PopART/Custom/CustomOps.h"
#include "lib/PopART/IR/Float16.h"
#include "lib/PopART/IR/VarUpdate.h"
#include "lib/PopART/Import/Body.h"
#include "lib/PopART/Import/ModelCheck.h"
#include "lib/PopART/Import/ModelFile.h"
#include "lib/PopART/Import/NamePattern.h"
#include "lib/PopART/Import/TypeCheck.h"
#include "lib/PopART/Support/Error.h"
#include "lib/PopART/Support/Log.h"

#include <onnx/onnx_pb.h>

#include <algorithm>
#include <cmath>

namespace populus::popir {

namespace {

class Importer {
public:
  /// `inputNames` are the model's inputs before any became a constant.
  Importer(const onnx::ModelProto &model, const ImportOptions &options,
           std::vector<std::string> inputNames)
      : model(model), options(options), inputNames(std::move(inputNames)),
        module(std::make_unique<Module>(model.graph().name())),
        graph(module->addGraph(model.graph().name())), scope(opsetsOf(model)),
        bounds(options.bounds), body(model, graph, options.folding) {
    body.bounds = &bounds;
    if (options.variableWeights)
      body.isVariable = [&options](const onnx::TensorProto &tensor) {
        const std::optional<DataType> type = fromOnnx(tensor.data_type());
        return type && isFloatingPoint(*type) &&
               !options.frozenWeights.contains(tensor.name());
      };
    if (options.variableWeights || !options.fixed.folder.empty())
      body.makeKnown = [this](const std::set<std::string> &names) {
        return makeKnown(names);
      };
  }

  std::unique_ptr<Module> run(const std::vector<ModelInput> &inputs) {
    for (const ModelInput &input : inputs)
      scope.bind(input.name, &graph.addArgument(input.name, input.info));
    body.addGraph(model.graph(), scope);
    body.problems.throwIfAny();
    bounds.checkNames();
    if (options.anchors.empty())
      body.readers.throwIfAny();
    checkPrecision();
    for (const Graph &made : module->graphs())
      checkVarUpdates(made);
    nameResults();
    addOutputs();
    addCounts();
    dropFolded(graph);
    module->removeUnusedGraphs();
    replaceHalfInfinities();
    return std::move(module);
  }

private:
  /// Makes weights constants, and inputs that a test data set has.
  std::vector<Value *> makeKnown(const std::set<std::string> &names) {
    std::vector<Value *> known;
    for (const std::string &name : names)
      if (Value *value = graph.findValue(name);
          value && (freeze(*value) || fix(*value)))
        known.push_back(value);
    return known;
  }

  /// Makes a weight a constant; returns false for other values.
  bool freeze(Value &value) {
    Variable *weight = value.variable();
    if (!weight)
      return false;
    graph.makeConstant(value, weight->initial);
    module->removeVariable(*weight);
    warn(fmt::format("'{}' has to be known when the program is compiled, so "
                     "it is a constant and not trained",
                     value.name));
    return true;
  }

  /// Gives an input its value in the test data set; returns false if there is
  /// none.
  bool fix(Value &value) {
    if (!value.isArgument())
      return false;
    std::optional<HostTensor> known =
        valueInFolder(model, options.fixed, inputNames, value.name);
    if (known)
      graph.makeConstant(value,
                         std::make_shared<const HostTensor>(std::move(*known)));
    return known.has_value();
  }

  /// Warns about or rejects double, which the device lacks.
  void checkPrecision() const {
    const Value *wide = body.firstDouble;
    for (const Value *input : graph.arguments())
      if (input->info.type == DataType::Double && input->isUsed())
        wide = input;
    if (!wide)
      return;
    const std::string text = fmt::format(
        "'{}' is of type double, which is computed as float32", wide->name);
    if (options.isStrict)
      failUnsupported("{}; without --strict that is a warning", text);
    warn(text);
  }

  /// Replaces infinities in float16 constants, such as attention masks: on the
  /// IPU, sums with one are NaN. Half the largest number leaves room for the
  /// addend (--precision fp16 does the same).
  void replaceHalfInfinities() {
    constexpr float Infinity = Float16::Largest / 2;
    for (Value &constant : graph.values()) {
      if (!constant.isConstant() || constant.info.type != DataType::Float16 ||
          constant.uses().empty())
        continue;
      HostTensor value = *constant.constant();
      std::size_t count = 0;
      for (Float16 &x : value.as<Float16>())
        if (std::isinf(static_cast<float>(x))) {
          x = std::copysign(Infinity, static_cast<float>(x));
          ++count;
        }
      if (count == 0)
        continue;
      graph.makeConstant(constant,
                         std::make_shared<const HostTensor>(std::move(value)));
      warn(fmt::format("{} infinities of '{}' become {}, for halves of the IPU "
                       "know none",
                       count, constant.name, Infinity));
    }
  }

  /// Gives results of inlined bodies their names in the model, by which they
  /// and their gradients are found. A second name gets a copy.
  void nameResults() {
    const std::map<std::string, Value *> names = scope.ownNames();
    const auto hasOwnName = [&](const Value &value) {
      const auto found = names.find(value.name);
      return found != names.end() && found->second == &value;
    };
    for (const auto &[name, value] : names) {
      Value *holder = graph.findValue(name);
      if (!value || value->isConstant() || holder == value)
        continue;
      if (holder) // something inside that the model does not name
        graph.rename(*holder, graph.uniqueName(name));
      if (hasOwnName(*value))
        scope.bind(name, &body.makeOp("Identity", {value}, {}, name));
      else
        graph.rename(*value, name);
    }
  }

  void warn(const std::string &text) const {
    logging::log(logging::Module::ces, logging::Level::Warn, "{}", text);
    if (options.warn)
      options.warn(text);
  }

  void addOutputs() {
    if (!options.returnsResults)
      return;
    if (options.anchors.empty()) {
      if (model.graph().output().empty())
        failInput("the model has no outputs, so there is nothing to compute; "
                  "name tensors with --anchor NAME");
      for (const onnx::ValueInfoProto &output : model.graph().output())
        addOutput(output.name());
      return;
    }
    for (const std::string &name : options.anchors) {
      if (!find(name) && isPattern(name)) {
        addMatchingOutputs(name);
        continue;
      }
      if (!find(name))
        body.readers.throwIfAny();
      if (!find(name))
        fail(ErrorKind::Usage,
             "Anchor tensor `{0}' not in Ir Tensors. (--anchor: the model has "
             "no tensor '{0}')",
             name);
      addOutput(name);
    }
  }

  /// Adds the tensors that nodes of the model compute and that match, in the
  /// model's order. Constants among them need no device.
  void addMatchingOutputs(const std::string &pattern) {
    const std::size_t before = graph.results().size();
    for (const onnx::NodeProto &node : model.graph().node())
      for (const std::string &name : node.output()) {
        if (name.empty() || scope.findSequence(name) ||
            !matchesPattern(name, pattern))
          continue;
        const Value *tensor = find(name);
        if (tensor && !tensor->isConstant())
          addOutput(name);
      }
    if (graph.results().size() == before)
      fail(ErrorKind::Usage,
           "--anchor '{}': no tensor that the model computes matches", pattern);
  }

  void addCounts() {
    for (const PaddedResult &result : bounds.addCounts(graph)) {
      warn(fmt::format("'{0}' is padded to {1} along axis {2}; the first '{3}' "
                       "of them are the result",
                       result.name, result.bound, result.axis, result.count));
      if (options.padded)
        options.padded(result);
    }
  }

  /// Finds a tensor of the model, or of a body by its name in the IR.
  Value *find(const std::string &name) const {
    std::optional<Value *> tensor = scope.find(name);
    return tensor ? *tensor : graph.findValue(name);
  }

  void addOutput(const std::string &name) {
    if (scope.findSequence(name))
      failUnsupported("the model's output '{}' is a sequence or an optional "
                      "value; only tensors can be returned",
                      name);
    Value *tensor = find(name);
    if (!tensor)
      failInput("the model's output '{}' is not computed by any node", name);
    for (const GraphResult &result : graph.results())
      if (result.name == name) // named twice, returned once
        return;
    graph.addResult(name, *tensor);
  }

  const onnx::ModelProto &model;
  const ImportOptions &options;
  const std::vector<std::string> inputNames;
  std::unique_ptr<Module> module;
  Graph &graph;
  Scope scope;
  Bounds bounds;
  BodyImporter body;
};

} // namespace

std::unique_ptr<Module> importModel(onnx::ModelProto model,
                                    const ImportOptions &options) {
  checkRegistrations();
  checkSupport(model);
  std::vector<std::string> inputNames = namesOfInputs(model);
  fixInputs(model, options.fixed);
  const std::vector<ModelInput> inputs = bindInputShapes(model, options.shapes);
  completeOutputShapes(model);
  checkValid(model);
  forgetDerivedShapes(model);
  try {
    std::unique_ptr<Module> module =
        Importer(model, options, std::move(inputNames)).run(inputs);
    if (isKnownToLibonnx(model))
      checkTypes(model);
    return module;
  } catch (const UnknownValue &error) {
    throw withAdvice(error);
  }
}

} // namespace populus::popir
