// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stages of a compilation, one after the other.

#include "lib/PopART/Driver.h"

#include "lib/PopART/Custom/CustomOps.h"
#include "lib/PopART/IR/Text.h"
#include "lib/PopART/Lowering/Lowering.h"
#include "lib/PopART/Support/Error.h"
#include "lib/PopART/Support/Interruption.h"
#include "lib/PopART/Support/OutputFile.h"
#include "lib/Poplar/Support/EngineOptions.h"

#include <poplar/exceptions.hpp>

#include <filesystem>
#include <sstream>

namespace populus::popir {

namespace {

void makeFolder(const std::string &folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    failInput("{}: the folder cannot be made: {}", folder, error.message());
}

/// Reports and messages of the graph compiler, which an executable from the
/// cache would come without. Invalid options fail when it runs.
bool writesOutput(const Request &request) {
  try {
    return poplar::core::writesOutput(
        poplar::core::parseEngineOptions(request.engineFlags()));
  } catch (const poplar::poplar_error &) {
    return true;
  }
}

} // namespace

Driver::Driver(const Request &request, Source &source)
    : asked(request), wanted(request), source(source),
      inspection(request.drawings), stages(request.progress) {
  if (!request.dumpDirectory.empty())
    makeFolder(request.dumpDirectory);
}

Result Driver::run() {
  if (std::optional<std::string> kept = find()) {
    std::istringstream stream(std::move(*kept));
    return {poplar::Executable::deserialize(stream), true};
  }
  Result result = {compile()};
  keep([&](std::ostream &file) { result.executable.serialize(file); });
  return result;
}

bool Driver::isCached() const {
  // Custom operators and codelet files are not covered by the key; a tile map
  // takes a complete compilation.
  return !asked.cacheDirectory.empty() && !hasCustomOps() &&
         asked.program.codelets.empty() && !inspection.wantsTileMap() &&
         source.isCacheable();
}

const runtime::ContentHash &Driver::key() {
  if (!asKeyed)
    asKeyed = keyOf(asked, source);
  return *asKeyed;
}

ExecutableCache Driver::cache() {
  return isCached() ? ExecutableCache(asked.cacheDirectory, key())
                    : ExecutableCache();
}

std::optional<std::string> Driver::find() {
  if (writesOutput(asked))
    return std::nullopt;
  return cache().find();
}

void Driver::keep(const std::function<void(std::ostream &)> &write) {
  cache().keep(write);
}

void Driver::dump(std::string_view stage) {
  if (!wanted.dumpDirectory.empty())
    writeText(
        fmt::format("{}/{:02}-{}.txt", wanted.dumpDirectory, dumps++, stage),
        toString(*current));
}

Module &Driver::imported() {
  if (current)
    return *current;
  if (isCached())
    key(); // before passes change the module of a source, and the key with it
  const Interruptible scope(wanted.check);
  current = stages("import", [&] { return &source.module(wanted); });
  dump("import");
  return *current;
}

Module &Driver::module() {
  Module &module = imported();
  if (isTransformed)
    return module;
  const Interruptible scope(wanted.check);
  Pipeline pipeline = wanted.pipeline;
  pipeline.options.numIpus = wanted.ipusPerReplica();
  pipeline.afterEach = [&](std::string_view pass) {
    dump(pass);
    if (wanted.check)
      wanted.check();
  };
  stages("transform", [&] { inspection.run(module, std::move(pipeline)); });
  source.afterPasses(module);
  isTransformed = true;
  return module;
}

TileProgram Driver::lower(bool mapTensors) {
  const Module &module = this->module();
  const Interruptible scope(wanted.check);
  ProgramOptions program = wanted.program;
  program.mapTensors = mapTensors;
  return stages("lower", [&] {
    return lowerModule(module, makeTarget(wanted.machine), program,
                       wanted.keepsGenerators);
  });
}

poplar::Executable Driver::compile() {
  TileProgram program = lower(inspection.wantsTileMap());
  inspection.writeTileMap(program.tileMap);
  const Interruptible scope(wanted.check);
  poplar::Executable executable = stages("compile", [&] {
    return compileProgram(
        program, wanted.engineFlags(), [&](int done, int total) {
          if (wanted.check)
            wanted.check();
          stages.report({"compile", static_cast<unsigned>(done),
                         static_cast<unsigned>(total)});
        });
  });
  source.annotate(executable, program);
  return executable;
}

void Driver::change(const Request &request) {
  wanted = request;
  current = nullptr;
  isTransformed = false;
}

} // namespace populus::popir
