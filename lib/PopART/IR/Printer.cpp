// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Printing of modules and graphs.

#include "lib/PopART/IR/Literal.h"
#include "lib/PopART/IR/Text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <unordered_map>

namespace populus::popir {

std::string quotedName(std::string_view name) {
  const bool isPlain =
      !name.empty() && std::ranges::all_of(name, [](unsigned char c) {
        return std::isalnum(c) || c == '_' || c == '.' || c == '/' ||
               c == '-' || c == '$';
      });
  return isPlain ? std::string(name) : quoted(name);
}

namespace {

template <class T> std::string elementText(T value) {
  if constexpr (std::is_same_v<T, bool>)
    return value ? "true" : "false";
  else if constexpr (std::is_same_v<T, double>)
    return floatText(value);
  else if constexpr (isFloatElement<T>)
    return floatText(static_cast<float>(value));
  else
    return std::to_string(value);
}

/// NaNs differ in bits that the text of a number does not have.
bool hasNaN(const HostTensor &tensor) {
  bool found = false;
  withElementType(tensor.type(), [&](auto sample) {
    using T = decltype(sample);
    if constexpr (isFloatElement<T>)
      found = std::ranges::any_of(tensor.as<T>(), [](T value) {
        return std::isnan(static_cast<double>(value));
      });
  });
  return found;
}

std::string elementsOf(const HostTensor &tensor, const TextOptions &options) {
  const auto count = static_cast<std::size_t>(tensor.numElements());
  if (count > options.mostElements && options.elide)
    return "elided";
  if (count > options.mostElements || hasNaN(tensor))
    return "base64 \"" + toBase64(tensor.bytes()) + '"';
  std::string text = "[";
  withElementType(tensor.type(), [&](auto sample) {
    for (const auto element : tensor.as<decltype(sample)>())
      text += (text.size() == 1 ? "" : ", ") + elementText(element);
  });
  return text + "]";
}

std::string typeOf(const Value &value) { return toString(value.info); }

std::string nameOf(const Value *value) {
  return value ? "%" + quotedName(value->name) : "_";
}

class GraphPrinter {
public:
  GraphPrinter(const TextOptions &options, std::string &text)
      : options(options), text(text) {}

  void print(const Graph &graph) {
    text += "graph " + quotedName(graph.name);
    printSignature(graph);
    text += " {\n";
    printInside(graph, "  ");
    text += "}\n";
  }

private:
  void printSignature(const Graph &graph) {
    std::vector<std::string> arguments;
    for (const Value *argument : graph.arguments())
      arguments.push_back(nameOf(argument) + ": " + typeOf(*argument));
    text += fmt::format("({})", fmt::join(arguments, ", "));
  }

  void printInside(const Graph &graph, const std::string &indent) {
    labelOps(graph);
    for (const Value &value : graph.values())
      if (value.isConstant())
        text +=
            fmt::format("{}{}: {} = constant {}\n", indent, nameOf(&value),
                        typeOf(value), elementsOf(*value.constant(), options));
      else if (value.variable())
        text += fmt::format("{}{}: {} = variable @{}\n", indent, nameOf(&value),
                            typeOf(value), quotedName(value.variable()->name));
    for (const Op *op : graph.ops())
      printOp(*op, indent);
    for (const GraphResult &result : graph.results())
      text +=
          fmt::format("{}return {} = {}: {}\n", indent, quotedName(result.name),
                      nameOf(result.value), typeOf(*result.value));
  }

  /// Operators that others have to wait for get labels.
  void labelOps(const Graph &graph) {
    for (const Op *op : graph.ops())
      for (const Op *earlier : op->runsAfter())
        labels.try_emplace(earlier, labels.size());
  }

  void printOp(const Op &op, const std::string &indent) {
    text += indent;
    if (auto label = labels.find(&op); label != labels.end())
      text += fmt::format("^{} ", label->second);
    std::vector<std::string> results, operands;
    for (const Value *result : op.outputs())
      results.push_back(result ? nameOf(result) + ": " + typeOf(*result) : "_");
    for (const Value *operand : op.inputs())
      operands.push_back(nameOf(operand));
    if (!results.empty())
      text += fmt::format("{} = ", fmt::join(results, ", "));
    text += toString(op.id());
    for (const Graph *callee : op.callees())
      text += " @" + quotedName(callee->name);
    text += fmt::format("({}) {{{}}}", fmt::join(operands, ", "),
                        op.attributes().toString(options));
    if (!op.name().empty())
      text += " " + quoted(op.name());
    printPlacement(op);
    for (const auto &body : op.bodies())
      printBody(*body, indent);
    text += "\n";
  }

  void printPlacement(const Op &op) {
    const Placement &placement = op.placement();
    auto print = [&](const char *key, std::optional<std::int64_t> value) {
      if (value)
        text += fmt::format(" {}={}", key, *value);
    };
    print("ipu", placement.ipu);
    print("stage", placement.stage);
    print("phase", placement.phase);
    if (placement.ioTiles)
      text += " io-tiles";
    if (placement.recompute)
      print("recompute", *placement.recompute);
    if (placement.recomputed)
      text += " recomputed";
    print("inplace", op.inPlace());
    for (const Op *earlier : op.runsAfter())
      text += fmt::format(" after=^{}", labels.at(earlier));
  }

  void printBody(const Graph &body, const std::string &indent) {
    text += " with ";
    printSignature(body);
    text += " {\n";
    printInside(body, indent + "  ");
    text += indent + "}";
  }

  const TextOptions &options;
  std::string &text;
  std::unordered_map<const Op *, std::size_t> labels;
};

} // namespace

std::string toString(const HostTensor &tensor, const TextOptions &options) {
  return toString(tensor.info()) + " " + elementsOf(tensor, options);
}

std::string toString(const Graph &graph, const TextOptions &options) {
  std::string text;
  GraphPrinter(options, text).print(graph);
  return text;
}

std::string toString(const Module &module, const TextOptions &options) {
  std::string text;
  for (const Variable &variable : module.variables())
    text += fmt::format(
        "variable @{}: {}{} = {}\n", quotedName(variable.name),
        toString(variable.info),
        (variable.layout ? " like @" + quotedName(variable.layout->name) : "") +
            (variable.ipu ? fmt::format(" ipu={}", *variable.ipu) : "") +
            (variable.isOffChip()
                 ? fmt::format(" remote-rows={}", variable.remoteRows)
                 : "") +
            (variable.viaIoTiles ? " via-io-tiles" : ""),
        variable.initial ? elementsOf(*variable.initial, options) : "zeros");
  for (const Graph &graph : module.graphs())
    text += toString(graph, options);
  for (const EntryProgram &program : module.programs)
    text += fmt::format("program {} = @{}\n", quotedName(program.name),
                        quotedName(program.graph->name));
  return text;
}

} // namespace populus::popir
