// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the values to store, and copies the operators of all others into the
// backward pass. Copies are marked (Placement::recomputed), or the pass
// MergeDuplicates would merge them with the originals.

#include "lib/PopART/Training/Recomputation.h"

#include "lib/PopART/IR/Op.h"

#include <array>
#include <cmath>
#include <unordered_map>

namespace populus::popir {

namespace {

constexpr std::array<std::pair<std::string_view, Recomputation>, 4> Names = {{
    {"none", Recomputation::None},
    {"norms", Recomputation::Norms},
    {"standard", Recomputation::Standard},
    {"all", Recomputation::All},
}};

class Recomputer {
public:
  Recomputer(Graph &graph, const std::unordered_set<const Op *> &forward)
      : graph(graph), forward(forward) {}

  std::size_t run(Recomputation recomputation) {
    choose(recomputation);
    std::vector<Op *> gradients;
    for (Op *op : graph.ops())
      if (!forward.contains(op))
        gradients.push_back(op);
    for (Op *op : gradients)
      for (std::size_t i = 0; i != op->inputs().size(); ++i)
        if (op->hasInput(i) && isAgain(op->input(i)))
          graph.setInput(*op, i, &copyOf(*op->inputs()[i], *op));
    return count;
  }

private:
  static bool isNorm(const Op &op) {
    return op.id().type.find("Normalization") != std::string::npos;
  }
  /// Running it twice would draw other random numbers, or repeat an effect.
  static bool canRunAgain(const Op &op) {
    return !op.isStateful() && !op.hasEffect();
  }

  void choose(Recomputation recomputation) {
    const auto each = static_cast<std::size_t>(
        std::ceil(std::sqrt(static_cast<double>(forward.size()))));
    std::size_t number = 0;
    for (Op *op : graph.ops())
      if (forward.contains(op) && canRunAgain(*op) &&
          op->placement().recompute.value_or(
              chooses(recomputation, *op, ++number % each == 0))) {
        again.insert(op);
        op->placement().recompute = true;
      }
  }

  bool chooses(Recomputation recomputation, const Op &op,
               bool isCheckpoint) const {
    switch (recomputation) {
    case Recomputation::None:
      return false;
    case Recomputation::Norms:
      return isNorm(op) ||
             (op.isElementwise() && op.inputs().size() == 1 && op.hasInput(0) &&
              op.input(0).producer() && isNorm(*op.input(0).producer()));
    case Recomputation::Standard:
      return op.codeValue() < 1;
    case Recomputation::All:
      break;
    }
    return !isCheckpoint;
  }

  bool isAgain(const Value &value) const {
    return value.producer() && again.contains(value.producer());
  }

  /// The recomputed value, created in front of `before` on first use.
  Value &copyOf(Value &value, Op &before) {
    if (auto known = copies.find(&value); known != copies.end())
      return *known->second;
    const Op &op = *value.producer();
    std::vector<Value *> inputs = op.inputs();
    for (Value *&input : inputs)
      if (input && isAgain(*input))
        input = &copyOf(*input, before);
    std::vector<Value *> outputs;
    for (Value *output : op.outputs()) {
      outputs.push_back(
          output ? &graph.addValue(graph.uniqueName(output->name + "__re"),
                                   output->info)
                 : nullptr);
      if (output)
        copies[output] = outputs.back();
    }
    Op &copy =
        graph.addOp(op.clone(), std::move(inputs), std::move(outputs), &before);
    copy.placement().recompute.reset();
    copy.placement().recomputed = true;
    ++count;
    return *copies.at(&value);
  }

  Graph &graph;
  const std::unordered_set<const Op *> &forward;
  std::unordered_set<const Op *> again;
  std::unordered_map<const Value *, Value *> copies;
  std::size_t count = 0;
};

} // namespace

std::string_view nameOf(Recomputation recomputation) {
  return std::ranges::find(Names, recomputation,
                           &std::pair<std::string_view, Recomputation>::second)
      ->first;
}

std::vector<std::string_view> recomputationNames() {
  std::vector<std::string_view> names;
  for (const auto &entry : Names)
    names.push_back(entry.first);
  return names;
}

std::optional<Recomputation> recomputationOf(std::string_view name) {
  for (const auto &[known, recomputation] : Names)
    if (known == name)
      return recomputation;
  return std::nullopt;
}

std::size_t recompute(Graph &graph,
                      const std::unordered_set<const Op *> &forward,
                      Recomputation recomputation) {
  return Recomputer(graph, forward).run(recomputation);
}

} // namespace populus::popir
