// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reports about a session's program, and its files.

#include "lib/PopART/IR/Export.h"
#include "lib/PopART/Interface/SessionProgramImpl.h"
#include "lib/PopART/Interface/Translated.h"
#include "lib/PopART/Notes.h"
#include "lib/PopART/Support/Error.h"
#include "lib/PopART/Support/OutputFile.h"

#include <nlohmann/json.hpp>
#include <poplar/ProfileValue.hpp>
#include <pva/pva.hpp>

#include <algorithm>
#include <sstream>

namespace popart::session {

using namespace populus::popir;

std::uint64_t SessionProgram::cycles() const { return impl->lastCycles; }

static std::string serialized(const poplar::ProfileValue &value, bool cbor) {
  std::ostringstream text;
  if (cbor)
    poplar::serializeToCBOR(text, value);
  else
    poplar::serializeToJSON(text, value);
  return text.str();
}

std::string SessionProgram::graphReport(bool cbor) const {
  return serialized(impl->engine->getGraphProfile(), cbor);
}

/// True if a program has requested a profile of its runs. On the IPU Model the
/// engine always has one.
static bool wantsProfile(const Options &options) {
  return std::ranges::any_of(options, [](const auto &option) {
    return (option.second == "true" || option.second == "True") &&
           (option.first.starts_with("debug.instrument") ||
            option.first.starts_with("autoReport."));
  });
}

/// The engine's profile of the runs since the last report that was fetched, if
/// it was requested.
static poplar::ProfileValue profileOf(poplar::Engine &engine,
                                      const Options &options) {
  if (wantsProfile(options))
    return engine.getExecutionProfile();
  return poplar::ProfileValue::Map{{"profilerMode", "NONE"}};
}

std::string SessionProgram::executionReport(bool cbor, bool reset) {
  std::string text = serialized(
      profileOf(*impl->engine, impl->setup.request.engineOptions), cbor);
  if (reset)
    impl->engine->resetExecutionProfile();
  return text;
}

std::string SessionProgram::summary(const Options &options, bool reset) {
  poplar::OptionFlags flags;
  for (const auto &[name, value] : options)
    flags.set(name, value);
  std::ostringstream text;
  poplar::printProfileSummary(
      text, impl->engine->getGraphProfile(),
      profileOf(*impl->engine, impl->setup.request.engineOptions), flags);
  if (reset)
    impl->engine->resetExecutionProfile();
  return text.str();
}

pva::Report SessionProgram::report(bool reset) {
  pva::Report report = impl->engine->getReport();
  if (reset)
    impl->engine->resetExecutionProfile();
  return report;
}

std::string SessionProgram::irAsJson() const {
  return toJson(impl->module.main());
}

void SessionProgram::writeExecutable(const std::string &path) const {
  translated([&] {
    for (const auto &[name, groups] : impl->settings.variables)
      if (groups.count != 1)
        failUnsupported("an executable has one initial value of a weight, and "
                        "'{}' has one for each of {} groups of replicas, so it "
                        "cannot be exported",
                        name, groups.count);
    std::stringstream bytes;
    impl->engine->serializeExecutable(bytes);
    poplar::Executable executable = poplar::Executable::deserialize(bytes);
    annotateOffChip(executable, impl->module);
    populus::popir::writeFile(
        path, [&](std::ostream &file) { executable.serialize(file); });
  });
}

// The first line of a serialized executable, with the key of its setup.
static std::string executableLine(const Setup &setup) {
  return "populus session " + keyOf(setup).digits() + "\n";
}

std::string SessionProgram::executable() const {
  return translated([&] {
    std::ostringstream bytes;
    bytes << executableLine(impl->setup);
    impl->engine->serializeExecutable(bytes);
    return std::move(bytes).str();
  });
}

void SessionProgram::useExecutable(const std::string &bytes) {
  translated([&] {
    const std::string line = executableLine(impl->setup);
    if (!bytes.starts_with("populus session "))
      failInput("this is no executable that a session has saved");
    if (!bytes.starts_with(line))
      failInput("the executable was compiled for another model, device or "
                "options, or by another build");
    std::istringstream stream(bytes.substr(line.size()));
    impl->use(poplar::Executable::deserialize(stream));
  });
}

void SessionProgram::keepInCache() const {
  translated([&] {
    impl->driver.keep(
        [&](std::ostream &file) { impl->engine->serializeExecutable(file); });
  });
}

TileMap SessionProgram::tileMap() const {
  return translated([&] {
    const TileProgram program = impl->driver.lower(true);
    return nlohmann::json::parse(program.tileMap).get<TileMap>();
  });
}

std::string SessionProgram::graph() const {
  return translated([&] {
    const TileProgram program = impl->driver.lower();
    std::ostringstream bytes;
    program.graph.serialize(bytes, {program.program},
                            poplar::SerializationFormat::Binary);
    return std::move(bytes).str();
  });
}

} // namespace popart::session
