// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SubgraphOutline: stretches of operators that repeat become a graph of their
// own, which is called in their place. Weights that differ are its arguments.

#include "lib/PopART/Lowering/Shards.h"
#include "lib/PopART/Ops/Call.h"
#include "lib/PopART/Ops/Registry.h"
#include "lib/PopART/Support/Log.h"
#include "lib/PopART/Transforms/Repeats.h"

#include <algorithm>
#include <unordered_set>

namespace popart {

namespace {

/// What the first of the stretches does, on arguments. Names are its own.
std::shared_ptr<const Graph> makeCallee(const Repeat &repeat,
                                        const std::string &name) {
  auto callee = std::make_shared<Graph>(name);
  const Stretch &first = repeat.stretches.front();
  std::unordered_map<const Tensor *, Tensor *> tensors = {{nullptr, nullptr}};
  for (std::size_t i = 0; i != first.arguments.size(); ++i) {
    const Tensor &argument = *first.arguments[i];
    Tensor &tensor = callee->addTensor(argument.name, argument.info);
    tensors[&argument] = &tensor;
    if (repeat.isShared[i])
      tensor.value = argument.value;
    else
      callee->inputs.push_back(&tensor);
  }
  for (const Op *op : first.ops) {
    std::vector<Tensor *> inputs, outputs;
    for (const Tensor *input : op->inputs())
      inputs.push_back(tensors.at(input));
    for (const Tensor *output : op->outputs())
      outputs.push_back(output ? tensors[output] = &callee->addTensor(
                                     output->name, output->info)
                               : nullptr);
    callee->addOp(createOp(op->spec()), std::move(inputs), std::move(outputs));
  }
  for (std::int64_t result : repeat.results) {
    Tensor *tensor = tensors.at(resultOf(first, result));
    callee->outputs.push_back({tensor->name, tensor});
  }
  return callee;
}

/// Puts the call before the operators that it stands for.
void addCall(Graph &graph, const Repeat &repeat, const Stretch &stretch,
             const std::shared_ptr<const Graph> &callee) {
  std::vector<Tensor *> arguments, results;
  for (std::size_t i = 0; i != stretch.arguments.size(); ++i)
    if (!repeat.isShared[i])
      arguments.push_back(stretch.arguments[i]);
  for (std::int64_t result : repeat.results)
    results.push_back(resultOf(stretch, result));
  const Op &first = *stretch.ops.front();
  std::unique_ptr<Op> call =
      makeCall(fmt::format("{}/{}", callee->name, first.name()), callee);
  if (first.attributes().has(IpuNumber))
    call->setAttribute(IpuNumber, first.attributes().getInt(IpuNumber, 0));
  auto place = std::ranges::find_if(
      graph.ops(), [&](const auto &op) { return op.get() == &first; });
  graph.insertOp(place - graph.ops().begin(), std::move(call),
                 std::move(arguments), std::move(results));
}

} // namespace

std::size_t outline(Graph &graph, const OutlineOptions &options) {
  std::size_t calls = 0, callees = 0;
  std::unordered_set<const Op *> replaced;
  for (const Repeat &repeat : findRepeats(graph, options)) {
    std::shared_ptr<const Graph> callee =
        makeCallee(repeat, fmt::format("subgraph{}", callees++));
    logging::info(logging::Module::transform,
                  "SubgraphOutline: {} is called {} times, {} operators from "
                  "{} on",
                  callee->name, repeat.stretches.size(), callee->ops().size(),
                  callee->ops().front()->describe());
    for (const Stretch &stretch : repeat.stretches) {
      addCall(graph, repeat, stretch, callee);
      replaced.insert(stretch.ops.begin(), stretch.ops.end());
    }
    calls += repeat.stretches.size();
  }
  graph.removeOps([&](const Op &op) { return replaced.count(&op) != 0; });
  graph.removeUnusedConstants();
  return calls;
}

} // namespace popart
