// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libonnx's checker decides whether a model is valid, but ends at the first
// thing that it finds. Of a model that it refuses every node is looked at
// again, alone, and so are the edges between nodes, so that one message has all
// problems.

#include "lib/PopART/Import/ModelCheck.h"

#include "lib/PopART/Import/Body.h"
#include "lib/PopART/Import/ModelFile.h"
#include "lib/PopART/Support/Error.h"

#include <onnx/checker.h>

#include <algorithm>
#include <set>
#include <unordered_map>

namespace populus::popir {

namespace {

using Edges = std::vector<std::vector<std::size_t>>;

/// Takes nodes away that no other node leads to, until there is none.
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

/// What is wrong with the nodes of a model and the tensors between them.
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
  std::string describe(std::size_t i) const {
    return fmt::format("'{}' ({})", nodeName(node(i)), node(i).op_type());
  }

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

  /// Every node by itself: all names are known to it.
  void checkNodes() {
    onnx::checker::CheckerContext context;
    context.set_ir_version(static_cast<int>(model.ir_version()));
    std::unordered_map<std::string, int> opsets;
    for (const onnx::OperatorSetIdProto &import : model.opset_import())
      opsets[import.domain()] = static_cast<int>(import.version());
    context.set_opset_imports(std::move(opsets));
    context.set_is_main_graph(false);
    onnx::checker::LexicalScopeContext names;
    names.output_names.insert(given.begin(), given.end());
    for (const auto &[name, producer] : producers)
      names.add(name);
    for (std::size_t i = 0; i != size(); ++i)
      if (!findFunction(model, node(i)))
        checkNode(i, context, names);
  }

  void checkNode(std::size_t i, const onnx::checker::CheckerContext &context,
                 const onnx::checker::LexicalScopeContext &names) {
    try {
      onnx::checker::check_node(node(i), context, names);
    } catch (const std::exception &error) {
      // What follows is the name of the node again.
      const std::string text = error.what();
      add("node {}: {}", describe(i),
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

void checkValid(const onnx::ModelProto &model) {
  try {
    onnx::checker::check_model(model);
  } catch (const std::exception &error) {
    NodeCheck(model).throwIfAny();
    failInput("is not a valid ONNX model: {}", oneLine(error.what()));
  }
}

} // namespace populus::popir
