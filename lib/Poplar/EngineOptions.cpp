// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every published key is known; those that would not change what a program does
// here are accepted and have no effect, which the log says.

#include "lib/Poplar/EngineOptions.h"

#include "lib/Poplar/Log.h"
#include "lib/Poplar/NearestName.h"

#include <poplar/exceptions.hpp>

#include <algorithm>
#include <charconv>
#include <iterator>

namespace poplar::core {

namespace {

/// Keys that are read here or by the profile writer.
constexpr std::string_view KeysWithEffect[] = {
    "debug.allowOutOfMemory",
    "autoReport.outputExecutionProfile",
    "exchange.enablePrefetch",
    "opt.maxCompilationThreads",
};

constexpr std::string_view KeysWithoutEffect[] = {
    "autoReport.all",
    "autoReport.directory",
    "autoReport.executionProfileProgramRunCount",
    "autoReport.outputArchive",
    "autoReport.outputDebugInfo",
    "autoReport.outputGraphProfile",
    "autoReport.outputLoweredVars",
    "autoReport.outputSerializedGraph",
    "autoReport.streamAtEachRun",
    "debug.branchRecordFlush",
    "debug.branchRecordTile",
    "debug.computeInstrumentationLevel",
    "debug.executionProfile",
    "debug.floatPointOpException",
    "debug.graphReportDestination",
    "debug.instrument",
    "debug.instrumentCompute",
    "debug.instrumentControlFlow",
    "debug.instrumentExternalExchange",
    "debug.loweredVarDumpFile",
    "debug.nanOverflowMode",
    "debug.outputAllSymbols",
    "debug.profilingTile",
    "debug.retainDebugInformation",
    "debug.runtimeVerify",
    "debug.supervisorStackSizeInBytes",
    "debug.trace",
    "debug.traceFile",
    "debug.verify",
    "exchange.multicastPolicy",
    "exchange.streamBufferOverlap",
    "opt.enableInlining",
    "opt.enableMultiAccessCopies",
    "opt.enableSkipSyncs",
    "opt.enableSwSyncs",
    "opt.internalExchangeOptimisationTarget",
    "opt.limitVertexStateToLower256K",
    "opt.maxComputeSetsPerLoweredCopy",
    "opt.maxCopyMergeSize",
    "opt.maxLinkerThreads",
    "opt.useAutoloader",
    "prng.enable",
    "prng.enableStochasticRounding",
    "prng.seed",
    "profiler.blocks.filter",
    "profiler.blocks.implicitFlush",
    "profiler.format",
    "profiler.includeCycleEstimates",
    "profiler.includeFlopEstimates",
    "profiler.perExecutionStreamCopyCycles",
    "profiler.programs.filter",
    "profiler.replicaToProfile",
    "streamCallbacks.maxLookahead",
    "streamCallbacks.multiThreadMode",
    "streamCallbacks.numWorkerThreads",
    "streamCallbacks.numaAware",
    "target.deterministicWorkers",
    "target.exceptionPollPeriodUs",
    "target.extendedMemory",
    "target.firstRuntimeReplica",
    "target.gatewayMode",
    "target.gatewayWriteCombining",
    "target.hostSyncTimeout",
    "target.maxStreamCallbackThreadsPerNumaNode",
    "target.numberRuntimeReplica",
    "target.saveArchive",
    "target.syncMethod",
    "target.syncPollPeriodUs",
    "target.syncReplicasIndependently",
    "target.workerStackSizeInBytes",
};

bool readBool(const std::string &key, const std::string &value) {
  if (value == "true" || value == "1")
    return true;
  if (value == "false" || value == "0")
    return false;
  throw invalid_option("the value of engine option '" + key + "' is '" + value +
                       "', but must be true or false");
}

/// A number of threads; -1 and 0 stand for all that the machine has.
unsigned readThreads(const std::string &key, const std::string &value) {
  constexpr int MostThreads = 1024;
  int threads = 0;
  const char *end = value.data() + value.size();
  const auto [rest, error] = std::from_chars(value.data(), end, threads);
  if (error != std::errc() || rest != end || threads < -1 ||
      threads > MostThreads)
    throw invalid_option("the value of engine option '" + key + "' is '" +
                         value + "', but must be a number from -1 to " +
                         std::to_string(MostThreads));
  return static_cast<unsigned>(std::max(threads, 0));
}

void read(const OptionFlags &flags, EngineOptions &options) {
  for (const auto &[key, value] : flags) {
    if (key == "debug.allowOutOfMemory")
      options.allowOutOfMemory = readBool(key, value);
    else if (key == "autoReport.outputExecutionProfile")
      options.profileExecution = readBool(key, value);
    else if (key == "exchange.enablePrefetch")
      options.enablePrefetch = readBool(key, value);
    else if (key == "opt.maxCompilationThreads")
      options.compilationThreads = readThreads(key, value);
    else if (std::find(std::begin(KeysWithoutEffect),
                       std::end(KeysWithoutEffect),
                       key) != std::end(KeysWithoutEffect))
      log(LogLevel::Debug, "engine option '" + key + "' has no effect");
    else {
      std::vector<std::string_view> known(std::begin(KeysWithEffect),
                                          std::end(KeysWithEffect));
      known.insert(known.end(), std::begin(KeysWithoutEffect),
                   std::end(KeysWithoutEffect));
      throw invalid_option("there is no engine option '" + key + "'" +
                           didYouMean(key, known));
    }
  }
}

} // namespace

EngineOptions parseEngineOptions(const OptionFlags &flags) {
  OptionFlags all = flags;
  readJSONFromEnv("POPLAR_ENGINE_OPTIONS", all);
  EngineOptions options;
  read(all, options);
  return options;
}

} // namespace poplar::core
