// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// DOT and JSON forms of the IR. Both list operators in order, so that equal
// graphs give equal texts.

#include "lib/PopART/IR/Export.h"

#include "lib/PopART/IR/Op.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <set>

namespace popart {

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

Json tensorList(const std::vector<Tensor *> &tensors) {
  Json list = Json::array();
  for (std::size_t i = 0; i != tensors.size(); ++i)
    if (const Tensor *tensor = tensors[i])
      list.push_back(
          {{"name", tensor->name},
           {"shape", fmt::format("[{}]", fmt::join(tensor->info.shape, ", "))},
           {"type", std::string(name(tensor->info.type))},
           {"index", i}});
  return list;
}

} // namespace

std::string toDot(const Graph &graph, const DotStyle &style) {
  std::string text;
  for (const Graph *callee : calleesOf(graph))
    text += toDot(*callee, style);
  text += fmt::format("digraph {} {{\n", quoted(graph.name));
  std::set<std::string> tensors;
  auto addTensor = [&](const Tensor &tensor) {
    if (tensors.insert(tensor.name).second)
      text += fmt::format("  {} [shape=egg, label={}];\n",
                          quoted("tensor " + tensor.name),
                          quoted(tensor.name + " " + toString(tensor.info)));
  };
  for (std::size_t place = 0; place != graph.ops().size(); ++place) {
    if (place < style.first || place > style.last)
      continue;
    const Op *op = graph.ops()[place].get();
    std::string node = quoted(fmt::format("op {}", place));
    const std::string label =
        fmt::format("{}: {}{}", place, op->id().type,
                    style.names ? " " + op->name() : std::string());
    text += fmt::format("  {} [shape=box, label={}];\n", node, quoted(label));
    for (const Tensor *input : op->inputs())
      if (input) {
        addTensor(*input);
        text +=
            fmt::format("  {} -> {};\n", quoted("tensor " + input->name), node);
      }
    for (const Tensor *output : op->outputs())
      if (output) {
        addTensor(*output);
        text += fmt::format("  {} -> {};\n", node,
                            quoted("tensor " + output->name));
      }
  }
  return text + "}\n";
}

static Json opList(const Graph &graph) {
  Json ops = Json::array();
  for (const auto &op : graph.ops()) {
    ops.push_back({{"type", op->id().type},
                   {"name", op->name()},
                   {"inputs", tensorList(op->inputs())},
                   {"outputs", tensorList(op->outputs())},
                   {"attributes", op->attributes().toString()}});
  }
  return ops;
}

std::string toJson(const Graph &graph) {
  Json whole;
  whole[graph.name.empty() ? "maingraph" : graph.name] = opList(graph);
  for (const Graph *callee : calleesOf(graph))
    whole[callee->name] = opList(*callee);
  return whole.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace popart
