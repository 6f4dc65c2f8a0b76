// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groups the operators in gradient scopes. Operators connected by a value that
// is no gradient of a tensor belong to one group; the gradients of two
// operators are separated by the gradient of a tensor. So groups are found even
// if names are not unique. The gradient that a group reads identifies its
// operator.

#include "lib/PopART/IR/GradientParts.h"

#include "lib/PopART/IR/GradientNames.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <string_view>
#include <unordered_set>

namespace populus::popir {

namespace {

/// Operators whose gradients PopART's patterns rewrite to ordinary operators.
constexpr std::array<std::string_view, 29> Rewritten = {
    "Abs",  "Add", "Atan2",      "Call",  "Conv",   "Cos",
    "Cosh", "Div", "Exp",        "Expm1", "Fmod",   "Identity",
    "If",   "Log", "Loop",       "Log1p", "MatMul", "Mod",
    "Mul",  "Neg", "Pow",        "Scan",  "Sin",    "Sinh",
    "Sqrt", "Sub", "Reciprocal", "Split", "Sum"};

/// The forward operator's name, from the name of a part of its gradient.
std::optional<std::string> forwardName(const Op &op) {
  const std::size_t end = op.name().rfind('/');
  if (end == std::string::npos)
    return std::nullopt;
  const std::string scope = op.name().substr(0, end);
  if (!scope.ends_with(GradientScope))
    return std::nullopt;
  return scope.substr(0, scope.size() - std::string_view(GradientScope).size());
}

bool isGradientOfTensor(const Value &value) {
  return value.name.starts_with(GradientPrefix);
}

/// Sets of connected operators (union-find).
class Groups {
public:
  explicit Groups(const std::vector<const Op *> &ops) {
    for (const Op *op : ops)
      if (forwardName(*op)) {
        places[op] = all.size();
        all.push_back(op);
      }
    root.resize(all.size());
    std::iota(root.begin(), root.end(), std::size_t(0));
    std::unordered_map<std::string, const Op *> producers;
    for (const Op *op : all)
      for (const Value *output : op->outputs())
        if (output)
          producers.emplace(output->name, op);
    for (std::size_t i = 0; i != all.size(); ++i)
      for (const Value *input : all[i]->inputs())
        if (input && !isGradientOfTensor(*input))
          if (auto found = producers.find(input->name);
              found != producers.end())
            join(i, *found->second);
  }

  std::vector<std::vector<const Op *>> sets() {
    std::vector<std::vector<const Op *>> found(all.size());
    for (std::size_t i = 0; i != all.size(); ++i)
      found[rootOf(i)].push_back(all[i]);
    std::erase_if(found, [](const auto &set) { return set.empty(); });
    return found;
  }

private:
  std::size_t rootOf(std::size_t i) {
    while (root[i] != i)
      i = root[i] = root[root[i]];
    return i;
  }

  void join(std::size_t i, const Op &producer) {
    const auto place = places.find(&producer);
    if (place != places.end() && forwardName(*all[i]) == forwardName(producer))
      root[rootOf(i)] = rootOf(place->second);
  }

  std::vector<const Op *> all;
  std::unordered_map<const Op *, std::size_t> places;
  std::vector<std::size_t> root;
};

/// The readers of values, by name: the values in an operator's body are other
/// ones, with the same names.
using Readers = std::unordered_map<std::string, std::vector<const Op *>>;

Readers readersOf(const std::vector<const Op *> &ops) {
  Readers readers;
  for (const Op *op : ops)
    for (const Value *input : op->inputs())
      if (input)
        readers[input->name].push_back(op);
  return readers;
}

void findEdges(WholeGradient &whole, const Readers &readers,
               const std::unordered_set<std::string> &results) {
  const std::unordered_set<const Op *> parts(whole.parts.begin(),
                                             whole.parts.end());
  std::unordered_set<std::string> made, read;
  const auto isReadOutside = [&](const Value &value) {
    const auto found = readers.find(value.name);
    return results.contains(value.name) ||
           (found != readers.end() &&
            std::ranges::any_of(found->second, [&](const Op *reader) {
              return !parts.contains(reader);
            }));
  };
  for (const Op *op : whole.parts)
    for (Value *output : op->outputs())
      if (output && made.insert(output->name).second && isReadOutside(*output))
        whole.outputs.push_back(output);
  for (const Op *op : whole.parts)
    for (Value *input : op->inputs())
      if (input && !input->isConstant() && !made.contains(input->name) &&
          read.insert(input->name).second)
        whole.inputs.push_back(input);
}

/// Forward operators, by name and by the names of their results.
class Forward {
public:
  explicit Forward(const std::vector<const Op *> &ops) {
    for (const Op *op : ops) {
      byName.emplace(op->name(), op);
      for (const Value *output : op->outputs())
        if (output)
          byResult.emplace(output->name, op);
    }
  }

  /// The forward operator, or null if it was removed.
  const Op *of(const WholeGradient &gradient) const {
    const std::string_view prefix = GradientPrefix;
    const std::string name = *forwardName(*gradient.parts.front());
    for (const Value *input : gradient.inputs)
      if (isGradientOfTensor(*input)) {
        const auto found = byResult.find(input->name.substr(prefix.size()));
        if (found != byResult.end() && found->second->name() == name)
          return found->second;
      }
    // The gradient of the loss by itself is a constant.
    const auto found = byName.find(name);
    return found == byName.end() ? nullptr : found->second;
  }

private:
  std::unordered_map<std::string, const Op *> byName, byResult;
};

} // namespace

GradientParts::GradientParts(const Graph &graph,
                             const std::vector<const Op *> &ops) {
  const Forward forward(ops);
  const Readers readers = readersOf(ops);
  std::unordered_set<std::string> results;
  for (const GraphResult &result : graph.results())
    results.insert(result.value->name);
  for (std::vector<const Op *> &parts : Groups(ops).sets()) {
    WholeGradient whole{.parts = std::move(parts)};
    findEdges(whole, readers, results);
    const Op *origin = forward.of(whole);
    if (!origin ||
        std::ranges::find(Rewritten, origin->id().type) != Rewritten.end())
      continue;
    whole.type = origin->id().type + "Grad";
    whole.name = origin->name() + GradientScope;
    for (const Op *part : whole.parts)
      wholeOf[part] = wholes.size();
    wholes.push_back(std::move(whole));
  }
}

const WholeGradient *GradientParts::of(const Op &op) const {
  const auto found = wholeOf.find(&op);
  return found == wholeOf.end() ? nullptr : &wholes[found->second];
}

} // namespace populus::popir
