// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parser of the IR's text: recursive descent, one function for each rule of
// the grammar in docs/popir.md. Names of graphs are resolved when all graphs
// are known, for a graph may call one that comes later.

#include "lib/PopART/IR/Lexer.h"
#include "lib/PopART/IR/Literal.h"
#include "lib/PopART/IR/OpTable.h"
#include "lib/PopART/IR/Text.h"
#include "lib/PopART/Support/Error.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <unordered_map>

namespace populus::popir {

namespace {

/// Limit of nested bodies, which guards the recursion against hostile input.
constexpr unsigned DeepestBody = 64;

/// The largest number of elements of a tensor.
constexpr std::int64_t MostElements = std::numeric_limits<std::uint32_t>::max();

class Parser {
public:
  Parser(std::string_view text, const std::string &file) : lexer(text, file) {}

  std::unique_ptr<Module> run() {
    while (!lexer.atEnd())
      parseTopLevel();
    for (const auto &[op, names] : calls)
      resolve(*op, names);
    if (module->graphs().empty())
      lexer.fail("there is no graph");
    return std::move(module);
  }

private:
  // ---- The module -----------------------------------------------------------

  void parseTopLevel() {
    if (lexer.takeWord("graph"))
      return parseGraph();
    if (lexer.takeWord("variable"))
      return parseVariable();
    if (lexer.takeWord("program"))
      return parseProgram();
    lexer.fail("expected 'graph', 'variable' or 'program'");
  }

  void parseVariable() {
    lexer.expect("@");
    const std::string name = lexer.name("the name of a variable");
    if (module->findVariable(name))
      lexer.fail(fmt::format("the variable '{}' is defined twice", name));
    lexer.expect(":");
    TensorInfo info = parseType();
    const Variable *layout = nullptr;
    if (lexer.takeWord("like"))
      layout = &parseLayout(info);
    std::optional<std::int64_t> ipu;
    if (lexer.takeWord("ipu")) {
      lexer.expect("=");
      ipu = lexer.integer("a number");
    }
    std::int64_t remoteRows = 0;
    if (lexer.takeWord("remote-rows")) {
      lexer.expect("=");
      remoteRows = lexer.integer("a number");
      if (remoteRows < 1 || info.numElements() % remoteRows != 0)
        lexer.fail(fmt::format("the variable '{}' cannot be divided into {} "
                               "rows",
                               name, remoteRows));
    }
    const bool viaIoTiles = lexer.takeWord("via-io-tiles");
    lexer.expect("=");
    std::shared_ptr<const HostTensor> initial;
    if (!lexer.takeWord("zeros"))
      initial = parseElements(info);
    Variable &variable =
        module->addVariable(name, std::move(info), std::move(initial));
    variable.layout = layout;
    variable.ipu = ipu;
    variable.remoteRows = remoteRows;
    variable.viaIoTiles = viaIoTiles;
  }

  const Variable &parseLayout(const TensorInfo &info) {
    lexer.expect("@");
    const std::string name = lexer.name("the name of a variable");
    const Variable *variable = module->findVariable(name);
    if (!variable || variable->info.shape != info.shape)
      lexer.fail(
          fmt::format("there is no variable '{}' of this shape before", name));
    return *variable;
  }

  void parseProgram() {
    EntryProgram program;
    program.name = lexer.name("the name of a program");
    lexer.expect("=");
    program.graph = parseGraphName();
    module->programs.push_back(std::move(program));
  }

  Graph *parseGraphName() {
    lexer.expect("@");
    const std::string name = lexer.name("the name of a graph");
    Graph *graph = module->findGraph(name);
    if (!graph)
      lexer.fail(fmt::format("there is no graph '{}' before", name));
    return graph;
  }

  void resolve(Op &op, const std::vector<std::string> &names) {
    std::vector<Graph *> graphs;
    for (const std::string &name : names) {
      graphs.push_back(module->findGraph(name));
      if (!graphs.back())
        op.failInput(fmt::format("there is no graph '{}' to call", name));
    }
    op.setCallees(std::move(graphs));
  }

  // ---- Graphs ---------------------------------------------------------------

  void parseGraph() {
    const std::string name = lexer.name("the name of a graph");
    if (module->findGraph(name))
      lexer.fail(fmt::format("the graph '{}' is defined twice", name));
    Graph &graph = module->addGraph(name);
    parseSignature(graph);
    parseInside(graph);
  }

  void parseSignature(Graph &graph) {
    lexer.expect("(");
    for (bool isFirst = true; !lexer.take(")"); isFirst = false) {
      if (!isFirst)
        lexer.expect(",");
      const std::string name = parseNewName(graph);
      lexer.expect(":");
      graph.addArgument(name, parseType());
    }
  }

  void parseInside(Graph &graph) {
    lexer.expect("{");
    std::unordered_map<std::int64_t, Op *> labels;
    while (!lexer.take("}")) {
      if (lexer.takeWord("return"))
        parseReturn(graph);
      else
        parseLine(graph, labels);
    }
  }

  void parseReturn(Graph &graph) {
    std::string name = lexer.name("the name of a result");
    lexer.expect("=");
    Value &value = *parseOperand(graph);
    lexer.expect(":");
    if (parseType() != value.info)
      lexer.fail(fmt::format("'{}' is of another type", value.name));
    graph.addResult(std::move(name), value);
  }

  std::string parseNewName(const Graph &graph) {
    lexer.expect("%");
    std::string name = lexer.name("the name of a value");
    if (graph.findValue(name))
      lexer.fail(fmt::format("'%{}' is defined twice", name));
    return name;
  }

  Value *parseOperand(const Graph &graph) {
    lexer.expect("%");
    const std::string name = lexer.name("the name of a value");
    Value *value = graph.findValue(name);
    if (!value)
      lexer.fail(fmt::format("'%{}' is not defined before", name));
    return value;
  }

  // ---- Lines of a graph -----------------------------------------------------

  /// A result in front of '='; the name of an omitted result is empty.
  struct NewValue {
    std::string name;
    TensorInfo info;
  };

  void parseLine(Graph &graph, std::unordered_map<std::int64_t, Op *> &labels) {
    std::optional<std::int64_t> label;
    if (lexer.take("^"))
      label = lexer.integer("a label's number");
    std::vector<NewValue> results;
    if (lexer.peek() == '%' || lexer.peek() == '_')
      results = parseResults(graph);
    if (!results.empty() && lexer.takeWord("constant"))
      return addConstant(graph, results);
    if (!results.empty() && lexer.takeWord("variable"))
      return addVariableValue(graph, results);
    Op &op = parseOp(graph, results, labels);
    if (label && !labels.emplace(*label, &op).second)
      lexer.fail(fmt::format("the label ^{} stands twice", *label));
  }

  std::vector<NewValue> parseResults(const Graph &graph) {
    std::vector<NewValue> results;
    do {
      if (lexer.takeWord("_")) {
        results.emplace_back();
        continue;
      }
      NewValue result{parseNewName(graph), {}};
      for (const NewValue &other : results)
        if (other.name == result.name)
          lexer.fail(fmt::format("'%{}' is defined twice", result.name));
      lexer.expect(":");
      result.info = parseType();
      results.push_back(std::move(result));
    } while (lexer.take(","));
    lexer.expect("=");
    return results;
  }

  const NewValue &only(const std::vector<NewValue> &results) const {
    if (results.size() != 1 || results[0].name.empty())
      lexer.fail("it has one name");
    return results[0];
  }

  void addConstant(Graph &graph, const std::vector<NewValue> &results) {
    const NewValue &result = only(results);
    graph.addConstant(result.name, parseElements(result.info));
  }

  void addVariableValue(Graph &graph, const std::vector<NewValue> &results) {
    const NewValue &result = only(results);
    lexer.expect("@");
    const std::string name = lexer.name("the name of a variable");
    Variable *variable = module->findVariable(name);
    if (!variable)
      lexer.fail(fmt::format("there is no variable '{}' before", name));
    if (variable->info != result.info)
      lexer.fail(fmt::format("the variable '{}' is of another type", name));
    Value &value = graph.useVariable(*variable);
    if (graph.findValue(result.name) && value.name != result.name)
      lexer.fail(fmt::format("'%{}' is defined twice", result.name));
    graph.rename(value, result.name);
  }

  Op &parseOp(Graph &graph, const std::vector<NewValue> &results,
              const std::unordered_map<std::int64_t, Op *> &labels) {
    OpSpec spec;
    spec.id = parseId();
    std::vector<std::string> callees;
    while (lexer.take("@"))
      callees.push_back(lexer.name("the name of a graph"));
    std::vector<Value *> inputs = parseOperands(graph);
    parseAttributes(spec.attributes);
    if (lexer.peek() == '"')
      spec.name = lexer.quotedString();
    spec.numInputs = inputs.size();
    spec.numOutputs = results.size();
    Suffix suffix = parseSuffix(labels);
    spec.placement = suffix.placement;
    std::unique_ptr<Op> made = make(std::move(spec));
    made->setInPlace(suffix.inPlace);
    while (lexer.takeWord("with"))
      made->addBody(parseBody());
    std::vector<Value *> outputs;
    for (const NewValue &result : results)
      outputs.push_back(result.name.empty()
                            ? nullptr
                            : &graph.addValue(result.name, result.info));
    Op &op =
        graph.addOp(std::move(made), std::move(inputs), std::move(outputs));
    for (Op *earlier : suffix.after)
      graph.addOrder(*earlier, op);
    if (!callees.empty())
      calls.emplace_back(&op, std::move(callees));
    return op;
  }

  std::unique_ptr<Op> make(OpSpec spec) const {
    try {
      return createOp(std::move(spec));
    } catch (const Error &error) {
      lexer.fail(error.what());
    }
  }

  /// "ai.graphcore.Call-1": what is before the last point is the domain.
  OperatorId parseId() {
    const std::string_view text = lexer.word("an operator, such as Relu-14");
    const std::size_t dash = text.rfind('-');
    OperatorId id;
    const std::string_view digits =
        text.substr(std::min(dash, text.size() - 1) + 1);
    const auto parsed = std::from_chars(
        digits.data(), digits.data() + digits.size(), id.version);
    if (dash == std::string_view::npos || digits.empty() ||
        parsed.ptr != digits.data() + digits.size())
      lexer.fail(fmt::format("'{}' is not an operator with its version, such "
                             "as Relu-14",
                             text));
    const std::string_view full = text.substr(0, dash);
    const std::size_t point = full.rfind('.');
    if (point != std::string_view::npos)
      id.domain = full.substr(0, point);
    id.type = full.substr(point + 1); // npos + 1 is 0
    return id;
  }

  std::vector<Value *> parseOperands(const Graph &graph) {
    std::vector<Value *> operands;
    lexer.expect("(");
    for (bool isFirst = true; !lexer.take(")"); isFirst = false) {
      if (!isFirst)
        lexer.expect(",");
      operands.push_back(lexer.takeWord("_") ? nullptr : parseOperand(graph));
    }
    return operands;
  }

  /// The rest of an operator's line, behind attributes and name.
  struct Suffix {
    Placement placement;
    std::optional<std::size_t> inPlace;
    std::vector<Op *> after;
  };

  Suffix parseSuffix(const std::unordered_map<std::int64_t, Op *> &labels) {
    Suffix suffix;
    auto number = [&](const char *key) -> std::optional<std::int64_t> {
      if (!lexer.takeWord(key))
        return std::nullopt;
      lexer.expect("=");
      const std::int64_t value = lexer.integer("a number");
      if (value < 0)
        lexer.fail(fmt::format("{} is negative", key));
      return value;
    };
    for (;;) {
      if (auto ipu = number("ipu"))
        suffix.placement.ipu = ipu;
      else if (auto stage = number("stage"))
        suffix.placement.stage = stage;
      else if (auto phase = number("phase"))
        suffix.placement.phase = phase;
      else if (auto operand = number("inplace"))
        suffix.inPlace = static_cast<std::size_t>(*operand);
      else if (lexer.takeWord("io-tiles"))
        suffix.placement.ioTiles = true;
      else if (auto again = number("recompute"))
        suffix.placement.recompute = *again != 0;
      else if (lexer.takeWord("recomputed"))
        suffix.placement.recomputed = true;
      else if (lexer.takeWord("after"))
        suffix.after.push_back(parseLabel(labels));
      else
        return suffix;
    }
  }

  Op *parseLabel(const std::unordered_map<std::int64_t, Op *> &labels) {
    lexer.expect("=");
    lexer.expect("^");
    const std::int64_t label = lexer.integer("a label's number");
    const auto found = labels.find(label);
    if (found == labels.end())
      lexer.fail(fmt::format("the label ^{} does not stand before", label));
    return found->second;
  }

  std::unique_ptr<Graph> parseBody() {
    if (++depth > DeepestBody)
      lexer.fail("bodies are too deep");
    auto body = std::make_unique<Graph>(*module, "body");
    parseSignature(*body);
    parseInside(*body);
    --depth;
    return body;
  }

  // ---- Attributes -----------------------------------------------------------

  void parseAttributes(Attributes &attributes) {
    lexer.expect("{");
    for (bool isFirst = true; !lexer.take("}"); isFirst = false) {
      if (!isFirst)
        lexer.expect(",");
      std::string name = lexer.name("the name of an attribute");
      lexer.expect("=");
      attributes.set(std::move(name), parseAttribute());
    }
  }

  AttributeValue parseAttribute() {
    if (lexer.peek() == '"')
      return lexer.quotedString();
    if (lexer.takeWord("tensor"))
      return parseElements(parseType());
    if (lexer.takeWord("ints"))
      return emptyList<std::int64_t>();
    if (lexer.takeWord("floats"))
      return emptyList<float>();
    if (lexer.takeWord("strings"))
      return emptyList<std::string>();
    if (lexer.take("["))
      return parseList();
    return parseNumber();
  }

  template <class T> std::vector<T> emptyList() {
    lexer.expect("[");
    lexer.expect("]");
    return {};
  }

  /// An integer, or a float where there is a point, an exponent, or a name.
  std::variant<std::int64_t, float> parseAnyNumber() {
    const std::string_view text = numberText();
    const char *begin = text.data(), *end = begin + text.size();
    std::int64_t integer = 0;
    if (const auto parsed = std::from_chars(begin, end, integer);
        parsed.ec == std::errc() && parsed.ptr == end)
      return integer;
    return toNumber<float>(text);
  }

  AttributeValue parseNumber() {
    return std::visit([](auto value) { return AttributeValue(value); },
                      parseAnyNumber());
  }

  AttributeValue parseList() {
    std::vector<std::int64_t> ints;
    std::vector<float> floats;
    std::vector<std::string> strings;
    do {
      if (lexer.peek() == '"') {
        strings.push_back(lexer.quotedString());
        continue;
      }
      const auto number = parseAnyNumber();
      if (const auto *value = std::get_if<std::int64_t>(&number))
        ints.push_back(*value);
      else
        floats.push_back(std::get<float>(number));
    } while (lexer.take(","));
    if (!ints.empty() + !floats.empty() + !strings.empty() != 1)
      lexer.fail("the elements of a list are of one type");
    lexer.expect("]");
    if (!ints.empty())
      return ints;
    if (!floats.empty())
      return floats;
    return strings;
  }

  // ---- Types and elements ---------------------------------------------------

  TensorInfo parseType() {
    const std::string_view name = lexer.word("a type, such as float 2x3");
    TensorInfo info;
    const std::optional<DataType> type = dataTypeOf(name);
    if (!type)
      lexer.fail(fmt::format("there is no type '{}'", name));
    info.type = *type;
    if (!lexer.takeWord("scalar"))
      info.shape = parseShape();
    const auto count = checkedNumElements(info.shape, sizeOf(info.type));
    if (!count || *count > MostElements)
      lexer.fail(fmt::format("a tensor has at most {} elements", MostElements));
    return info;
  }

  Shape parseShape() {
    std::string_view text = lexer.word("a shape, such as 2x3");
    Shape shape;
    for (;;) {
      const std::string_view digits = text.substr(0, text.find('x'));
      std::int64_t extent = 0;
      const auto parsed =
          std::from_chars(digits.data(), digits.data() + digits.size(), extent);
      if (parsed.ec != std::errc() || extent < 0 ||
          parsed.ptr != digits.data() + digits.size())
        lexer.fail("expected a shape, such as 2x3, or 'scalar'");
      shape.push_back(extent);
      if (digits.size() == text.size())
        return shape;
      text.remove_prefix(digits.size() + 1);
    }
  }

  std::shared_ptr<const HostTensor> parseElements(const TensorInfo &info) {
    if (lexer.takeWord("elided"))
      lexer.fail("the elements were left out when this was printed");
    if (lexer.takeWord("base64"))
      return parseBytes(info);
    lexer.expect("[");
    // The list is read before memory is asked for, whatever the type says.
    std::vector<std::string_view> texts;
    for (bool isFirst = true; !lexer.take("]"); isFirst = false) {
      if (!isFirst)
        lexer.expect(",");
      texts.push_back(numberText());
    }
    if (static_cast<std::int64_t>(texts.size()) != info.numElements())
      lexer.fail(fmt::format("there are {} elements for {}", texts.size(),
                             toString(info)));
    HostTensor tensor(info);
    withElementType(info.type, [&](auto sample) {
      auto elements = tensor.as<decltype(sample)>();
      for (std::size_t i = 0; i != texts.size(); ++i)
        elements[i] = toElement<decltype(sample)>(texts[i]);
    });
    return std::make_shared<const HostTensor>(std::move(tensor));
  }

  std::shared_ptr<const HostTensor> parseBytes(const TensorInfo &info) {
    auto bytes = fromBase64(lexer.quotedString());
    if (!bytes ||
        bytes->size() !=
            static_cast<std::size_t>(info.numElements()) * sizeOf(info.type))
      lexer.fail(fmt::format("this is not the base64 of {}", toString(info)));
    return std::make_shared<const HostTensor>(info, std::move(*bytes));
  }

  /// Digits with sign, point and exponent, or a word such as "inf" or "true".
  std::string_view numberText() {
    const std::string_view text = lexer.word("a number");
    // "1e+20": the plus is not part of words.
    if (text.back() != 'e' || !lexer.take("+"))
      return text;
    const std::string_view digits = lexer.word("an exponent");
    return {text.data(), static_cast<std::size_t>(digits.data() +
                                                  digits.size() - text.data())};
  }

  template <class T> T toNumber(std::string_view text) const {
    T value{};
    const auto parsed =
        std::from_chars(text.data(), text.data() + text.size(), value);
    if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size())
      lexer.fail(fmt::format("'{}' is not a number that fits here", text));
    return value;
  }

  template <class T> T toElement(std::string_view text) const {
    if constexpr (std::is_same_v<T, bool>) {
      if (text != "true" && text != "false")
        lexer.fail(fmt::format("'{}' is neither true nor false", text));
      return text == "true";
    } else if constexpr (std::is_same_v<T, double>) {
      return toNumber<double>(text);
    } else if constexpr (isFloatElement<T>) {
      return T(toNumber<float>(text));
    } else if constexpr (std::is_integral_v<T>) {
      return toNumber<T>(text);
    } else {
      const auto wide = toNumber<std::int16_t>(text);
      const T value(wide);
      if (static_cast<int>(value) != wide)
        lexer.fail(fmt::format("'{}' is not a number that fits here", text));
      return value;
    }
  }

  Lexer lexer;
  std::unique_ptr<Module> module = std::make_unique<Module>();
  std::vector<std::pair<Op *, std::vector<std::string>>> calls;
  unsigned depth = 0;
};

} // namespace

std::unique_ptr<Module> parseModule(std::string_view text,
                                    const std::string &file) {
  return Parser(text, file).run();
}

} // namespace populus::popir
