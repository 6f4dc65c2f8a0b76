// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The key of executables in all caches. Each struct of options is taken apart
// whole, so none of its fields can be forgotten (OptionKey.h).

#include "lib/PopART/Driver.h"
#include "lib/PopART/Support/Cache.h"
#include "lib/Poplar/Support/EngineOptions.h"

#include <poplar/exceptions.hpp>

namespace populus::popir {

static void addTo(OptionKey &key, const MachineOptions &machine) {
  const auto &[target, device, numIpus, tilesPerIpu] = machine;
  key.add(target, device, numIpus, tilesPerIpu);
}

static void addTo(OptionKey &key, const AnchorReturn &anchor) {
  const auto &[kind, n] = anchor;
  key.add(kind, n);
}

static void addTo(OptionKey &key, const HostTransfer &transfer) {
  const auto &[viaIoTiles, overlap] = transfer;
  key.add(viaIoTiles, overlap);
}

static void addTo(OptionKey &key, const ProgramOptions &program) {
  const auto &[replicas, batchesPerStep, microBatches, pipelined, partials,
               convolutionOptions, matmulOptions, roundsStochastically,
               codelets, codeletFlags, broadcastInputs, mapTensors,
               anchorReturns, numIoTiles, transfers] = program;
  key.add(replicas, batchesPerStep, microBatches, pipelined, partials,
          convolutionOptions, matmulOptions, roundsStochastically, codelets,
          codeletFlags, broadcastInputs, numIoTiles, transfers, anchorReturns);
}

static void addTo(OptionKey &key, const PassOptions &options) {
  for (const PassOption &option : allPassOptions())
    std::visit([&](auto field) { key.add(options.*field); }, option.field);
}

static void addTo(OptionKey &key, const Pipeline &pipeline) {
  const auto &[patterns, demanded, options, verifyEach, afterEach,
               atCheckpoint] = pipeline;
  for (const Pass &pass : allPasses())
    key.add(pipeline.runs(pass));
  key.add(demanded, options);
}

/// The engine options that change an executable, of the request and of the
/// environment. Options that cannot be read end the compilation later.
static std::string engineKey(const Request &request) {
  try {
    return poplar::core::executableOptions(
        poplar::core::parseEngineOptions(request.engineFlags()));
  } catch (const poplar::poplar_error &) {
    return "invalid";
  }
}

static void addTo(OptionKey &key, const Request &request) {
  const auto &[machine, program, pipeline, keepsGenerators, engineOptions,
               firstReplica, numOwnReplicas, cacheDirectory, drawings,
               dumpDirectory, progress, check] = request;
  key.add(machine, program, pipeline, keepsGenerators, engineKey(request));
}

runtime::ContentHash keyOf(const Request &request, const Source &source) {
  OptionKey key(compilerHash());
  key.add(request);
  source.addTo(key);
  return key.get();
}

} // namespace populus::popir
