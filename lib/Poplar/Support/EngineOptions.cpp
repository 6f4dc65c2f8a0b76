// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All published keys are known. A key without effect here is accepted, and the
// log says so.

#include "lib/Poplar/Support/EngineOptions.h"

#include "lib/Poplar/Support/FloatControl.h"
#include "lib/Poplar/Support/Log.h"
#include "lib/Poplar/Support/NearestName.h"

#include <poplar/EngineOptions.hpp>
#include <poplar/exceptions.hpp>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <iterator>
#include <vector>

namespace poplar::core {

namespace {

constexpr std::string_view KeysWithoutEffect[] = {
    "autoReport.outputArchive",
    "autoReport.streamAtEachRun",
    "debug.branchRecordFlush",
    "debug.branchRecordTile",
    "debug.executionProfile",
    "debug.instrument",
    "debug.instrumentCompute",
    "debug.instrumentControlFlow",
    "debug.instrumentExternalExchange",
    "debug.outputAllSymbols",
    "debug.profilingTile",
    "debug.retainDebugInformation",
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
    "target.gatewayMode",
    "target.gatewayWriteCombining",
    "target.maxStreamCallbackThreadsPerNumaNode",
    "target.saveArchive",
    "target.syncMethod",
    "target.syncPollPeriodUs",
    "target.syncReplicasIndependently",
};

[[noreturn]] void refuse(const std::string &key, const std::string &value,
                         const char *expected) {
  throw invalid_option("the value of engine option '" + key + "' is '" + value +
                       "', but must be " + expected);
}

bool readBool(const std::string &key, const std::string &value) {
  if (value == "true" || value == "1")
    return true;
  if (value == "false" || value == "0")
    return false;
  refuse(key, value, "true or false");
}

/// Whole numbers may be hexadecimal, as sizes often are: 0x400.
template <typename T>
T readNumber(const std::string &key, const std::string &value,
             const char *expected) {
  T number = {};
  const char *begin = value.data();
  const char *end = begin + value.size();
  const auto parse = [&] {
    if constexpr (std::is_integral_v<T>)
      if (value.starts_with("0x") || value.starts_with("0X"))
        return std::from_chars(begin + 2, end, number, 16);
    return std::from_chars(begin, end, number);
  };
  const std::from_chars_result result = parse();
  if (result.ec != std::errc() || result.ptr != end || number < T())
    refuse(key, value, expected);
  return number;
}

// Functions that apply an option, by the type of its value.

using Apply = void (*)(EngineOptions &, const std::string &key,
                       const std::string &value);

template <bool EngineOptions::*Member>
void setBool(EngineOptions &options, const std::string &key,
             const std::string &value) {
  options.*Member = readBool(key, value);
}

template <auto Member>
void setNumber(EngineOptions &options, const std::string &key,
               const std::string &value) {
  options.*Member =
      readNumber<std::uint64_t>(key, value, "a number that is not negative");
}

template <std::uint32_t Bits>
void setFloatControl(EngineOptions &options, const std::string &key,
                     const std::string &value) {
  options.floatControl &= ~Bits;
  if (readBool(key, value))
    options.floatControl |= Bits;
}

template <std::string EngineOptions::*Member>
void setText(EngineOptions &options, const std::string &,
             const std::string &value) {
  options.*Member = value;
}

void setPrintStyle(EngineOptions &options, const std::string &key,
                   const std::string &value) {
  if (value != "braces" && value != "format")
    refuse(key, value, "braces (v: {1,2}) or format (as PrintTensorFmt does)");
  options.formatPrints = value == "format";
}

void setFolder(EngineOptions &options, const std::string &,
               const std::string &value) {
  options.reportFolder = value.empty() ? "." : value;
}

void setCountLevel(EngineOptions &options, const std::string &key,
                   const std::string &value) {
  constexpr std::string_view Levels[] = {"tile", "vertex", "device", "ipu"};
  const auto *level = std::find(std::begin(Levels), std::end(Levels), value);
  if (level == std::end(Levels))
    refuse(key, value, "tile, vertex, device or ipu");
  options.countLevel =
      static_cast<EngineOptions::CountLevel>(level - std::begin(Levels));
}

void setBlockFilter(EngineOptions &options, const std::string &key,
                    const std::string &value) {
  try {
    options.blockFilter.emplace(value);
  } catch (const std::regex_error &) {
    refuse(key, value, "a regular expression");
  }
}

void setTimeout(EngineOptions &options, const std::string &key,
                const std::string &value) {
  options.hostSyncTimeout =
      readNumber<double>(key, value, "a number of seconds");
}

void setExecutionReport(EngineOptions &options, const std::string &key,
                        const std::string &value) {
  options.profileExecution = options.reportExecution = readBool(key, value);
}

void setAllReports(EngineOptions &options, const std::string &key,
                   const std::string &value) {
  options.reportGraph = options.reportExecution = options.reportVariables =
      options.reportDebugInfo = readBool(key, value);
}

/// -1 and 0 mean all threads of the machine.
void setThreads(EngineOptions &options, const std::string &key,
                const std::string &value) {
  constexpr unsigned MostThreads = 1024;
  options.compilationThreads =
      value == "-1"
          ? 0
          : readNumber<unsigned>(key, value, "a number from -1 to 1024");
  if (options.compilationThreads > MostThreads)
    refuse(key, value, "a number from -1 to 1024");
}

template <std::uint64_t EngineOptions::*Member>
void setStack(EngineOptions &options, const std::string &key,
              const std::string &value) {
  constexpr std::uint64_t MostBytes = 1 << 20; // more than a tile has
  constexpr const char *Expected = "a number of bytes up to 1048576";
  options.*Member = readNumber<std::uint64_t>(key, value, Expected);
  if (options.*Member > MostBytes)
    refuse(key, value, Expected);
}

template <std::optional<std::uint32_t> EngineOptions::*Member>
void setReplica(EngineOptions &options, const std::string &key,
                const std::string &value) {
  options.*Member =
      readNumber<std::uint32_t>(key, value, "a number that is not negative");
}

struct Option {
  std::string_view key;
  Apply apply;
};

/// In the order of keys, so that autoReport.all comes before what it includes.
constexpr Option Options[] = {
    {"autoReport.all", setAllReports},
    {"autoReport.directory", setFolder},
    {"autoReport.executionProfileProgramRunCount",
     setNumber<&EngineOptions::reportedRuns>},
    {"autoReport.outputDebugInfo", setBool<&EngineOptions::reportDebugInfo>},
    {"autoReport.outputExecutionProfile", setExecutionReport},
    {"autoReport.outputGraphProfile", setBool<&EngineOptions::reportGraph>},
    {"autoReport.outputInstructionCounts",
     setBool<&EngineOptions::reportInstructions>},
    {"autoReport.outputLoweredVars", setBool<&EngineOptions::reportVariables>},
    {"autoReport.outputSerializedGraph",
     setBool<&EngineOptions::reportSerializedGraph>},
    {"debug.allowOutOfMemory", setBool<&EngineOptions::allowOutOfMemory>},
    {"debug.computeInstrumentationLevel", setCountLevel},
    {"debug.floatPointOpException", setFloatControl<float_control::Exceptions>},
    {"debug.graphReportDestination",
     setText<&EngineOptions::summaryDestination>},
    {"debug.loweredVarDumpFile", setText<&EngineOptions::variablesFile>},
    {"debug.nanOverflowMode", setFloatControl<float_control::NanOnOverflow>},
    {"debug.printTensorStyle", setPrintStyle},
    {"debug.runtimeVerify", setBool<&EngineOptions::checkRuns>},
    {"debug.supervisorStackSizeInBytes",
     setStack<&EngineOptions::supervisorStackBytes>},
    {"debug.verifyLowering", setBool<&EngineOptions::verifyLowering>},
    {"exchange.enablePrefetch", setBool<&EngineOptions::enablePrefetch>},
    {"opt.maxCompilationThreads", setThreads},
    {"prng.enableStochasticRounding",
     setFloatControl<float_control::StochasticRounding>},
    {"prng.seed", setNumber<&EngineOptions::seed>},
    {"profiler.blocks.filter", setBlockFilter},
    {"target.firstRuntimeReplica", setReplica<&EngineOptions::firstReplica>},
    {"target.hostSyncTimeout", setTimeout},
    {"target.numberRuntimeReplica", setReplica<&EngineOptions::numReplicas>},
    {"target.workerStackSizeInBytes",
     setStack<&EngineOptions::workerStackBytes>},
};

void read(const OptionFlags &flags, EngineOptions &options) {
  for (const auto &[key, value] : flags) {
    const auto *known =
        std::find_if(std::begin(Options), std::end(Options),
                     [&](const Option &option) { return option.key == key; });
    if (known != std::end(Options))
      known->apply(options, key, value);
    else if (std::find(std::begin(KeysWithoutEffect),
                       std::end(KeysWithoutEffect),
                       key) != std::end(KeysWithoutEffect))
      log(LogLevel::Debug, "engine option '" + key + "' has no effect");
    else {
      std::vector<std::string_view> names(std::begin(KeysWithoutEffect),
                                          std::end(KeysWithoutEffect));
      for (const Option &option : Options)
        names.push_back(option.key);
      throw invalid_option("there is no engine option '" + key + "'" +
                           didYouMean(key, names));
    }
  }
}

/// The options that may change from run to run.
constexpr std::string_view RuntimeKeys[] = {
    "streamCallbacks.maxLookahead",
    "streamCallbacks.multiThreadMode",
    "streamCallbacks.numWorkerThreads",
    "streamCallbacks.numaAware",
    "target.exceptionPollPeriodUs",
    "target.hostSyncTimeout",
    "target.maxStreamCallbackThreadsPerNumaNode",
    "target.syncMethod",
    "target.syncPollPeriodUs",
};

} // namespace

EngineOptions parseEngineOptions(const OptionFlags &flags) {
  OptionFlags all = flags;
  for (const char *variable :
       {"POPLAR_ENGINE_OPTIONS", "POPLAR_RUNTIME_OPTIONS"})
    readJSONFromEnv(variable, all);
  EngineOptions options;
  const char *verify = std::getenv("POPULUS_VERIFY_LOWERING");
  options.verifyLowering = verify && std::string_view(verify) == "1";
  if (const char *destination = std::getenv("POPLAR_GRAPH_REPORT_DEST"))
    options.summaryDestination = destination;
  read(all, options);
  return options;
}

void applyRuntimeOptions(const RuntimeOptions &from, EngineOptions &to) {
  read(from.getOptionFlags(), to);
}

} // namespace poplar::core

namespace poplar {

RuntimeOptions::RuntimeOptions(const OptionFlags &flags) : flags(flags) {
  core::EngineOptions checked;
  core::read(flags, checked);
  for (const auto &flag : flags)
    if (std::find(std::begin(core::RuntimeKeys), std::end(core::RuntimeKeys),
                  flag.first) == std::end(core::RuntimeKeys))
      throw invalid_option("engine option '" + flag.first +
                           "' cannot change from run to run; give it to the "
                           "Engine");
}

EngineOptions::EngineOptions(const Target &target, const OptionFlags &flags)
    : target(target), flags(flags) {
  core::parseEngineOptions(flags);
}

} // namespace poplar
