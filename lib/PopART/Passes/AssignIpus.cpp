// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// AssignIpus: partitions a model over several IPUs, in execution order. If
// operators name their IPU, that decides, and an operator without one follows
// its predecessor. Otherwise the parts need about equal memory (IpuParts.h).
// Operators that only prepare a weight run on the IPU that uses the weight. A
// graph that is called on several IPUs is cloned for each of them.

#include "lib/PopART/Passes/IpuParts.h"
#include "lib/PopART/Passes/Passes.h"
#include "lib/PopART/Support/Error.h"
#include "lib/PopART/Support/Log.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_set>

namespace populus::popir {

namespace {

void placeAsAnnotated(Graph &graph, unsigned count,
                      const Preparations &preparations) {
  std::int64_t ipu = 0;
  for (Op *op : graph.ops()) {
    if (!op->placement().ipu && preparations.contains(op))
      continue;
    ipu = op->placement().ipu.value_or(ipu);
    if (ipu < 0 || ipu >= count)
      op->failInput(fmt::format("it is to be on IPU {} of {}", ipu, count));
    op->placement().ipu = ipu;
  }
  for (Op *op : graph.ops())
    if (!op->placement().ipu)
      op->placement().ipu = preparations.at(op)->placement().ipu;
}

/// Places callees on the IPUs of their call sites.
class CalleePlacement {
public:
  explicit CalleePlacement(Module &module) : module(module) {}

  void place(Graph &graph) {
    for (Op *op : graph.ops()) {
      std::vector<Graph *> callees;
      for (Graph *callee : op->callees())
        callees.push_back(&onIpu(*callee, *op->placement().ipu));
      op->setCallees(std::move(callees));
    }
  }

private:
  Graph &onIpu(Graph &callee, std::int64_t ipu) {
    Graph *&there = placed[{&callee, ipu}];
    if (there)
      return *there;
    there = taken.insert(&callee).second ? &callee : &copyOf(callee, ipu);
    for (Op *op : there->ops())
      op->placement().ipu = ipu;
    place(*there);
    return *there;
  }

  Graph &copyOf(const Graph &graph, std::int64_t ipu) {
    Graph &copy =
        module.addGraphBefore(graph, fmt::format("{}/ipu{}", graph.name, ipu));
    cloneInto(graph, copy);
    return copy;
  }

  Module &module;
  std::map<std::pair<const Graph *, std::int64_t>, Graph *> placed;
  std::unordered_set<const Graph *> taken;
};

} // namespace

std::size_t assignIpus(Module &module, const PassOptions &options) {
  Graph &main = module.main();
  if (options.numIpus == 1) {
    // On a single IPU the model's annotations have no meaning.
    forEachGraph(module, [](Graph &graph) {
      for (Op *op : graph.ops())
        op->placement().ipu.reset();
    });
    return 0;
  }
  const bool isAnnotated = std::ranges::any_of(
      main.ops(), [](const Op *op) { return op->placement().ipu.has_value(); });
  const Preparations preparations = findPreparations(main);
  isAnnotated ? placeAsAnnotated(main, options.numIpus, preparations)
              : placeByMemory(main, options.numIpus, preparations);
  for (const Op *op : main.ops())
    logging::debug(logging::Module::ir, "IPU {}: {}", *op->placement().ipu,
                   op->describe());
  CalleePlacement callees(module);
  callees.place(main);
  for (const EntryProgram &program : module.programs)
    if (program.graph != &main) {
      placeAsAnnotated(*program.graph, options.numIpus,
                       findPreparations(*program.graph));
      callees.place(*program.graph);
    }
  return main.ops().size();
}

} // namespace populus::popir
