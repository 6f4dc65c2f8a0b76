// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ElementwiseFusion: fuses chains of elementwise operators into one operator
// with a body. Example: Relu(Add(x, y)) becomes Fused{Add, Relu}(x, y). An
// operator is fused into the only reader of its result, provided that both
// results have the same shape: a smaller one, which is broadcast, would be
// computed several times.

#include "lib/PopART/IR/Aliases.h"
#include "lib/PopART/IR/OpTable.h"
#include "lib/PopART/Passes/Joining.h"
#include "lib/PopART/Passes/Passes.h"

#include <algorithm>
#include <unordered_map>

namespace populus::popir {

namespace {

/// Operators in one body. Longer chains are cut: registers are limited.
constexpr unsigned MaxOps = 12;

class Fusion {
public:
  explicit Fusion(Graph &graph) : graph(graph), writers(graph) {}

  std::size_t run() {
    findLast();
    for (Op *op : graph.ops())
      if (joinsReader(*op))
        joined.emplace(op, opsOf(*op));
    std::vector<Op *> roots;
    for (Op *op : graph.ops())
      if (op->isElementwise() && !joined.contains(op) && hasJoined(*op))
        roots.push_back(op);
    for (Op *root : roots)
      fuse(*root);
    graph.removeUnusedValues();
    return roots.size();
  }

private:
  bool isJoined(const Op *op) const { return op && joined.contains(op); }

  bool hasJoined(const Op &op) const {
    return std::ranges::any_of(op.inputs(), [&](const Value *input) {
      return input && isJoined(input->producer());
    });
  }

  /// Operators of the chain that ends in `op`, including it.
  unsigned opsOf(const Op &op) const {
    unsigned ops = 1;
    for (const Value *input : op.inputs())
      if (input && isJoined(input->producer()))
        ops += joined.at(input->producer());
    return ops;
  }

  bool joinsReader(const Op &op) const {
    if (!op.isElementwise() || op.outputs().size() != 1 || !op.hasOutput(0))
      return false;
    const Op *reader = op.output().onlyUser();
    return reader && reader->isElementwise() && reader->hasOutput(0) &&
           placeOf(reader->placement()) == placeOf(op.placement()) &&
           reader->output().info.shape == op.output().info.shape &&
           opsOf(op) <= MaxOps && readsTheSameLater(op);
  }

  static bool isLink(const Op *op) {
    return op && op->isElementwise() && op->hasOutput(0);
  }

  /// Finds the last operator of each chain, from the end of the graph.
  void findLast() {
    const std::vector<Op *> ops(graph.ops().begin(), graph.ops().end());
    for (auto op = ops.rbegin(); op != ops.rend(); ++op)
      if (isLink(*op)) {
        const auto next = last.find((*op)->output().onlyUser());
        last[*op] = next == last.end() ? *op : next->second;
      }
  }

  /// True if the operator may be moved to the end of its chain: no operand is
  /// overwritten in between.
  bool readsTheSameLater(const Op &op) const {
    const Op *end = last.at(&op);
    return std::ranges::none_of(op.inputs(), [&](const Value *input) {
      return input &&
             std::ranges::any_of(writers.of(*input), [&](const Op *writer) {
               return op.isBefore(*writer) && writer->isBefore(*end);
             });
    });
  }

  /// Collects the operators fused into `op`, and their operands from outside in
  /// order of first use.
  void collect(Op &op, std::vector<Op *> &ops, std::vector<Value *> &operands) {
    for (std::size_t i = 0; i != op.inputs().size(); ++i) {
      Value *input = op.inputs()[i];
      if (!input || op.embedsConstant(i))
        continue;
      if (isJoined(input->producer()))
        collect(*input->producer(), ops, operands);
      else if (std::ranges::find(operands, input) == operands.end())
        operands.push_back(input);
    }
    ops.push_back(&op);
  }

  void fuse(Op &root) {
    std::vector<Op *> ops;
    std::vector<Value *> operands;
    collect(root, ops, operands);
    OpSpec spec{newestOf("ai.graphcore", "Fused"),
                root.name(),
                {},
                operands.size(),
                1,
                root.placement()};
    std::unique_ptr<Op> fused = createOp(std::move(spec));
    fused->addBody(makeBody(ops, operands));
    graph.addOp(std::move(fused), operands, {root.outputs()[0]}, &root);
    for (auto op = ops.rbegin(); op != ops.rend(); ++op) {
      joined.erase(*op);
      graph.erase(**op);
    }
  }

  std::unique_ptr<Graph> makeBody(const std::vector<Op *> &ops,
                                  const std::vector<Value *> &operands) const {
    auto body = std::make_unique<Graph>(graph.module(), "body");
    std::unordered_map<const Value *, Value *> inside;
    for (const Value *operand : operands)
      inside[operand] = &body->addArgument(operand->name, operand->info);
    for (const Op *op : ops) {
      std::vector<Value *> inputs;
      for (std::size_t i = 0; i != op->inputs().size(); ++i)
        inputs.push_back(op->embedsConstant(i)
                             ? &constantOf(op->input(i), *body, inside)
                             : inside[op->inputs()[i]]);
      Value &result = body->addValue(op->output().name, op->output().info);
      inside[op->outputs()[0]] = &result;
      body->addOp(op->clone(), std::move(inputs), {&result});
    }
    Value &result = *inside.at(ops.back()->outputs()[0]);
    body->addResult(result.name, result);
    return body;
  }

  static Value &constantOf(const Value &constant, Graph &body,
                           std::unordered_map<const Value *, Value *> &inside) {
    Value *&copy = inside[&constant];
    if (!copy)
      copy = &body.addConstant(body.uniqueName(constant.name),
                               constant.constant());
    return *copy;
  }

  Graph &graph;
  Writers writers;
  /// By elementwise operator, the last operator of its chain.
  std::unordered_map<const Op *, const Op *> last;
  /// Operators fused into their reader, with the length of the chain so far.
  std::unordered_map<const Op *, unsigned> joined;
};

} // namespace

std::size_t fuseElementwise(Graph &graph) { return Fusion(graph).run(); }

} // namespace populus::popir
