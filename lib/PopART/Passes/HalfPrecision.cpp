// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// --precision fp16: float tensors become float16, also the inputs and the
// results. It is not one of the patterns, for it changes what is computed. It
// runs after them, so that folding is done in float32. A model that is to be
// trained is converted before it is differentiated: its variables stay float32,
// and operators read them as float16, so gradients come back as float32.
//
// The beginning of a deep convolutional network stays in float32: what is
// rounded there goes through all the layers that follow, each of which may
// enlarge the error, while what is rounded in the last layers is hardly
// noticed (docs/performance.md has the figures). So do indices and coordinates,
// which halves hold only up to 2048.

#include "lib/PopART/IR/Float16.h"
#include "lib/PopART/IR/Op.h"
#include "lib/PopART/IR/OpTable.h"
#include "lib/PopART/Ops/BatchNormalization.h"
#include "lib/PopART/Passes/Passes.h"
#include "lib/PopART/Support/Log.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace populus::popir {

namespace {

/// Constants such as scales of a Resize are for the compiler only.
bool isReadOnHost(const Value &value) {
  return !value.uses().empty() &&
         std::ranges::all_of(value.uses(), [](const Use &use) {
           return use.user->readsOnHost(use.operand);
         });
}

/// What is too large becomes the largest number: masks of attention are -1e9
/// and the like, or minus infinity. The IPU's halves know no infinity, its sums
/// with one are NaN; half the largest number leaves room for what a mask is
/// added to.
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

bool isConvolution(const Op *op) { return op->id().type == "Conv"; }

/// The convolution that follows the first \p count ones, the first operator if
/// these are none; null where there is no such convolution.
Op *convolutionAfter(const Graph &graph, std::size_t count) {
  if (count == 0)
    return graph.ops().front();
  for (Op *op : graph.ops())
    if (isConvolution(op) && count-- == 0)
      return op;
  return nullptr;
}

/// Statistics of a batch are sums over very many elements.
bool sumsBatch(const Op &op) {
  const auto *norm = dynamic_cast<const BatchNormalization *>(&op);
  return norm && norm->isTraining();
}

/// The operators that stay float32: those before \p first, those that compute
/// what others read as integers or coordinates, back to products of matrices,
/// those that sum over a batch, and those that call graphs. In halves integers
/// above 2048 are not exact.
std::set<const Op *> floatOps(const Graph &graph, const Op *first) {
  std::set<const Op *> result;
  std::vector<const Op *> work;
  const auto visit = [&](const Value *tensor) {
    if (!tensor || tensor->info.type != DataType::Float || !tensor->producer())
      return;
    if (tensor->producer()->codeValue() < 1 &&
        result.insert(tensor->producer()).second)
      work.push_back(tensor->producer());
  };
  for (const Op *op : graph.ops())
    for (std::size_t i = 0; i != op->inputs().size(); ++i)
      if (op->needsFloat32(i))
        visit(op->inputs()[i]);
  while (!work.empty()) {
    const Op *op = work.back();
    work.pop_back();
    std::ranges::for_each(op->inputs(), visit);
  }
  for (const Op *op : graph.ops()) {
    if (op == first)
      break;
    result.insert(op);
  }
  for (const Op *op : graph.ops())
    if (sumsBatch(*op) || !op->callees().empty())
      result.insert(op);
  return result;
}

/// Tells the operators that read a tensor as float32 from the others, and gives
/// each kind its own copy.
class Separation {
public:
  /// `first` is the first operator in float16, or null.
  Separation(Graph &graph, Op *first)
      : graph(graph), first(first), ops(floatOps(graph, first)) {}

  /// Returns the tensors that stay float32.
  std::set<const Value *> run() {
    for (const Op *op : graph.ops())
      for (const auto *list : {&op->inputs(), &op->outputs()})
        for (Value *tensor : *list)
          add(tensor);
    for (Value *tensor : tensors) {
      const bool isFloat = inFloat.count(tensor) != 0;
      const std::vector<Reader> others = readersOf(*tensor, !isFloat);
      if (!others.empty())
        convertFor(*tensor, others,
                   isFloat ? DataType::Float16 : DataType::Float);
    }
    return inFloat;
  }

private:
  struct Reader {
    Op *op;
    std::size_t index;
  };

  bool readsFloat(const Op &op, std::size_t index) const {
    return ops.count(&op) != 0 || op.needsFloat32(index);
  }

  /// The readers on the device, of one kind.
  std::vector<Reader> readersOf(const Value &tensor, bool ofFloat) const {
    std::vector<Reader> readers;
    for (const Use &use : tensor.uses())
      if (!use.user->readsOnHost(use.operand) &&
          readsFloat(*use.user, use.operand) == ofFloat)
        readers.push_back({use.user, use.operand});
    return readers;
  }

  /// What is computed has the type of who computes it; inputs and weights are
  /// float32 where one reader wants that.
  void add(Value *tensor) {
    if (!tensor || tensor->info.type != DataType::Float ||
        !known.insert(tensor).second)
      return;
    const bool isFloat =
        tensor->producer()
            ? ops.count(tensor->producer()) != 0
            : tensor->variable() || !readersOf(*tensor, true).empty();
    if (isFloat)
      inFloat.insert(tensor);
    if (isFloat || !readersOf(*tensor, true).empty())
      tensors.push_back(tensor);
  }

  /// Before which operator the tensor can be converted: after who computes it,
  /// but not among the first operators.
  Op *placeAfter(const Value &tensor) const {
    const Op *producer = tensor.producer();
    if (!producer || (first && producer->isBefore(*first)) || !first)
      return first;
    return OpList::after(*producer);
  }

  void convertFor(Value &tensor, const std::vector<Reader> &readers,
                  DataType type) {
    const std::string name =
        graph.uniqueName(fmt::format("{}/{}", tensor.name, popir::name(type)));
    Value *copy;
    if (tensor.isConstant()) {
      copy = &graph.addConstant(name, toHalf(*tensor.constant(), tensor.name));
    } else {
      copy = &graph.addValue(name, {type, tensor.info.shape});
      OpSpec cast{newestOf("", "Cast"), name, {}, 1, 1};
      cast.attributes.set("to", std::int64_t(toOnnx(type)));
      graph.addOp(createOp(std::move(cast)), {&tensor}, {copy},
                  placeAfter(tensor));
    }
    if (type == DataType::Float)
      inFloat.insert(copy);
    for (const Reader &reader : readers)
      graph.setInput(*reader.op, reader.index, copy);
  }

  Graph &graph;
  Op *first;
  std::set<const Op *> ops;
  std::set<const Value *> known, inFloat;
  std::vector<Value *> tensors; // to look at, in the order of the graph
};

} // namespace

static std::size_t convertGraph(Graph &graph,
                                std::optional<std::size_t> floatConvolutions) {
  const auto convolutions = static_cast<std::size_t>(
      std::ranges::count_if(graph.ops(), isConvolution));
  const std::set<const Value *> inFloat =
      Separation(graph, convolutionAfter(graph, floatConvolutions.value_or(
                                                    convolutions / 3)))
          .run();
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

/// A float32 result that became float16 though the operator computes float32
/// whatever it reads, as statistics are: who reads it gets a conversion.
static void convertResult(Graph &graph, Op &op, Value &result) {
  result.info.type = DataType::Float;
  Value &half = graph.addValue(graph.uniqueName(result.name + "/float16"),
                               {DataType::Float16, result.info.shape});
  graph.replaceUses(result, half);
  OpSpec cast{newestOf("", "Cast"), half.name, {}, 1, 1};
  cast.attributes.set("to", std::int64_t(toOnnx(DataType::Float16)));
  graph.addOp(createOp(std::move(cast)), {&result}, {&half}, OpList::after(op));
}

/// Lets operators whose attributes say what they compute agree with the types
/// that their results have now.
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

/// Graphs that others call, which stay as they are.
static std::set<const Graph *> calledGraphs(const Module &module) {
  std::set<const Graph *> called;
  for (const Graph &graph : module.graphs())
    for (const Graph *callee : graph.callees())
      called.insert(callee);
  return called;
}

std::size_t convertToHalf(Module &module, const PassOptions &options) {
  std::size_t changes = 0;
  const std::set<const Graph *> called = calledGraphs(module);
  for (Graph &graph : module.graphs()) {
    if (called.contains(&graph))
      continue;
    changes += convertGraph(graph, options.floatConvolutions);
    convertResults(graph);
  }
  return changes;
}

} // namespace populus::popir
