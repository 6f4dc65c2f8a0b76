// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses weights by the readers of an initializer, by its name, and by its
// elements.

#include "lib/PopART/Import/TrainedWeights.h"

#include "lib/PopART/Import/NamePattern.h"
#include "lib/PopART/Import/TensorData.h"
#include "lib/PopART/Support/Error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <regex>
#include <unordered_map>

namespace populus::popir {

namespace {

/// Operands of an operator that are weights if they are initializers.
struct WeightPlaces {
  std::string_view domain, type;
  int first, last;
};

constexpr int Any = 1 << 20;
constexpr std::string_view Graphcore = "ai.graphcore";

constexpr std::array<WeightPlaces, 22> Places = {{
    {"", "MatMul", 0, 1},
    {"", "Gemm", 0, 2},
    {"", "Einsum", 0, Any},
    {"", "Conv", 1, 2},
    {"", "ConvTranspose", 1, 2},
    {Graphcore, "MultiConv", 0, Any},
    {"", "LSTM", 1, 3},
    {"", "LSTM", 7, 7},
    {"", "GRU", 1, 3},
    {"", "RNN", 1, 3},
    {Graphcore, "LSTM", 1, 2},
    {"", "BatchNormalization", 1, 2},
    {Graphcore, "BatchNormalization", 1, 2},
    {"", "InstanceNormalization", 1, 2},
    {"", "GroupNormalization", 1, 2},
    {Graphcore, "GroupNormalization", 1, 2},
    {"", "LayerNormalization", 1, 2},
    {"", "RMSNormalization", 1, 1},
    {"", "Gather", 0, 0},
    {Graphcore, "GroupedGather", 0, 0},
    {"", "PRelu", 1, 1},
    {Graphcore, "AddBias", 1, 1},
}};

/// Operators that only rearrange the elements of their operand.
constexpr std::array<std::string_view, 11> Views = {
    "Identity", "Transpose", "Reshape", "Squeeze", "Unsqueeze", "Cast",
    "Flatten",  "Expand",    "Slice",   "Split",   "Concat"};

std::string domainOf(const onnx::NodeProto &node) {
  return node.domain() == "ai.onnx" ? "" : node.domain();
}

bool isStatistic(const onnx::NodeProto &node, int input) {
  return node.op_type() == "BatchNormalization" && (input == 3 || input == 4);
}

/// The readers of a model's tensors.
class Readers {
public:
  explicit Readers(const onnx::ModelProto &model) {
    for (const onnx::FunctionProto &function : model.functions()) {
      functions[{function.domain(), function.name()}] = &function;
      addNodes(function.node(), &function);
    }
    addNodes(model.graph().node(), nullptr);
  }

  /// Returns true if `predicate` (of a node and the number of its input) holds
  /// for a reader of the tensor or of a view of it.
  template <class Predicate>
  bool any(const std::string &tensor, const Predicate &predicate) const {
    return anyIn(nullptr, tensor, predicate, 0);
  }
  bool isRead(const std::string &tensor) const {
    return any(tensor, [](const onnx::NodeProto &, int) { return true; });
  }

private:
  using Scope = const onnx::FunctionProto *; // null: the graph
  struct Reader {
    const onnx::NodeProto *node;
    int input;
  };
  static constexpr int MostViews = 64;

  template <class Nodes> void addNodes(const Nodes &nodes, Scope scope) {
    for (const onnx::NodeProto &node : nodes) {
      for (int i = 0; i != node.input_size(); ++i)
        readers[scope][node.input(i)].push_back({&node, i});
      for (const onnx::AttributeProto &attribute : node.attribute()) {
        addNodes(attribute.g().node(), scope); // a body reads what is around it
        for (const onnx::GraphProto &graph : attribute.graphs())
          addNodes(graph.node(), scope);
      }
    }
  }

  template <class Predicate>
  bool anyIn(Scope scope, const std::string &tensor, const Predicate &predicate,
             int depth) const {
    const auto known = readers.find(scope);
    if (known == readers.end() || depth == MostViews)
      return false;
    const auto found = known->second.find(tensor);
    if (found == known->second.end())
      return false;
    return std::ranges::any_of(found->second, [&](const Reader &reader) {
      return holds(scope, reader, predicate, depth + 1);
    });
  }

  template <class Predicate>
  bool holds(Scope scope, const Reader &reader, const Predicate &predicate,
             int depth) const {
    const onnx::NodeProto &node = *reader.node;
    const auto called = functions.find({node.domain(), node.op_type()});
    if (called != functions.end())
      return reader.input < called->second->input_size() &&
             anyIn(called->second, called->second->input(reader.input),
                   predicate, depth);
    if (predicate(node, reader.input))
      return true;
    const bool isView = std::ranges::count(Views, node.op_type()) != 0 &&
                        (reader.input == 0 || node.op_type() == "Concat");
    return isView &&
           std::ranges::any_of(node.output(), [&](const std::string &output) {
             return anyIn(scope, output, predicate, depth);
           });
  }

  std::map<std::pair<std::string, std::string>, const onnx::FunctionProto *>
      functions;
  std::map<Scope, std::unordered_map<std::string, std::vector<Reader>>> readers;
};

/// True if exactly one extent is not 1.
bool isVector(const onnx::TensorProto &tensor) {
  return std::ranges::count_if(tensor.dims(),
                               [](auto extent) { return extent != 1; }) == 1;
}

bool isWeightOf(const onnx::NodeProto &node, int input, bool isVector) {
  if (node.op_type() == "Add")
    return isVector; // a bias
  const std::string domain = domainOf(node);
  return std::ranges::any_of(Places, [&](const WeightPlaces &places) {
    return places.domain == domain && places.type == node.op_type() &&
           places.first <= input && input <= places.last;
  });
}

/// True for names generated by exporters: PyTorch's older one (onnx::Add_12,
/// 215, /layer/Constant_output_0), its newer one (val_12, lifted_tensor_3, or
/// names of folded operators: mul_3, _to_copy), tf2onnx (Const_3:0,
/// const_fold_opt__12).
bool isMadeUp(const std::string &name) {
  static const std::regex form(
      R"re(onnx::\w+|\d+|(.*[/.:])?(const|Const|constant|Constant|const_fold_opt|zero_const))re"
      R"re(_*\d*(_output_\d+)?(:\d+)?|_?val_\d+|([cb]_)?lifted_tensor\w*|_tensor_constant\d+|)re"
      R"re((_to_copy|abs|add|arange|bitwise_\w+|cat|ceil|clone|convert_element_type|cos|cumsum|)re"
      R"re(div|eq|exp|expand|floor|full|full_like|ge|gt|le|linspace|log|logical_\w+|lt|)re"
      R"re(masked_fill|mul|ne|neg|new_full|new_ones|new_zeros|ones|ones_like|permute|pow|)re"
      R"re(reciprocal|repeat|reshape|rsqrt|rsub|scalar_tensor|select|sin|slice|sqrt|squeeze|)re"
      R"re(stack|sub|to|transpose|tril|triu|unsqueeze|view|where|zeros|zeros_like))re"
      R"re((_default)?(_\d+)?)re");
  return std::regex_match(name, form);
}

bool isFloatingPointTensor(const onnx::TensorProto &tensor) {
  const std::optional<DataType> type = fromOnnx(tensor.data_type());
  return type && isFloatingPoint(*type);
}

/// Attention masks are recognised by large elements, which no weight has.
bool hasMaskElements(const onnx::TensorProto &tensor) {
  constexpr double LargestWeight = 9999;
  return std::ranges::any_of(
      importTensor(tensor).toDoubles(),
      [](double element) { return std::abs(element) > LargestWeight; });
}

bool matches(const std::string &name,
             const std::vector<std::string> &patterns) {
  return std::ranges::any_of(patterns, [&](const std::string &pattern) {
    return matchesPattern(name, pattern);
  });
}

void checkPatterns(const onnx::ModelProto &model, const char *option,
                   const std::vector<std::string> &patterns) {
  for (const std::string &pattern : patterns)
    if (std::ranges::none_of(model.graph().initializer(),
                             [&](const onnx::TensorProto &tensor) {
                               return matches(tensor.name(), {pattern});
                             }))
      fail(ErrorKind::Usage, "{}: the model has no initializer '{}'", option,
           pattern);
}

/// Formats some of the names, and their number.
std::string list(const std::vector<std::string> &names) {
  constexpr std::size_t Most = 6;
  if (names.size() <= Most)
    return fmt::format("{}", fmt::join(names, ", "));
  return fmt::format("{}, … ({})",
                     fmt::join(names.begin(), names.begin() + Most, ", "),
                     names.size());
}

} // namespace

std::string WeightChoice::text() const {
  if (trained.empty())
    return "no initializer is trained (--train PATTERN)";
  if (frozen.empty())
    return fmt::format("trained: {}", list(trained));
  return fmt::format("trained: {}; constants, not trained: {} (--train and "
                     "--freeze PATTERN change that)",
                     list(trained), list(frozen));
}

WeightChoice chooseWeights(const onnx::ModelProto &model,
                           const WeightPatterns &patterns) {
  checkPatterns(model, "--train", patterns.trained);
  checkPatterns(model, "--freeze", patterns.frozen);
  const Readers readers(model);
  WeightChoice result;
  for (const onnx::TensorProto &tensor : model.graph().initializer()) {
    const std::string &name = tensor.name();
    if (!isFloatingPointTensor(tensor) || !readers.isRead(name))
      continue;
    if (matches(name, patterns.frozen)) {
      result.frozen.push_back(name);
      continue;
    }
    if (matches(name, patterns.trained)) {
      result.trained.push_back(name);
      continue;
    }
    if (readers.any(name, isStatistic))
      continue;
    const bool isOne = isVector(tensor);
    const bool isUsedAsWeight =
        readers.any(name, [&](const onnx::NodeProto &node, int input) {
          return isWeightOf(node, input, isOne);
        });
    const bool isWeight =
        tensor.dims_size() != 0 && (isUsedAsWeight || !isMadeUp(name));
    if (isWeight && hasMaskElements(tensor))
      result.masks.push_back(name);
    else if (isWeight) {
      result.trained.push_back(name);
      continue;
    }
    result.frozen.push_back(name);
  }
  return result;
}

} // namespace populus::popir
