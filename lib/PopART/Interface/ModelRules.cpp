// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One function for each rule. The rules on gradients walk backwards from the
// loss through operands that get a gradient.

#include "lib/PopART/Interface/ModelRules.h"

#include "lib/PopART/IR/Annotations.h"
#include "lib/PopART/IR/GuideText.h"
#include "lib/PopART/Support/Error.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

namespace popart::session {

using namespace populus::popir;

namespace {

bool isOneOf(std::string_view name, std::span<const std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

/// Reserved prefixes: names of tensors that training adds.
constexpr std::array<std::string_view, 9> Reserved = {
    "Gradient___", "UpdatedVar___",           "Stashed___",
    "Restored___", "randomSeed___",           "RemoteArg___",
    "Counter___",  "FinalReducedGradient___", "AdamUpdater___"};

/// Operators whose differentiation is an error.
constexpr std::array<std::string_view, 11> WithoutGradient = {
    "And",        "Or",        "Not",        "Equal",      "Greater",    "Less",
    "BitwiseAnd", "BitwiseOr", "BitwiseNot", "BitwiseXor", "BitwiseXnor"};

/// Operators that end, or may end, a path of gradients without an error: a Cast
/// of integers does.
constexpr std::array<std::string_view, 16> EndOfPath = {
    "Cast",  "Detach",        "ArgMax", "ArgMin",    "IsInf",        "IsNaN",
    "Shape", "Size",          "Scan",   "Bucketize", "RandomNormal", "NonZero",
    "Init",  "RandomUniform", "Loop",   "If"};

/// Operators with gradients of all operands; others have one of the first only.
constexpr std::array<std::string_view, 11> OfSeveralOperands = {
    "Add",  "Sub", "Mul",  "Div", "Pow", "MatMul",
    "Gemm", "Sum", "Mean", "Max", "Min"};

/// RecomputeType::Recompute as a node's attribute.
constexpr std::int64_t ComputedAgain = 2;

struct Rewrite {
  std::string_view op, pattern;
};

/// Operators whose gradients PopART can only lower with a pattern.
constexpr std::array<Rewrite, 11> GradientRewrites = {
    {{"Atan2", "Atan2Arg0GradOp"},
     {"Atan2", "Atan2Arg1GradOp"},
     {"ConvTranspose", "ConvFlipWeightsGradOp"},
     {"Cos", "CosGradOp"},
     {"Cosh", "CoshOp"},
     {"Exp", "ExpGradOp"},
     {"Expm1", "Expm1GradOp"},
     {"Log1p", "Log1pGradOp"},
     {"Reciprocal", "ReciprocalGradOp"},
     {"Sqrt", "SqrtGradOp"},
     {"Sub", "SubtractArg1GradOp"}}};

class ProtoRules {
public:
  ProtoRules(onnx::ModelProto &model, const Setup &setup)
      : graph(*model.mutable_graph()), setup(setup) {
    for (const onnx::TensorProto &weight : graph.initializer())
      weights[weight.name()] = &weight;
    for (const onnx::NodeProto &node : graph.node())
      for (const std::string &output : node.output())
        producers[output] = &node;
    findConstants();
  }

  void run() {
    checkNames();
    placeOps();
    if (setup.stridedGroups)
      for (onnx::NodeProto &node : *graph.mutable_node())
        strideGroups(node);
    checkRecomputation();
    checkRewrite("Cosh", "CoshOp");
    if (setup.loss.empty())
      return checkReached();
    checkWeights();
    if (const onnx::NodeProto *loss = producerOf(setup.loss))
      follow(*loss);
  }

private:
  const onnx::NodeProto *producerOf(const std::string &tensor) const {
    auto found = producers.find(tensor);
    return found == producers.end() ? nullptr : found->second;
  }

  static const onnx::AttributeProto *find(const onnx::NodeProto &node,
                                          std::string_view name) {
    const auto found =
        std::ranges::find(node.attribute(), name, &onnx::AttributeProto::name);
    return found == node.attribute().end() ? nullptr : &*found;
  }

  /// Finds the values that depend on neither inputs nor weights.
  void findConstants() {
    for (const onnx::NodeProto &node : graph.node())
      if (node.op_type() == "Shape" ||
          std::ranges::all_of(node.input(), [&](const std::string &input) {
            return input.empty() || constants.contains(input);
          }))
        constants.insert(node.output().begin(), node.output().end());
  }

  bool isConstant(const onnx::NodeProto &node) const {
    return node.output().empty() || constants.contains(node.output(0));
  }

  void checkName(const std::string &name) const {
    for (std::string_view prefix : Reserved)
      if (name.starts_with(prefix))
        failInput("Provided tensor {} has an invalid name: clash with reserved "
                  "prefix {}",
                  name, prefix);
  }

  void checkNames() const {
    for (const onnx::ValueInfoProto &input : graph.input())
      if (!weights.contains(input.name()))
        checkName(input.name());
    for (const onnx::NodeProto &node : graph.node())
      for (const std::string &output : node.output())
        checkName(output);
  }

  /// Checks annotations of IPUs, phases and stages, and removes those that the
  /// session's options disable.
  void placeOps() {
    if (setup.virtualGraphs == VirtualGraphs::Off)
      for (onnx::NodeProto &node : *graph.mutable_node())
        forget(node, {annotations::IpuNumber, annotations::PipelineStage,
                      annotations::ExecutionPhase});
    if (setup.virtualGraphs == VirtualGraphs::Manual)
      checkPlaces();
    if (setup.phaseIpus != 0)
      placePhases();
    if (setup.pipelining == Pipelining::Off)
      for (onnx::NodeProto &node : *graph.mutable_node())
        forget(node, {annotations::PipelineStage});
    else if (setup.virtualGraphs != VirtualGraphs::Off)
      checkStages();
  }

  /// Assigns IPUs to execution phases: phase p runs on IPU p % phaseIpus.
  void placePhases() {
    for (onnx::NodeProto &node : *graph.mutable_node()) {
      const onnx::AttributeProto *phase =
          find(node, annotations::ExecutionPhase);
      if (phase && !find(node, annotations::IpuNumber))
        setInt(node, annotations::IpuNumber, phase->i() % setup.phaseIpus);
    }
  }

  void checkStages() const {
    const onnx::NodeProto *with = nullptr, *without = nullptr;
    std::set<std::int64_t> stages;
    for (const onnx::NodeProto &node : graph.node()) {
      if (isConstant(node))
        continue;
      const onnx::AttributeProto *stage =
          find(node, annotations::PipelineStage);
      (stage ? with : without) = &node;
      if (stage)
        stages.insert(stage->i());
      if (const auto *kind = find(node, annotations::Recompute);
          kind && kind->i() == ComputedAgain &&
          setup.pipelining == Pipelining::Implicit)
        failInput("When pipelining is enabled, user annotation for "
                  "recomputation is not allowed; {} has one",
                  describe(node));
    }
    if (with && without)
      failInput("Only some ops have had their pipeline stage set. {} has one, "
                "and {} has none",
                describe(*with), describe(*without));
    std::int64_t expected = 0;
    for (const std::int64_t stage : stages)
      if (stage != expected++)
        failInput("the pipeline stages of the operators are {}; there have to "
                  "be all from 0 on",
                  fmt::join(stages, ", "));
  }

  static void forget(onnx::NodeProto &node,
                     std::initializer_list<std::string_view> names) {
    auto &attributes = *node.mutable_attribute();
    for (int i = attributes.size(); i-- != 0;)
      if (std::ranges::find(names, attributes[i].name()) != names.end())
        attributes.DeleteSubrange(i, 1);
    for (onnx::AttributeProto &attribute : attributes)
      if (attribute.has_g())
        for (onnx::NodeProto &inner : *attribute.mutable_g()->mutable_node())
          forget(inner, names);
  }

  void checkPlaces() const {
    const onnx::NodeProto *with = nullptr, *without = nullptr;
    for (const onnx::NodeProto &node : graph.node()) {
      if (isConstant(node))
        continue;
      const onnx::AttributeProto *place = find(node, annotations::IpuNumber);
      (place ? with : without) = &node;
      if (place &&
          (place->i() < 0 || place->i() >= setup.request.ipusPerReplica()))
        failInput("{} has been assigned to an invalid virtual graph {}; there "
                  "are {}",
                  describe(node), place->i(), setup.request.ipusPerReplica());
    }
    if (with && without)
      failInput("Either all Ops in the main graph must have virtual graph ids, "
                "or none of them; {} has one, and {} has none",
                describe(*with), describe(*without));
    if (without && !with)
      failInput("SessionOptions flag virtualGraphMode is Manual, but no Ops "
                "have been annotated with virtual graph information");
  }

  static void strideGroups(onnx::NodeProto &node) {
    if (node.op_type() == "GroupNormalization" &&
        node.domain() == "ai.graphcore")
      setInt(node, "strided", 1);
    for (onnx::AttributeProto &attribute : *node.mutable_attribute())
      if (attribute.has_g())
        for (onnx::NodeProto &inner : *attribute.mutable_g()->mutable_node())
          strideGroups(inner);
  }

  static void setInt(onnx::NodeProto &node, const char *name,
                     std::int64_t value) {
    onnx::AttributeProto &attribute = *node.add_attribute();
    attribute.set_name(name);
    attribute.set_type(onnx::AttributeProto::INT);
    attribute.set_i(value);
  }

  static std::string describe(const onnx::NodeProto &node) {
    return node.op_type() + " '" +
           (node.name().empty() && !node.output().empty() ? node.output(0)
                                                          : node.name()) +
           "'";
  }

  void checkRecomputation() const {
    if (setup.recomputation == Recomputation::None && !setup.recomputesStages)
      return;
    for (const onnx::NodeProto &node : graph.node())
      if (const auto *kind = find(node, annotations::Recompute);
          kind && kind->i() == ComputedAgain)
        failInput(
            "A mixture of auto and manual recomputation is not supported");
  }

  /// Throws if no anchor depends on an operator.
  void checkReached() const {
    const bool isKnown = std::ranges::all_of(setup.anchors, [&](const auto &a) {
      return isInput(a) || weights.contains(a);
    });
    if (isKnown && !setup.anchors.empty())
      failInput("All operations in the main graph were pruned, nothing to "
                "compute");
  }

  bool isInput(const std::string &name) const {
    return std::ranges::find(graph.input(), name,
                             &onnx::ValueInfoProto::name) !=
           graph.input().end();
  }

  /// Rejects integer weights, except for parameters of operators.
  void checkWeights() const {
    for (const onnx::NodeProto &node : graph.node())
      for (int i = 0; i < node.input_size(); ++i) {
        const auto found = weights.find(node.input(i));
        if (found == weights.end())
          continue;
        const auto type = fromOnnx(found->second->data_type());
        if (type && !isFloatingPoint(*type) &&
            (i == 0 || isOneOf(node.op_type(), OfSeveralOperands) ||
             node.op_type() == "Gather"))
          failInput("Currently only floating point variable tensors are "
                    "updatable; '{}' is {}. "
                    "GraphTransformer::convertAllFixedPointInitializersToConst"
                    "ants makes constants of such initializers",
                    found->first, guideText(*type));
      }
  }

  void checkRewrite(std::string_view op, std::string_view pattern) const {
    for (const onnx::NodeProto &node : graph.node())
      if (node.op_type() == op && !isConstant(node))
        checkPattern(node, pattern);
  }

  void checkPattern(const onnx::NodeProto &node,
                    std::string_view pattern) const {
    if (setup.patternsOff.contains(std::string(pattern)))
      failInput("{}: This op should have been removed by pattern {}",
                describe(node), pattern);
  }

  void follow(const onnx::NodeProto &loss) {
    std::vector<const onnx::NodeProto *> open = {&loss};
    std::set<const onnx::NodeProto *> seen = {&loss};
    while (!open.empty()) {
      const onnx::NodeProto &node = *open.back();
      open.pop_back();
      checkGradient(node);
      if (isOneOf(node.op_type(), EndOfPath))
        continue;
      for (const std::string &input : differentiated(node))
        if (const onnx::NodeProto *before = producerOf(input);
            before && !isConstant(*before) && seen.insert(before).second)
          open.push_back(before);
    }
  }

  static std::vector<std::string> differentiated(const onnx::NodeProto &node) {
    if (node.op_type() == "Where")
      return {node.input().begin() + 1, node.input().end()};
    if (isOneOf(node.op_type(), OfSeveralOperands) ||
        node.op_type() == "Concat")
      return {node.input().begin(), node.input().end()};
    if (node.input().empty())
      return {};
    return {node.input(0)};
  }

  void checkGradient(const onnx::NodeProto &node) const {
    if (isOneOf(node.op_type(), WithoutGradient))
      failInput("PopART does not have a valid grad op corresponding to {}Op",
                node.op_type());
    for (const Rewrite &rewrite : GradientRewrites)
      if (node.op_type() == rewrite.op)
        checkPattern(node, rewrite.pattern);
  }

  onnx::GraphProto &graph;
  const Setup &setup;
  std::map<std::string, const onnx::TensorProto *> weights;
  std::map<std::string, const onnx::NodeProto *> producers;
  std::set<std::string> constants;
};

/// Checks that a serialised product's extent is divisible into its parts.
void checkSerialization(const Op &op) {
  const Attributes &attributes = op.attributes();
  const std::string mode =
      attributes.getString(annotations::SerialMode, "none");
  const std::int64_t factor = attributes.getInt(annotations::SerialFactor, 1);
  if (mode == "none" || factor == 0)
    return;
  const Shape &lhs = op.inputShape(0), &rhs = op.inputShape(1);
  const auto check = [&](const char *title, const char *name,
                         std::int64_t extent) {
    if (mode == name && extent % factor != 0)
      failInput("Invalid serialisation factor {} for {} dim {}. {} dim should "
                "be a multiple of the serialisation factor",
                factor, title, extent, name);
  };
  if (lhs.size() > 1)
    check("input channels", "input_channels", lhs[lhs.size() - 2]);
  check("reducing dim", "reducing_dim", lhs.back());
  check("output channels", "output_channels", rhs.back());
}

void checkClip(const Op &op) {
  for (std::size_t i : {1, 2})
    if (op.hasInput(i) && !op.input(i).isConstant())
      op.failInput(fmt::format(
          "currently only supports constant min/max parameters. Input '{}' "
          "({}) has no data.",
          i == 1 ? "min" : "max", op.input(i).name));
}

void checkOp(const Op &op) {
  const std::string &type = op.id().type;
  if (type == "MatMul")
    checkSerialization(op);
  if (type == "Clip")
    checkClip(op);
  if (type == "L1" && op.inputShape(0).empty())
    op.failInput("L1Op not valid for rank-0 tensor (scalar)");
  if (type == "BatchNormalization" && op.inputShape(0).size() < 3)
    op.failInput(fmt::format("batch norm requires an input of rank 3 or more, "
                             "not {}",
                             guideText(op.inputShape(0))));
}

} // namespace

void applyRules(onnx::ModelProto &model, const Setup &setup) {
  ProtoRules(model, setup).run();
}

void checkImported(const Module &module) {
  for (const Graph &graph : module.graphs())
    for (const Op *op : graph.ops())
      checkOp(*op);
}

} // namespace popart::session
