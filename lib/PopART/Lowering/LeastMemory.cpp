// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Liveness over the order of operators: a value is live from its producer to
// the last reader of its memory. Views with all elements of a value extend its
// live range: shared or copied, so many bytes are needed. Example:
//   step    1: a = f(x)   2: b = g(a)   3: c = h(a, b)
//   bytes   a             a + b         max(a + b, c), if a and b die here
// The result is a lower bound of the program's memory, so unknown contributions
// count as zero:
// - Results that an operator does not own.
// - The smaller of an operator's dying operands and its results: it may consume
//   operands part by part, and reuse their memory.
// - Bodies of operators: fused ones keep nothing between their parts.

#include "lib/PopART/Lowering/LeastMemory.h"

#include "lib/PopART/IR/Op.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace populus::popir {

double deviceBytes(const TensorInfo &info) {
  return static_cast<double>(info.numElements()) *
         static_cast<double>(std::min<std::size_t>(sizeOf(info.type), 4));
}

namespace {

/// A value that owns its memory, live from step `begin` to `end`.
struct Object {
  const Value *value;
  double bytes;
  std::size_t begin, end;
};

/// Bytes that graphs need for their own values, memoised.
using LiveByGraph = std::unordered_map<const Graph *, double>;

class GraphMemory {
public:
  /// `ownsArguments`: the arguments are not in the memory of a caller.
  GraphMemory(const Graph &graph, bool ownsArguments, LiveByGraph &live)
      : graph(graph), live(live) {
    if (ownsArguments)
      for (const Value *argument : graph.arguments())
        add(*argument, 0);
    std::size_t step = 1;
    for (const Op *op : graph.ops())
      visit(*op, step++);
    for (const GraphResult &result : graph.results())
      if (Object *object = objectOf(*result.value))
        object->end = step;
  }

  LeastMemory find() {
    std::vector<double> begins(graph.ops().size() + 2), ends(begins.size());
    for (const Object &object : objects) {
      begins[object.begin] += object.bytes;
      ends[object.end] += object.bytes;
    }
    LeastMemory most;
    for (const Object &object : objects)
      most.largestTensor = std::max(most.largestTensor, object.bytes);
    double before = begins[0] - ends[0]; // live when the step begins
    std::size_t step = 1, fullest = 0;
    for (const Op *op : graph.ops()) {
      const double dying = ends[step];
      const double through = before - dying;
      const double results = begins[step] + calleesOf(*op);
      const double here = through + std::max(dying, results);
      if (here > most.live) {
        most.live = here;
        most.where = op;
        fullest = step;
      }
      before += begins[step] - ends[step];
      ++step;
    }
    findLargest(fullest, most);
    return most;
  }

private:
  void add(const Value &value, std::size_t step) {
    known.emplace(&value, objects.size());
    objects.push_back({&value, deviceBytes(value.info), step, step});
  }

  Object *objectOf(const Value &value) {
    const auto found = known.find(&value);
    return found == known.end() ? nullptr : &objects[found->second];
  }

  void visit(const Op &op, std::size_t step) {
    for (std::size_t i = 0; i != op.inputs().size(); ++i)
      if (op.hasInput(i))
        if (Object *object = objectOf(op.input(i)))
          object->end = step;
    if (!op.hasOutput(0))
      return;
    const Value &result = op.output();
    if (const Value *source = sourceOf(op)) {
      if (objectOf(*source))
        known.emplace(&result, known.at(source));
    } else if (op.ownsResult() && result.isUsed()) {
      add(result, step);
    }
  }

  /// The operand that the result aliases, or may be a copy of the same size of;
  /// null if there is none.
  static const Value *sourceOf(const Op &op) {
    const std::size_t operand = op.inPlace().value_or(0);
    if ((op.ownsResult() && !op.inPlace()) || !op.hasInput(operand))
      return nullptr;
    const Value &source = op.input(operand);
    return deviceBytes(source.info) == deviceBytes(op.output().info) ? &source
                                                                     : nullptr;
  }

  /// Bytes that the callees of an operator need for their own values.
  double calleesOf(const Op &op) {
    double most = 0;
    for (const Graph *callee : op.callees()) {
      auto found = live.find(callee);
      if (found == live.end()) {
        const double bytes = GraphMemory(*callee, false, live).find().live;
        found = live.emplace(callee, bytes).first;
      }
      most = std::max(most, found->second);
    }
    return most;
  }

  void findLargest(std::size_t step, LeastMemory &most) const {
    for (const Object &object : objects)
      if (object.begin <= step && object.end >= step &&
          object.bytes > most.largestLive) {
        most.largest = object.value;
        most.largestLive = object.bytes;
      }
  }

  const Graph &graph;
  LiveByGraph &live;
  std::vector<Object> objects;
  std::unordered_map<const Value *, std::size_t> known;
};

} // namespace

LeastMemory leastMemory(const Module &module) {
  LiveByGraph live;
  LeastMemory result = GraphMemory(module.main(), true, live).find();
  std::unordered_set<const Variable *> variables;
  for (const Value &value : module.main().values())
    if ((value.isConstant() && value.isUsed()) ||
        (value.variable() && !value.variable()->isOffChip() && value.isUsed() &&
         variables.insert(value.variable()).second))
      result.weights += deviceBytes(value.info);
  return result;
}

} // namespace populus::popir
