// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// DOT and JSON forms of the IR. Both list operators in order, so that equal
// graphs give equal texts.

#include "lib/PopART/IR/Export.h"

#include "lib/PopART/IR/Annotations.h"
#include "lib/PopART/IR/GradientParts.h"
#include "lib/PopART/IR/GuideText.h"
#include "lib/PopART/IR/Module.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <set>

namespace populus::popir {

namespace {

/// A name as a string of DOT.
std::string quoted(const std::string &text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  return result + "\"";
}

using Json = nlohmann::ordered_json;

Json tensorList(const std::vector<Value *> &tensors) {
  Json list = Json::array();
  for (std::size_t i = 0; i != tensors.size(); ++i)
    if (const Value *tensor = tensors[i])
      list.push_back({{"name", tensor->name},
                      {"shape", guideText(tensor->info.shape)},
                      {"type", guideText(tensor->info.type)},
                      {"index", i}});
  return list;
}

} // namespace

/// Collects the operators of a graph in order. An operator with a body is
/// replaced by the operators of its body.
static void collectOps(const Graph &graph, std::vector<const Op *> &ops) {
  for (const Op *op : graph.ops()) {
    for (const auto &body : op->bodies())
      collectOps(*body, ops);
    if (op->bodies().empty())
      ops.push_back(op);
  }
}

static std::vector<const Op *> opsOf(const Graph &graph) {
  std::vector<const Op *> ops;
  collectOps(graph, ops);
  return ops;
}

std::string toDot(const Graph &graph, const DotStyle &style) {
  std::string text;
  for (const Graph *callee : graph.callees())
    text += toDot(*callee, style);
  text += fmt::format("digraph {} {{\n", quoted(graph.name));
  std::set<std::string> tensors;
  auto addTensor = [&](const Value &tensor) {
    if (tensors.insert(tensor.name).second)
      text += fmt::format("  {} [shape=egg, label={}];\n",
                          quoted("tensor " + tensor.name),
                          quoted(tensor.name + " " + toString(tensor.info)));
  };
  const std::vector<const Op *> ops = opsOf(graph);
  for (std::size_t place = 0; place != ops.size(); ++place) {
    if (place < style.first || place > style.last)
      continue;
    const Op *op = ops[place];
    std::string node = quoted(fmt::format("op {}", place));
    const std::string label =
        fmt::format("{}: {}{}", place, op->id().type,
                    style.names ? " " + op->name() : std::string());
    text += fmt::format("  {} [shape=box, label={}];\n", node, quoted(label));
    for (const Value *input : op->inputs())
      if (input) {
        addTensor(*input);
        text +=
            fmt::format("  {} -> {};\n", quoted("tensor " + input->name), node);
      }
    for (const Value *output : op->outputs())
      if (output) {
        addTensor(*output);
        text += fmt::format("  {} -> {};\n", node,
                            quoted("tensor " + output->name));
      }
  }
  return text + "}\n";
}

namespace {

/// The value of an attribute as a text.
struct AttributeText {
  std::string operator()(const std::string &value) const { return value; }
  std::string
  operator()(const std::shared_ptr<const HostTensor> &tensor) const {
    return guideText(tensor->info());
  }
  template <class T> std::string operator()(const std::vector<T> &list) const {
    return fmt::format("[{}]", fmt::join(list, " "));
  }
  template <class T> std::string operator()(const T &number) const {
    return fmt::to_string(number);
  }
};

} // namespace

/// The type, with PopART's suffix for an operator that computes in place.
static std::string typeOf(const Op &op) {
  if (!op.inPlace())
    return op.id().type;
  const bool isOneOfSeveral = op.isElementwise() && op.inputs().size() == 2;
  const char *side = *op.inPlace() == 0 ? "Lhs" : "Rhs";
  return op.id().type + (isOneOfSeveral ? side : "") + "Inplace";
}

/// The attributes that PopART adds to all operators: placement and name.
static Json placementOf(const Op &op, const std::string &name) {
  Json attributes = Json::object();
  const Placement &placement = op.placement();
  auto add = [&](const char *attribute, std::optional<std::int64_t> value) {
    if (value)
      attributes[attribute] = fmt::to_string(*value);
  };
  add(annotations::IpuNumber, placement.ipu);
  add(annotations::PipelineStage, placement.stage);
  add(annotations::ExecutionPhase, placement.phase);
  attributes["scope"] = name.substr(0, name.rfind('/') + 1);
  attributes["recompute"] = placement.recompute.value_or(false) ? "YES" : "NO";
  attributes["schedulePriority"] = "0";
  return attributes;
}

static Json jsonOf(const Op &op) {
  Json attributes = Json::object();
  for (const auto &[name, value] : op.attributes().all())
    attributes[name] = std::visit(AttributeText(), value);
  attributes.update(placementOf(op, op.name()));
  return {{"type", typeOf(op)},
          {"name", op.name()},
          {"inputs", tensorList(op.inputs())},
          {"outputs", tensorList(op.outputs())},
          {"attributes", std::move(attributes)}};
}

static Json jsonOf(const WholeGradient &gradient) {
  return {{"type", gradient.type},
          {"name", gradient.name},
          {"inputs", tensorList(gradient.inputs)},
          {"outputs", tensorList(gradient.outputs)},
          {"attributes", placementOf(*gradient.parts.front(), gradient.name)}};
}

/// A gradient is listed at the position of its last part.
static Json opList(const Graph &graph) {
  const std::vector<const Op *> all = opsOf(graph);
  const GradientParts gradients(graph, all);
  Json ops = Json::array();
  for (const Op *op : all) {
    const WholeGradient *gradient = gradients.of(*op);
    if (!gradient)
      ops.push_back(jsonOf(*op));
    else if (gradient->parts.back() == op)
      ops.push_back(jsonOf(*gradient));
  }
  return ops;
}

std::string toJson(const Graph &graph) {
  Json whole;
  whole[graph.name.empty() ? "maingraph" : graph.name] = opList(graph);
  for (const Graph *callee : reachableFrom(graph))
    whole[callee->name] = opList(*callee);
  return whole.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace populus::popir
