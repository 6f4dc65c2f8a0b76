// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Profiles of an engine: the report of its program and runs, in the forms that
// Report/ writes.

#include <poplar/Engine.hpp>

#include "lib/Poplar/Engine/EngineAccess.h"
#include "lib/Poplar/Engine/EngineImpl.h"
#include "lib/Poplar/Graph/Access.h"
#include "lib/Poplar/Report/Report.h"
#include "lib/Profile/ReportBuilder.h"
#include "lib/Profile/ReportFile.h"

#include <pva/pva.hpp>

std::uint64_t populus::clockOf(const poplar::Engine &engine) {
  const poplar::core::EngineImpl &held = poplar::core::Access::impl(engine);
  return held.loaded ? held.loaded->clock() : 0;
}

namespace poplar {

namespace profile = populus::profile;

void Engine::enableExecutionProfiling() {
  held().options.profileExecution = true;
  if (held().loaded)
    held().loaded->recordSteps(true);
}
void Engine::disableExecutionProfiling() {
  held().options.profileExecution = false;
  if (held().loaded)
    held().loaded->recordSteps(false);
}
void Engine::resetExecutionProfile() {
  held().runs.clear();
  if (held().loaded)
    held().loaded->resetStats();
}

ProfileValue Engine::getExecutionProfile() {
  held().session("Engine::getExecutionProfile");
  return core::executionProfile(held().report());
}

ProfileValue Engine::getGraphProfile() {
  return core::graphProfile(profile::describeProgram(*held().executable));
}

pva::Report Engine::getReport(bool reportExecution) {
  const std::string bytes = profile::serializeReport(
      reportExecution ? held().report()
                      : profile::describeProgram(*held().executable));
  return pva::Report::parse({bytes.begin(), bytes.end()}, "the report");
}

void Engine::printProfileSummary(std::ostream &out,
                                 const OptionFlags &options) {
  const ProfileValue graphProfile = getGraphProfile();
  printGraphSummary(out, graphProfile, options);
  if (held().loaded)
    printExecutionSummary(out, graphProfile, getExecutionProfile(), options);
}

} // namespace poplar
