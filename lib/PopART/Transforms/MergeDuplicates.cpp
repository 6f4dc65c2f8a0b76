// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MergeDuplicateOps: operators of the same kind with the same attributes and
// the same inputs compute the same results; users of the later one use those of
// the first. Constants with equal values count as the same input.

#include "lib/PopART/IR/Op.h"
#include "lib/PopART/Transforms/Transforms.h"

#include <algorithm>
#include <map>
#include <unordered_set>

namespace popart {

namespace {

/// Small constants are compared by value: exporters write the same axis or
/// scale again and again.
constexpr std::size_t LargestCompared = 4096;

class Merger {
public:
  explicit Merger(Graph &graph) : graph(graph) {}

  std::size_t run() {
    mergeConstants();
    std::unordered_set<const Op *> merged;
    for (const auto &op : graph.ops()) {
      if (op->isStateful())
        continue;
      auto [first, isNew] = seen.try_emplace(keyOf(*op), op.get());
      if (isNew || !hasSameResults(*first->second, *op))
        continue;
      for (std::size_t i = 0; i != op->outputs().size(); ++i)
        if (op->hasOutput(i))
          graph.replaceUses(*op->outputs()[i], *first->second->outputs()[i]);
      merged.insert(op.get());
    }
    graph.removeOps([&](const Op &op) { return merged.count(&op) != 0; });
    return merged.size();
  }

private:
  void mergeConstants() {
    std::map<std::string, Tensor *> values;
    std::vector<Tensor *> constants;
    for (const auto &[name, tensor] : graph.tensors())
      if (tensor->isConstant() &&
          tensor->value->bytes().size() <= LargestCompared)
        constants.push_back(tensor.get());
    std::ranges::sort(constants, {}, &Tensor::name); // reproducible
    for (Tensor *tensor : constants) {
      auto bytes = tensor->value->bytes();
      std::string key = toString(tensor->info) + ":";
      key.append(reinterpret_cast<const char *>(bytes.data()), bytes.size());
      auto [first, isNew] = values.try_emplace(std::move(key), tensor);
      if (!isNew)
        graph.replaceUses(*tensor, *first->second);
    }
    graph.removeUnusedConstants();
  }

  static std::string keyOf(const Op &op) {
    std::string key =
        toString(op.id()) + "{" + op.attributes().toString() + "}";
    for (const Tensor *input : op.inputs())
      key += "," + (input ? input->name : std::string());
    return key;
  }

  /// The first one has every result that the other one has, and no attribute is
  /// a tensor, which the key only tells the type of.
  static bool hasSameResults(const Op &first, const Op &other) {
    for (std::size_t i = 0; i != other.outputs().size(); ++i)
      if (other.hasOutput(i) &&
          (!first.hasOutput(i) || first.output(i).info != other.output(i).info))
        return false;
    return !first.attributes().hasTensors();
  }

  Graph &graph;
  std::map<std::string, Op *> seen;
};

} // namespace

std::size_t mergeDuplicates(Graph &graph) { return Merger(graph).run(); }

} // namespace popart
