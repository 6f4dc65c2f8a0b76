// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// AssignIpus: partitions a model over several IPUs, in execution order. If
// operators name their IPU, that decides, and an operator without one follows
// its predecessor. Otherwise the parts need about equal memory (IpuParts.h).
// Operators that only prepare a weight run on the IPU that uses the weight. A
// graph that is called on several IPUs is cloned for each of them, unless its
// own operators name IPUs: then it runs on these.

#include "lib/PopART/IR/PlacedIpus.h"
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

/// Operators before the first one that names its IPU are on \p ipu.
void placeAsAnnotated(Graph &graph, unsigned count,
                      const Preparations &preparations, std::int64_t ipu = 0) {
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

/// Places callees on the IPUs that they name, or on those of their call sites.
class CalleePlacement {
public:
  CalleePlacement(Module &module, unsigned count)
      : module(module), count(count) {
    for (const Graph &graph : module.graphs())
      namedIpus[&graph] = placedIpus(graph);
  }

  void place(Graph &graph) {
    for (Op *op : graph.ops()) {
      const std::set<std::int64_t> named = namedBy(*op);
      if (named.size() == 1)
        op->placement().ipu = checked(*op, *named.begin());
      const std::int64_t ipu = *op->placement().ipu;
      std::vector<Graph *> callees;
      for (Graph *callee : op->callees())
        callees.push_back(named.size() > 1 ? &asAnnotated(*callee, ipu)
                                           : &onIpu(*callee, ipu));
      op->setCallees(std::move(callees));
    }
  }

private:
  /// The IPUs that the callees named before they were placed.
  std::set<std::int64_t> namedBy(const Op &op) const {
    std::set<std::int64_t> named;
    for (const Graph *callee : op.callees())
      if (const auto found = namedIpus.find(callee); found != namedIpus.end())
        named.insert(found->second.begin(), found->second.end());
    return named;
  }

  std::int64_t checked(const Op &op, std::int64_t ipu) const {
    if (ipu < 0 || ipu >= count)
      op.failInput(fmt::format("the graph that it calls is to be on IPU {} of "
                               "{}",
                               ipu, count));
    return ipu;
  }

  Graph &asAnnotated(Graph &callee, std::int64_t ipu) {
    if (annotated.insert(&callee).second) {
      taken.insert(&callee);
      placeAsAnnotated(callee, count, findPreparations(callee), ipu);
      place(callee);
    }
    return callee;
  }

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
  unsigned count;
  std::map<const Graph *, std::set<std::int64_t>> namedIpus;
  std::map<std::pair<const Graph *, std::int64_t>, Graph *> placed;
  std::unordered_set<const Graph *> taken, annotated;
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
  const bool isAnnotated = std::ranges::any_of(main.ops(), [](const Op *op) {
    return op->placement().ipu || !placedIpus(*op).empty();
  });
  const Preparations preparations = findPreparations(main);
  isAnnotated ? placeAsAnnotated(main, options.numIpus, preparations)
              : placeByMemory(main, options.numIpus, preparations);
  for (const Op *op : main.ops())
    logging::debug(logging::Module::ir, "IPU {}: {}", *op->placement().ipu,
                   op->describe());
  CalleePlacement callees(module, options.numIpus);
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
