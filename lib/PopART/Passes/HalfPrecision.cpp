// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// --precision fp16: converts float tensors to float16, including inputs and
// results. It is no pattern, because it changes numerical results. It runs
// after the patterns, so that constants are folded in float32. A model to train
// is converted before differentiation: variables stay float32 and operators
// read them as float16, so the gradients of variables are float32.
//
// FloatParts selects what stays float32. All graphs are converted; arguments
// and results of a callee are float16 unless FloatParts keeps them, and all
// call sites are adapted.

#include "lib/PopART/IR/Float16.h"
#include "lib/PopART/IR/Op.h"
#include "lib/PopART/IR/OpTable.h"
#include "lib/PopART/Passes/FloatParts.h"
#include "lib/PopART/Passes/Passes.h"
#include "lib/PopART/Support/Log.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace populus::popir {

namespace {

/// True for constants that only the compiler reads, such as scales of a Resize.
bool isReadOnHost(const Value &value) {
  return !value.uses().empty() &&
         std::ranges::all_of(value.uses(), [](const Use &use) {
           return use.user->readsOnHost(use.operand);
         });
}

/// Clamps values beyond float16 to its largest number, and infinities to half
/// of it. Example: attention masks of -1e9 or -inf. Sums with an infinity are
/// NaN on the IPU; half the largest number leaves room for the scores that the
/// mask is added to.
HostTensor toHalf(const HostTensor &value, const std::string &name) {
  constexpr float Largest = Float16::Largest, Infinity = Largest / 2;
  HostTensor result({DataType::Float16, value.shape()});
  std::size_t clamped = 0;
  std::ranges::transform(
      value.as<float>(), result.as<Float16>().begin(), [&](float x) -> Float16 {
        if (std::abs(x) <= Largest || std::isnan(x))
          return x;
        ++clamped;
        return std::copysign(std::isinf(x) ? Infinity : Largest, x);
      });
  if (clamped != 0)
    logging::log(logging::Module::transform, logging::Level::Warn,
                 "{} elements of '{}' are too large for float16 and become "
                 "{}, infinities {}",
                 clamped, name, Largest, Infinity);
  return result;
}

/// Separates readers of a value that need float32 from the others, and gives
/// each group its own copy.
class Separation {
public:
  Separation(Graph &graph, const FloatParts &parts)
      : graph(graph), parts(parts), first(parts.firstHalf(graph)) {}

  /// Returns the values that stay float32.
  std::set<const Value *> run() {
    std::ranges::for_each(graph.arguments(), [&](Value *value) { add(value); });
    for (const Op *op : graph.ops())
      for (const auto *list : {&op->inputs(), &op->outputs()})
        for (Value *value : *list)
          add(value);
    for (const GraphResult &result : graph.results())
      add(result.value);
    for (Value *value : values) {
      const bool isFloat = inFloat.count(value) != 0;
      const std::vector<Reader> others = readersOf(*value, !isFloat);
      if (!others.empty())
        convertFor(*value, others,
                   isFloat ? DataType::Float16 : DataType::Float);
    }
    return inFloat;
  }

private:
  /// An operand of an operator; without an operator, a result of the graph.
  struct Reader {
    Op *op;
    std::size_t index;
  };

  /// The device's readers of one group. Results for the host are no readers:
  /// they keep the type that they are computed in.
  std::vector<Reader> readersOf(const Value &value, bool ofFloat) const {
    std::vector<Reader> readers;
    for (const Use &use : value.uses())
      if (!use.user->readsOnHost(use.operand) &&
          parts.readsFloat(*use.user, use.operand) == ofFloat)
        readers.push_back({use.user, use.operand});
    if (value.isGraphResult() && parts.isCalled(graph))
      for (std::size_t i = 0; i != graph.results().size(); ++i)
        if (graph.results()[i].value == &value &&
            parts.returnsFloat(graph, i) == ofFloat)
          readers.push_back({nullptr, i});
    return readers;
  }

  /// A result has the type of its operator, an argument of a callee that of
  /// FloatParts. Variables are float32, and so are inputs and constants that a
  /// reader needs as float32.
  bool isInFloat(const Value &value) const {
    if (value.producer())
      return parts.isFloatResult(value);
    if (value.isArgument() && parts.isCalled(graph))
      return parts.isFloatArgument(value);
    return value.variable() || !readersOf(value, true).empty();
  }

  void add(Value *value) {
    if (!value || value->info.type != DataType::Float ||
        !known.insert(value).second)
      return;
    const bool isFloat = isInFloat(*value);
    if (isFloat)
      inFloat.insert(value);
    if (isFloat || !readersOf(*value, true).empty())
      values.push_back(value);
  }

  /// The insertion point of a conversion: behind the producer, and behind the
  /// float32 operators at the beginning unless one of them reads the copy.
  Op *placeFor(const Value &value, const std::vector<Reader> &readers) const {
    const Op *producer = value.producer();
    Op *next = producer ? OpList::after(*producer) : graph.ops().front();
    const bool isEarly =
        !first || std::ranges::any_of(readers, [&](const Reader &reader) {
          return reader.op && reader.op->isBefore(*first);
        });
    return !isEarly && next && next->isBefore(*first) ? first : next;
  }

  void convertFor(Value &value, const std::vector<Reader> &readers,
                  DataType type) {
    const std::string name =
        graph.uniqueName(fmt::format("{}/{}", value.name, popir::name(type)));
    Value *copy;
    if (value.isConstant()) {
      copy = &graph.addConstant(name, toHalf(*value.constant(), value.name));
    } else {
      copy = &graph.addValue(name, {type, value.info.shape});
      OpSpec cast{newestOf("", "Cast"), name, {}, 1, 1};
      cast.attributes.set("to", std::int64_t(toOnnx(type)));
      graph.addOp(createOp(std::move(cast)), {&value}, {copy},
                  placeFor(value, readers));
    }
    if (type == DataType::Float)
      inFloat.insert(copy);
    for (const Reader &reader : readers)
      if (reader.op)
        graph.setInput(*reader.op, reader.index, copy);
      else
        graph.setResult(reader.index, *copy);
  }

  Graph &graph;
  const FloatParts &parts;
  /// The first operator in float16, or null.
  Op *const first;
  std::set<const Value *> known, inFloat;
  std::vector<Value *> values; // to look at, in the order of the graph
};

} // namespace

static std::size_t convertGraph(Graph &graph, const FloatParts &parts) {
  const std::set<const Value *> inFloat = Separation(graph, parts).run();
  std::size_t changes = 0;
  for (Value &value : graph.values()) {
    if (value.info.type != DataType::Float || inFloat.contains(&value) ||
        (value.isConstant() && isReadOnHost(value)))
      continue;
    ++changes;
    if (value.isConstant())
      graph.makeConstant(value, std::make_shared<const HostTensor>(
                                    toHalf(*value.constant(), value.name)));
    else
      value.info.type = DataType::Float16;
  }
  return changes;
}

/// Some operators always return float32, such as statistics. Restores the type
/// of such a result and adds a Cast for its readers.
static void convertResult(Graph &graph, Op &op, Value &result) {
  result.info.type = DataType::Float;
  Value &half = graph.addValue(graph.uniqueName(result.name + "/float16"),
                               {DataType::Float16, result.info.shape});
  graph.replaceUses(result, half);
  OpSpec cast{newestOf("", "Cast"), half.name, {}, 1, 1};
  cast.attributes.set("to", std::int64_t(toOnnx(DataType::Float16)));
  graph.addOp(createOp(std::move(cast)), {&result}, {&half}, OpList::after(op));
}

/// Makes operators agree with the new types of their results: sets the type of
/// a Cast, and casts results that have to be float32.
static void convertResults(Graph &graph) {
  std::vector<Op *> ops;
  for (Op *op : graph.ops())
    ops.push_back(op);
  for (Op *op : ops) {
    const std::vector<TensorInfo> infos = op->infer();
    for (std::size_t i = 0; i != op->outputs().size(); ++i) {
      if (!op->hasOutput(i) || infos[i].type != DataType::Float ||
          op->output(i).info.type != DataType::Float16)
        continue;
      if (op->id().type == "Cast")
        op->setAttribute("to", std::int64_t(toOnnx(DataType::Float16)));
      else
        convertResult(graph, *op, *op->outputs()[i]);
    }
  }
}

std::size_t convertToHalf(Module &module, const PassOptions &options) {
  const FloatParts parts(module, options.floatConvolutions);
  std::size_t changes = 0;
  for (Graph &graph : module.graphs())
    changes += convertGraph(graph, parts);
  // A call's result types are known only after its callee is converted.
  for (Graph &graph : module.graphs())
    convertResults(graph);
  return changes;
}

} // namespace populus::popir
