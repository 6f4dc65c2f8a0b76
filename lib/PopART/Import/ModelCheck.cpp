// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libonnx's checker decides if a model is valid, but stops at the first
// problem. If it rejects a model, every node is checked alone, and so are the
// edges between nodes, so that one message lists all problems. The same is done
// for models of opsets that libonnx does not know: libonnx checks the nodes
// whose forms it has, and Forms.cpp the others.

#include "lib/PopART/Import/ModelCheck.h"

#include "lib/PopART/Import/Body.h"
#include "lib/PopART/Import/Forms.h"
#include "lib/PopART/Import/ModelFile.h"
#include "lib/PopART/Support/Error.h"

#include <onnx/checker.h>
#include <onnx/defs/schema.h>

#include <algorithm>
#include <set>
#include <unordered_map>

namespace populus::popir {

static bool isNewType(std::int64_t type) {
  return type > onnx::TensorProto::BFLOAT16;
}

/// True if inputs or casts of the model have types that libonnx lacks.
static bool hasNewTypesOfValues(const onnx::GraphProto &graph) {
  return std::ranges::any_of(graph.input(),
                             [](const onnx::ValueInfoProto &input) {
                               return isNewType(
                                   input.type().tensor_type().elem_type());
                             }) ||
         std::ranges::any_of(graph.node(), [](const onnx::NodeProto &node) {
           return node.op_type() == "Cast" &&
                  std::ranges::any_of(
                      node.attribute(),
                      [](const onnx::AttributeProto &attribute) {
                        return attribute.name() == "to" &&
                               isNewType(attribute.i());
                      });
         });
}

/// The model's version of ai.onnx.ml is newer than libonnx's.
static bool hasNewMl(const onnx::ModelProto &model) {
  return opsetsOf(model)[onnx::AI_ONNX_ML_DOMAIN] >
         onnx::OpSchemaRegistry::DomainToVersionRange::Instance()
             .Map()
             .at(onnx::AI_ONNX_ML_DOMAIN)
             .second;
}

bool isKnownToLibonnx(const onnx::ModelProto &model) {
  // Operators of other domains have newer types in models of old opsets, too.
  const bool hasNewTypes = std::ranges::any_of(
      model.graph().initializer(), [](const onnx::TensorProto &tensor) {
        return isNewType(tensor.data_type());
      });
  return opsetsOf(model)[""] <= newestOpsetOfLibonnx() && !hasNewMl(model) &&
         !hasNewTypes && !hasNewTypesOfValues(model.graph());
}

namespace {

using Edges = std::vector<std::vector<std::size_t>>;

/// Repeatedly removes nodes without predecessors; cycles remain.
void removeUnreached(const Edges &successors, std::vector<bool> &nodes) {
  std::vector<std::size_t> predecessors(nodes.size()), ready;
  for (std::size_t i = 0; i != nodes.size(); ++i)
    if (nodes[i])
      for (std::size_t next : successors[i])
        ++predecessors[next];
  for (std::size_t i = 0; i != nodes.size(); ++i)
    if (nodes[i] && predecessors[i] == 0)
      ready.push_back(i);
  while (!ready.empty()) {
    const std::size_t node = ready.back();
    ready.pop_back();
    nodes[node] = false;
    for (std::size_t next : successors[node])
      if (--predecessors[next] == 0 && nodes[next])
        ready.push_back(next);
  }
}

/// Finds all problems of a model's nodes and the tensors between them.
class NodeCheck {
public:
  explicit NodeCheck(const onnx::ModelProto &model)
      : model(model), nodes(model.graph().node()) {
    for (const onnx::ValueInfoProto &input : model.graph().input())
      given.insert(input.name());
    for (const onnx::TensorProto &tensor : model.graph().initializer())
      given.insert(tensor.name());
    for (std::size_t i = 0; i != size(); ++i)
      for (const std::string &output : node(i).output())
        if (!output.empty())
          addProducer(output, i);
  }

  void throwIfAny() {
    checkNodes();
    checkEdges();
    problems.throwIfAny();
  }

private:
  std::size_t size() const { return static_cast<std::size_t>(nodes.size()); }
  const onnx::NodeProto &node(std::size_t i) const {
    return nodes[static_cast<int>(i)];
  }
  static std::string describe(const onnx::NodeProto &node) {
    return fmt::format("'{}' ({})", nodeName(node), node.op_type());
  }
  std::string describe(std::size_t i) const { return describe(node(i)); }

  template <class... Args>
  void add(fmt::format_string<Args...> format, Args &&...args) {
    problems.add(Error(ErrorKind::Input,
                       fmt::format(format, std::forward<Args>(args)...)));
  }

  void addProducer(const std::string &tensor, std::size_t i) {
    const auto [other, isNew] = producers.emplace(tensor, i);
    if (!isNew)
      add("nodes {} and {} both compute '{}'", describe(other->second),
          describe(i), tensor);
    else if (given.count(tensor) != 0)
      add("node {} computes '{}', which is given as an input or initializer",
          describe(i), tensor);
  }

  /// Checks every node by itself, assuming that all names are known.
  void checkNodes() {
    onnx::checker::CheckerContext context = checkerContext();
    onnx::checker::LexicalScopeContext names;
    names.output_names.insert(given.begin(), given.end());
    for (const auto &[name, producer] : producers)
      names.add(name);
    for (const onnx::NodeProto &node : nodes)
      checkNode(node, context, names);
  }

  /// The context for nodes whose forms libonnx knows.
  onnx::checker::CheckerContext checkerContext() const {
    onnx::checker::CheckerContext context;
    context.set_ir_version(static_cast<int>(std::min<std::int64_t>(
        model.ir_version(), newestIrVersionOfLibonnx())));
    std::unordered_map<std::string, int> opsets;
    for (const auto &[domain, version] : opsetsOf(model))
      opsets[domain] =
          domain.empty() ? std::min(version, newestOpsetOfLibonnx()) : version;
    context.set_opset_imports(std::move(opsets));
    context.set_is_main_graph(false);
    return context;
  }

  void checkNode(const onnx::NodeProto &node,
                 const onnx::checker::CheckerContext &context,
                 const onnx::checker::LexicalScopeContext &names) {
    const bool isNewMl =
        node.domain() == onnx::AI_ONNX_ML_DOMAIN && hasNewMl(model);
    if (findFunction(model, node) || isNewMl)
      return;
    // libonnx would check the nodes of a body by its newest opset.
    bool hasOldBodies = isKnownToLibonnx(model);
    for (const onnx::AttributeProto &attribute : node.attribute())
      if (attribute.has_g() && !hasOldBodies)
        for (const onnx::NodeProto &inside : attribute.g().node())
          checkNode(inside, context, names);
    try {
      if (const OperatorForm *form = findForm(opsetsOf(model), node))
        checkNodeForm(node, *form);
      else if (hasOldBodies ||
               std::ranges::none_of(node.attribute(),
                                    [](const auto &a) { return a.has_g(); }))
        onnx::checker::check_node(node, context, names);
    } catch (const Error &error) {
      problems.add(error);
    } catch (const std::exception &error) {
      // The rest of the message repeats the node's name.
      const std::string text = error.what();
      add("node {}: {}", describe(node),
          oneLine(text.substr(0, text.find("==> Context"))));
    }
  }

  void checkEdges() {
    Edges successors(size()), predecessors(size());
    for (std::size_t i = 0; i != size(); ++i)
      for (const std::string &input : node(i).input()) {
        if (input.empty() || given.count(input) != 0)
          continue;
        const auto producer = producers.find(input);
        if (producer == producers.end()) {
          add("node {} reads '{}', which nothing computes", describe(i), input);
          continue;
        }
        successors[producer->second].push_back(i);
        predecessors[i].push_back(producer->second);
      }
    std::vector<bool> inCycles(size(), true);
    removeUnreached(successors, inCycles);
    removeUnreached(predecessors, inCycles);
    addCycles(inCycles);
    for (std::size_t i = 0; i != size(); ++i)
      for (std::size_t before : predecessors[i])
        if (before >= i && !(inCycles[i] && inCycles[before]))
          add("node {} reads what node {} computes only after it; sort the "
              "nodes",
              describe(i), describe(before));
  }

  void addCycles(const std::vector<bool> &inCycles) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i != size(); ++i)
      if (inCycles[i])
        names.push_back(describe(i));
    if (!names.empty())
      add("nodes depend on their own results, in a cycle: {}",
          fmt::join(names, ", "));
  }

  const onnx::ModelProto &model;
  const google::protobuf::RepeatedPtrField<onnx::NodeProto> &nodes;
  std::set<std::string> given;
  std::unordered_map<std::string, std::size_t> producers;
  Problems problems;
};

} // namespace

namespace {

/// Adds an element to empty list attributes for the lifetime of the object.
/// ONNX allows empty lists, but libonnx takes them for missing.
class FilledLists {
public:
  explicit FilledLists(onnx::ModelProto &model) {
    fill(*model.mutable_graph()->mutable_node());
    for (onnx::FunctionProto &function : *model.mutable_functions())
      fill(*function.mutable_node());
  }
  FilledLists(const FilledLists &) = delete;
  FilledLists &operator=(const FilledLists &) = delete;
  ~FilledLists() {
    for (onnx::AttributeProto *attribute : filled) {
      attribute->clear_ints();
      attribute->clear_floats();
      attribute->clear_strings();
    }
  }

private:
  template <class Nodes> void fill(Nodes &nodes) {
    for (onnx::NodeProto &node : nodes)
      for (onnx::AttributeProto &attribute : *node.mutable_attribute())
        if (attribute.has_g())
          fill(*attribute.mutable_g()->mutable_node());
        else if (attribute.ref_attr_name().empty())
          fill(attribute);
  }

  void fill(onnx::AttributeProto &attribute) {
    using Attribute = onnx::AttributeProto;
    if (attribute.type() == Attribute::INTS && attribute.ints().empty())
      attribute.add_ints(0);
    else if (attribute.type() == Attribute::FLOATS &&
             attribute.floats().empty())
      attribute.add_floats(0);
    else if (attribute.type() == Attribute::STRINGS &&
             attribute.strings().empty())
      attribute.add_strings("");
    else
      return;
    filled.push_back(&attribute);
  }

  std::vector<onnx::AttributeProto *> filled;
};

} // namespace

void checkValid(onnx::ModelProto &model) {
  const FilledLists lists(model);
  if (!isKnownToLibonnx(model))
    return NodeCheck(model).throwIfAny();
  // Newer versions of the format are supersets.
  model.set_ir_version(
      std::min<std::int64_t>(model.ir_version(), newestIrVersionOfLibonnx()));
  try {
    onnx::checker::check_model(model);
  } catch (const std::exception &error) {
    NodeCheck(model).throwIfAny();
    failInput("is not a valid ONNX model: {}", oneLine(error.what()));
  }
}

} // namespace populus::popir
