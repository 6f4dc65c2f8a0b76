// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The gradient of a loop is a loop from the last iteration to the first. It
// carries the gradients of carried values, and sums the gradients of loop
// invariants. The forward loop collects the values of each iteration that the
// gradients need; the gradient loop reads one row of them per iteration.

#include "lib/PopART/Ops/Control/LoopGradient.h"

#include "lib/PopART/IR/OpTable.h"
#include "lib/PopART/Ops/Control/CallGradients.h"
#include "lib/PopART/Ops/Control/CallingOp.h"

#include <algorithm>

namespace populus::popir {

namespace {

class Backward {
public:
  Backward(Gradients &g, std::size_t first, std::size_t carried,
           std::int64_t tripCount)
      : g(g), first(first), numCarried(carried), tripCount(tripCount),
        body(privateCopy(*g.forward().callees()[0])),
        graph(body.module().addGraphBefore(body, body.name + "_bwd_loop")) {
    g.forward().setCallees({&body});
    step = &graph.addArgument("step", {DataType::Int32, {}});
  }

  void run() {
    addCarried();
    addCounters();
    addCollected();
    const CalledGradients found =
        gradientsOf(g.gradientGraphs(), b, body, given, required);
    returnGradients(inlined(found), found.back.required);
    addLoop();
  }

private:
  bool isCarried(std::size_t operand) const { return operand < numCarried; }

  /// Adds the values that the gradient loop carries: gradients of
  /// differentiable carried values, and sums for the required invariants.
  void addCarried() {
    given.resize(body.results().size());
    for (std::size_t i = 0; i + 1 != body.arguments().size(); ++i) {
      Value &argument = *body.arguments()[1 + i];
      if (!isFloatingPoint(argument.info.type) ||
          (!isCarried(i) && !g.wants(first + i)))
        continue;
      Value &sum = graph.addArgument(graph.uniqueName("sum/" + argument.name),
                                     argument.info);
      required.push_back(&argument);
      sums.push_back(&sum);
      operandOf.push_back(i);
      if (isCarried(i))
        given[i] = &sum;
      operands.push_back(
          isCarried(i) && g.hasDy(i) ? &g.dy(i) : &g.zerosLike(argument.info));
    }
  }

  /// The iteration number, counting down, also in the shape of a row index.
  void addCounters() {
    iteration = &b.from(static_cast<double>(tripCount - 1), *step);
    row = &b.reshape(*iteration, {1});
  }

  void addCollected() {
    for (std::size_t i = numCarried; i != body.results().size(); ++i)
      if (g.hasDy(i))
        given[i] = &rowOf(g.dy(i));
  }

  Value &invariant(Value &outside) {
    auto [known, isNew] = invariants.try_emplace(&outside);
    if (isNew) {
      known->second = &graph.addArgument(
          graph.uniqueName("forward/" + outside.name), outside.info);
      operands.push_back(&outside);
    }
    return *known->second;
  }

  /// The current iteration's row of a stack outside the loop.
  Value &rowOf(Value &stack) {
    Value &slice = b.op("DynamicSlice", {&invariant(stack), row},
                        {{"axes", std::vector<std::int64_t>{0}},
                         {"sizes", std::vector<std::int64_t>{1}}},
                        "ai.graphcore");
    const Shape &shape = stack.info.shape;
    return b.reshape(slice, {shape.begin() + 1, shape.end()});
  }

  /// A value of the forward graph in this iteration.
  Value &forwardValue(Value &value) {
    const auto argument = argumentNumber(body, value);
    if (argument == 0)
      return b.cast(*iteration, value.info.type);
    if (argument && !isCarried(*argument - 1))
      return invariant(g.x(first + *argument - 1));
    return rowOf(g.y(collected(value)));
  }

  /// The number of the result that collects a value; a carried result gets an
  /// additional, collecting one.
  std::size_t collected(Value &value) {
    for (std::size_t i = numCarried; i != body.results().size(); ++i)
      if (body.results()[i].value == &value)
        return i;
    addNewResult(body, value);
    return body.results().size() - 1;
  }

  /// Inlines the operators of the gradient graph. Returns its results.
  std::vector<Value *> inlined(const CalledGradients &found) {
    Graph &back = *found.back.graph;
    std::unordered_map<const Value *, Value *> known;
    std::size_t next = 0;
    for (Value *value : found.given)
      known[back.arguments()[next++]] = value;
    for (Value *value : found.back.forwardValues)
      known[back.arguments()[next++]] = &forwardValue(*value);
    copyOps(back, graph, known);
    std::vector<Value *> results;
    for (const GraphResult &result : back.results())
      results.push_back(known.at(result.value));
    return results;
  }

  void returnGradients(const std::vector<Value *> &gradients,
                       const std::vector<Value *> &of) {
    for (std::size_t i = 0; i != required.size(); ++i) {
      const auto found = std::ranges::find(of, required[i]);
      Value *gradient =
          found == of.end() ? nullptr : gradients[found - of.begin()];
      if (!isCarried(operandOf[i]))
        gradient = gradient ? &added(sumFor(i, *gradient), *gradient) : sums[i];
      else if (!gradient)
        gradient = &b.expand(b.scalar(required[i]->info.type, 0),
                             required[i]->info.shape);
      addNewResult(graph, *gradient);
    }
  }

  /// The sum of an invariant's gradients over iterations. It is float32, since
  /// a float16 sum would absorb small addends; slices of a sequence, of which
  /// each gets one gradient, keep their type.
  Value &sumFor(std::size_t i, const Value &gradient) {
    if (sums[i]->info.type == DataType::Float16 && !isRow(gradient)) {
      sums[i]->info.type = DataType::Float;
      operands[i] = &g.zerosLike(sums[i]->info);
    }
    return *sums[i];
  }

  /// Adds a gradient to a sum. The gradient of a slice is added to that slice
  /// only: adding its zeros, too, would take n^2 additions for a sequence of n
  /// rows.
  Value &added(Value &sum, Value &gradient) {
    const Op *op = gradient.producer();
    if (op && op->id().type == "Sum") {
      Value *result = &sum;
      for (Value *part : op->inputs())
        result = &added(*result, *part);
      return *result;
    }
    if (isRow(gradient))
      return b.opLike(
          "DynamicAdd",
          {&sum, op->inputs()[1], &b.cast(*op->inputs()[2], sum.info.type)},
          op->attributes(), "ai.graphcore");
    return b.add(sum, b.cast(gradient, sum.info.type));
  }

  static bool isRow(const Value &gradient) {
    const Op *op = gradient.producer();
    return op && op->id().type == "DynamicUpdate" && isZeros(op->input(0));
  }

  void addLoop() {
    std::vector<Value *> all = {nullptr, nullptr};
    all.insert(all.end(), operands.begin(), operands.end());
    Attributes attributes;
    attributes.set("carried", static_cast<std::int64_t>(required.size()));
    attributes.set("trip_count", tripCount);
    const std::vector<Value *> gradients =
        g.addOp(makeCallingOp("Loop", "Loop", {&graph}, all.size(),
                              required.size(), attributes),
                all);
    for (std::size_t i = 0; i != required.size(); ++i)
      if (g.wants(first + operandOf[i]))
        g.set(first + operandOf[i],
              g.cast(*gradients[i], required[i]->info.type));
  }

  Gradients &g;
  const std::size_t first, numCarried;
  const std::int64_t tripCount;
  Graph &body;
  Graph &graph;
  GraphBuilder b{graph, "grad"};
  Value *step = nullptr, *iteration = nullptr, *row = nullptr;
  /// By result of the body, its gradient in the new loop.
  std::vector<Value *> given;
  /// Body arguments whose gradients the new loop carries, their operand
  /// numbers, and the arguments that hold the gradients.
  std::vector<Value *> required;
  std::vector<std::size_t> operandOf;
  std::vector<Value *> sums;
  /// By value outside of the loop, the argument that passes it in.
  std::unordered_map<const Value *, Value *> invariants;
  /// Operands of the new loop, behind count and condition.
  std::vector<Value *> operands;
};

} // namespace

void differentiateLoop(Gradients &g, std::size_t first, std::size_t carried,
                       std::int64_t tripCount) {
  Backward(g, first, carried, tripCount).run();
}

} // namespace populus::popir
