// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of passes, from Passes.def, and the loop over it.

#include "lib/PopART/Passes/Pass.h"

#include "lib/PopART/IR/Verifier.h"
#include "lib/PopART/Passes/Passes.h"
#include "lib/PopART/Support/Error.h"
#include "lib/PopART/Support/Log.h"

#include <pvti/pvti.hpp>

#include <algorithm>
#include <iterator>
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

constexpr Pass Table[] = {
#define GRAPH_PASS(NAME, FUNCTION, SELECTION, CHECKPOINT, SUMMARY,             \
                   DESCRIPTION)                                                \
  {.name = #NAME,                                                              \
   .summary = SUMMARY,                                                         \
   .run = onGraphs<FUNCTION>,                                                  \
   .selection = Pass::SELECTION,                                               \
   .checkpoint = CHECKPOINT,                                                   \
   .description = DESCRIPTION},
#define MODULE_PASS(NAME, FUNCTION, SELECTION, CHECKPOINT, SUMMARY,            \
                    DESCRIPTION)                                               \
  {.name = #NAME,                                                              \
   .summary = SUMMARY,                                                         \
   .run = FUNCTION,                                                            \
   .selection = Pass::SELECTION,                                               \
   .checkpoint = CHECKPOINT,                                                   \
   .description = DESCRIPTION},
#include "lib/PopART/Passes/Passes.def"
};

constexpr PassOption Options[] = {
#define PASS_OPTION(TYPE, FIELD, DEFAULT, MOST, PASSES, FLAG, VALUE, HELP)     \
  {.most = MOST,                                                               \
   .passes = PASSES,                                                           \
   .flag = FLAG,                                                               \
   .value = VALUE,                                                             \
   .help = HELP,                                                               \
   .field = &PassOptions::FIELD},
#include "lib/PopART/Passes/Passes.def"
};

} // namespace

std::span<const Pass> allPasses() { return Table; }

std::span<const PassOption> allPassOptions() { return Options; }

const Pass *findPass(std::string_view name) {
  const auto *found = std::ranges::find(Table, name, &Pass::name);
  return found == std::end(Table) ? nullptr : found;
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
