// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MergeDuplicateOps: common-subexpression elimination. Operators of one kind
// with equal attributes and inputs are merged: users of the later operator read
// the first one's results. Constants with equal values are equal inputs.

#include "lib/PopART/IR/Aliases.h"
#include "lib/PopART/Passes/Joining.h"
#include "lib/PopART/Passes/Passes.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace populus::popir {

namespace {

/// Constants up to this size are compared by value: exporters repeat the same
/// axis or scale many times.
constexpr std::size_t LargestCompared = 4096;

class Merger {
public:
  explicit Merger(Graph &graph) : graph(graph) {}

  std::size_t run() {
    mergeConstants();
    findModified();
    std::unordered_set<const Op *> merged;
    for (Op *op : graph.ops()) {
      if (!isMergeable(*op))
        continue;
      auto [first, isNew] = seen.try_emplace(keyOf(*op), op);
      if (isNew || !hasSameResults(*first->second, *op))
        continue;
      for (std::size_t i = 0; i != op->outputs().size(); ++i)
        if (op->hasOutput(i))
          graph.replaceUses(*op->outputs()[i], *first->second->outputs()[i]);
      merged.insert(op);
    }
    graph.removeOps([&](const Op &op) { return merged.contains(&op); });
    return merged.size();
  }

private:
  void mergeConstants() {
    std::unordered_map<std::string, Value *> values;
    for (Value &value : graph.values()) {
      if (!value.isConstant() ||
          value.constant()->bytes().size() > LargestCompared)
        continue;
      auto bytes = value.constant()->bytes();
      std::string key = toString(value.info) + ":";
      key.append(reinterpret_cast<const char *>(bytes.data()), bytes.size());
      auto [first, isNew] = values.try_emplace(std::move(key), &value);
      if (!isNew)
        graph.replaceUses(value, *first->second);
    }
    graph.removeUnusedValues();
  }

  /// Values whose memory some operator modifies.
  void findModified() {
    for (const Op *op : graph.ops())
      for (std::size_t i = 0; i != op->inputs().size(); ++i)
        if (op->hasInput(i) && op->effect(i).modifies)
          modified.insert(aliases.groupOf(op->input(i)));
  }

  /// Operators that read modified memory may read different contents.
  bool isMergeable(const Op &op) const {
    return !op.isStateful() && !op.hasEffect() && op.bodies().empty() &&
           op.callees().empty() && op.runsAfter().empty() &&
           std::ranges::none_of(op.inputs(), [&](const Value *input) {
             return input && modified.contains(aliases.groupOf(*input));
           });
  }

  static std::string keyOf(const Op &op) {
    const auto &[ipu, stage, ioTiles, recomputed] = placeOf(op.placement());
    std::string key = fmt::format("{}{{{}}} {} {} {} {}", toString(op.id()),
                                  op.attributes().toString(), ipu.value_or(-1),
                                  stage.value_or(-1), ioTiles, recomputed);
    for (const Value *input : op.inputs())
      key += fmt::format(",{}", static_cast<const void *>(input));
    return key;
  }

  /// True if `first` has every result of `other` and no tensor attributes; the
  /// key holds only the types of these.
  static bool hasSameResults(const Op &first, const Op &other) {
    for (std::size_t i = 0; i != other.outputs().size(); ++i)
      if (other.hasOutput(i) &&
          (!first.hasOutput(i) || first.output(i).info != other.output(i).info))
        return false;
    return !first.attributes().hasTensors();
  }

  Graph &graph;
  Aliases aliases{graph};
  std::unordered_set<const Value *> modified;
  std::unordered_map<std::string, Op *> seen;
};

} // namespace

std::size_t mergeDuplicates(Graph &graph) { return Merger(graph).run(); }

} // namespace populus::popir
