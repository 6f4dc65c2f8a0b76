// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of passes and the loop over it.

#include "lib/PopART/Passes/Pass.h"

#include "lib/PopART/IR/Verifier.h"
#include "lib/PopART/Passes/Passes.h"
#include "lib/PopART/Support/Error.h"
#include "lib/PopART/Support/Log.h"

#include <pvti/pvti.hpp>

#include <algorithm>
#include <array>
#include <sstream>

namespace populus::popir {

namespace {

/// A pass of the module that works on each of its graphs.
template <std::size_t (*run)(Graph &)>
std::size_t onGraphs(Module &module, const PassOptions &) {
  std::size_t changes = 0;
  for (Graph &graph : module.graphs())
    changes += run(graph);
  return changes;
}

constexpr std::array<Pass, 15> Table = {{
    {"PostNRepl", "drop operators that return their input unchanged",
     onGraphs<removeIdentities>, Pass::Pattern, "FWD0"},
    {"BatchNormIntoConv", "fold batch norms into the weights of convolutions",
     onGraphs<foldBatchNorms>},
    {"PadIntoWindow", "let convolutions and pools do the padding before them",
     onGraphs<padIntoWindow>},
    {"MergeDuplicateOps", "compute once what is computed several times",
     onGraphs<mergeDuplicates>},
    {"FuseNorms", "make one operator of those of a layer or RMS normalisation",
     onGraphs<fuseNorms>},
    {"ScatterIntoSum", "add rows to a sum instead of to zeros that are added",
     onGraphs<scatterIntoSum>},
    {"Prune", "drop operators and constants that no result depends on", prune},
    {"HalfPrecision", "compute in float16 what is float", convertToHalf,
     Pass::OnDemand, "FWD1"},
    {"OrderStages", "sort operators by their stages of a pipeline", orderStages,
     Pass::OnDemand},
    {"SubgraphOutline", "make functions of layers and blocks that repeat",
     outline, Pass::Pattern, "PREALIAS"},
    {"AssignIpus", "choose an IPU for each operator", assignIpus, Pass::Always},
    {"IpuCopies", "copy what is read on another IPU", copyBetweenIpus,
     Pass::Always},
    {"StashStages", "restore in a stage what an earlier one has computed",
     stashStages, Pass::OnDemand},
    {"ElementwiseFusion", "compute chains of elementwise operators at once",
     onGraphs<fuseElementwise>},
    {"InPlace", "let operators overwrite what is not read again",
     onGraphs<computeInPlace>},
}};

} // namespace

std::span<const Pass> allPasses() { return Table; }

const Pass *findPass(std::string_view name) {
  const auto *found = std::ranges::find(Table, name, &Pass::name);
  return found == Table.end() ? nullptr : found;
}

Patterns::Patterns() {
  for (const Pass &pass : Table)
    if (pass.selection == Pass::Pattern)
      enabled.emplace(pass.name);
}

void Patterns::apply(const std::string &list) {
  std::istringstream items(list);
  std::string item;
  while (std::getline(items, item, ','))
    applyItem(item);
}

void Patterns::applyItem(std::string item) {
  bool isOff = !item.empty() && item[0] == '-';
  if (isOff)
    item.erase(0, 1);
  if (item == "all" || item == "none") {
    enabled.clear();
    if ((item == "all") != isOff)
      *this = Patterns();
    return;
  }
  const Pass *pass = findPass(item);
  if (!pass || pass->selection != Pass::Pattern) {
    std::vector<std::string_view> names;
    for (const Pass &each : Table)
      if (each.selection == Pass::Pattern)
        names.push_back(each.name);
    fail(ErrorKind::Usage,
         "--patterns: there is no pattern '{}'; there are {}, all and none",
         item, fmt::join(names, ", "));
  }
  if (isOff)
    enabled.erase(item);
  else
    enabled.insert(item);
}

bool Pipeline::runs(const Pass &pass) const {
  switch (pass.selection) {
  case Pass::Pattern:
    return patterns.isEnabled(pass.name);
  case Pass::OnDemand:
    return demanded.contains(std::string(pass.name));
  case Pass::Always:
    break;
  }
  return true;
}

void runPass(Module &module, const Pass &pass, const PassOptions &options) {
  const pvti::Tracepoint span(&pvti::traceFramework, std::string(pass.name));
  const std::size_t changes = pass.run(module, options);
  logging::debug(logging::Module::transform, "{}: {} changes", pass.name,
                 changes);
}

void runPipeline(Module &module, const Pipeline &pipeline) {
  if (pipeline.verifyEach)
    verifyOrFail(module, "import");
  for (const Pass &pass : Table) {
    if (!pass.checkpoint.empty() && pipeline.atCheckpoint)
      pipeline.atCheckpoint(pass.checkpoint);
    if (!pipeline.runs(pass))
      continue;
    runPass(module, pass, pipeline.options);
    if (pipeline.verifyEach)
      verifyOrFail(module, std::string(pass.name));
    if (pipeline.afterEach)
      pipeline.afterEach(pass.name);
  }
  if (pipeline.atCheckpoint)
    pipeline.atCheckpoint(FinalCheckpoint);
}

} // namespace populus::popir
