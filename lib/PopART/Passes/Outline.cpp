// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SubgraphOutline: turns repeated operator sequences into a graph, and replaces
// each occurrence by a call. Different weights become arguments. Functions may
// call functions: a repeated layer may contain repeated blocks. Repeats.cpp
// explains the search.

#include "lib/PopART/IR/OpTable.h"
#include "lib/PopART/Ops/Control/CallingOp.h"
#include "lib/PopART/Passes/Passes.h"
#include "lib/PopART/Passes/Repeats.h"
#include "lib/PopART/Support/Log.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace populus::popir {

namespace {

/// Copies the first occurrence into the function's graph.
void fillCallee(const Repeat &repeat, Graph &callee) {
  const Stretch &first = repeat.stretches.front();
  std::unordered_map<const Value *, Value *> inside = {{nullptr, nullptr}};
  for (std::size_t i = 0; i != first.arguments.size(); ++i) {
    const Value &argument = *first.arguments[i];
    inside[&argument] =
        repeat.isShared[i]
            ? &callee.addConstant(argument.name, argument.constant())
            : &callee.addArgument(argument.name, argument.info);
  }
  for (const Op *op : first.ops) {
    std::vector<Value *> inputs, outputs;
    for (const Value *input : op->inputs())
      inputs.push_back(inside.at(input));
    for (const Value *output : op->outputs())
      outputs.push_back(
          output ? inside[output] = &callee.addValue(output->name, output->info)
                 : nullptr);
    // Calls name the IPU.
    callee.addOp(op->clone(), std::move(inputs), std::move(outputs))
        .placement()
        .ipu.reset();
  }
  for (ResultPlace result : repeat.results) {
    Value &value = *inside.at(first.result(result));
    callee.addResult(value.name, value);
  }
}

/// Inserts the call in front of the operators that it replaces.
void addCall(Graph &graph, const Repeat &repeat, const Stretch &stretch,
             Graph &callee) {
  std::vector<Value *> arguments, results;
  for (std::size_t i = 0; i != stretch.arguments.size(); ++i)
    if (!repeat.isShared[i])
      arguments.push_back(stretch.arguments[i]);
  for (ResultPlace result : repeat.results)
    results.push_back(stretch.result(result));
  Op &first = *stretch.ops.front();
  std::unique_ptr<Op> call =
      makeCallingOp("Call", fmt::format("{}/{}", callee.name, first.name()),
                    {&callee}, arguments.size(), results.size());
  call->placement() = first.placement();
  graph.addOp(std::move(call), std::move(arguments), std::move(results),
              &first);
}

/// The first graph of the module with an occurrence.
const Graph &firstUser(const Module &module, const Repeat &repeat) {
  std::unordered_set<const Graph *> users;
  for (const Stretch &stretch : repeat.stretches)
    users.insert(stretch.ops.front()->graph());
  return *std::ranges::find_if(module.graphs(), [&](const Graph &graph) {
    return users.contains(&graph);
  });
}

/// Outlines each repeat once. Returns the number of calls that it inserted.
std::size_t outlineOnce(Module &module, const PassOptions &options) {
  std::vector<Graph *> graphs;
  for (Graph &graph : module.graphs())
    graphs.push_back(&graph);
  std::size_t calls = 0, number = 0;
  std::unordered_set<const Op *> replaced;
  for (const Repeat &repeat : findRepeats(graphs, options)) {
    std::string name;
    do
      name = fmt::format("call_subgraph({})", number++);
    while (module.findGraph(name));
    Graph &callee = module.addGraphBefore(firstUser(module, repeat), name);
    fillCallee(repeat, callee);
    logging::info(logging::Module::transform,
                  "SubgraphOutline: {} is called {} times, {} operators from "
                  "{} on",
                  callee.name, repeat.stretches.size(), callee.ops().size(),
                  callee.ops().front()->describe());
    for (const Stretch &stretch : repeat.stretches) {
      addCall(*stretch.ops.front()->graph(), repeat, stretch, callee);
      replaced.insert(stretch.ops.begin(), stretch.ops.end());
    }
    calls += repeat.stretches.size();
  }
  if (calls == 0)
    return 0;
  for (Graph *graph : graphs) {
    graph->removeOps([&](const Op &op) { return replaced.contains(&op); });
    graph->removeUnusedValues();
  }
  return calls;
}

} // namespace

std::size_t outline(Module &module, const PassOptions &options) {
  // Functions may contain, or occur in, further repeats: iterate.
  std::size_t calls = 0;
  while (std::size_t more = outlineOnce(module, options))
    calls += more;
  return calls;
}

} // namespace populus::popir
