// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See EngineOptionTable.h. Defaults stand in EngineOptions only; the table of
// the documentation reads them from there.

#include "lib/Poplar/Support/EngineOptionTable.h"

#include "lib/Poplar/Support/FloatControl.h"

#include <poplar/exceptions.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <sstream>
#include <utility>

namespace poplar::core {

namespace {

[[noreturn]] void refuse(const std::string &key, const std::string &value,
                         const char *expected) {
  throw invalid_option("the value of engine option '" + key + "' is '" + value +
                       "', but must be " + expected);
}

bool readBool(const std::string &key, const std::string &value) {
  // Python writes them with capitals.
  if (value == "true" || value == "True" || value == "1")
    return true;
  if (value == "false" || value == "False" || value == "0")
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

// Values by their types: a function that reads them, and one that writes them.

std::string textOf(bool value) { return value ? "true" : "false"; }

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

/// By EngineOptions::formatPrints.
constexpr std::string_view PrintStyles[] = {"braces", "format"};

void setPrintStyle(EngineOptions &options, const std::string &key,
                   const std::string &value) {
  if (std::ranges::find(PrintStyles, value) == std::end(PrintStyles))
    refuse(key, value, "braces (v: {1,2}) or format (as PrintTensorFmt does)");
  options.formatPrints = value == "format";
}

void setFolder(EngineOptions &options, const std::string &,
               const std::string &value) {
  options.reportFolder = value.empty() ? "." : value;
}

/// By EngineOptions::CountLevel.
constexpr std::string_view Levels[] = {"tile", "vertex", "device", "ipu"};

void setCountLevel(EngineOptions &options, const std::string &key,
                   const std::string &value) {
  const auto *level = std::find(std::begin(Levels), std::end(Levels), value);
  if (level == std::end(Levels))
    refuse(key, value, "tile, vertex, device or ipu");
  options.countLevel =
      static_cast<EngineOptions::CountLevel>(level - std::begin(Levels));
}

void setCounts(EngineOptions &options, bool ofComputeSets, bool ofExternal,
               bool ofHost) {
  options.countComputeSets = ofComputeSets;
  options.countExternalExchanges = ofExternal;
  options.countHostExchanges = ofHost;
}

void setAllCounts(EngineOptions &options, const std::string &key,
                  const std::string &value) {
  const bool wanted = readBool(key, value);
  setCounts(options, wanted, wanted, wanted);
}

void setExchangeCounts(EngineOptions &options, const std::string &key,
                       const std::string &value) {
  options.countExternalExchanges = options.countHostExchanges =
      readBool(key, value);
}

/// The modes of an execution profile by the names that the option has.
void setProfileMode(EngineOptions &options, const std::string &key,
                    const std::string &value) {
  using enum EngineOptions::CountLevel;
  constexpr std::pair<std::string_view, EngineOptions::CountLevel> ByLevel[] = {
      {"compute_sets", Tile},
      {"vertices", Vertex},
      {"single_tile_compute_sets", Device}};
  const auto *level = std::ranges::find(
      ByLevel, value,
      &std::pair<std::string_view, EngineOptions::CountLevel>::first);
  if (level != std::end(ByLevel))
    options.countLevel = level->second;
  else if (value != "external_exchanges" && value != "host_exchanges" &&
           value != "no_profile")
    refuse(key, value,
           "no_profile, compute_sets, single_tile_compute_sets, vertices, "
           "external_exchanges or host_exchanges");
  setCounts(options, level != std::end(ByLevel), value == "external_exchanges",
            value == "host_exchanges");
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

template <std::optional<std::uint32_t> EngineOptions::*Member>
void setReplica(EngineOptions &options, const std::string &key,
                const std::string &value) {
  options.*Member =
      readNumber<std::uint32_t>(key, value, "a number that is not negative");
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

// Pairs of these functions, as rows name them.

template <auto Member>
constexpr OptionValue Flag = {
    setBool<Member>,
    [](const EngineOptions &options) { return textOf(options.*Member); }};

template <auto Member>
constexpr OptionValue Number = {setNumber<Member>,
                                [](const EngineOptions &options) {
                                  return std::to_string(options.*Member);
                                }};

template <auto Member>
constexpr OptionValue Replica = {
    setReplica<Member>, [](const EngineOptions &options) {
      const auto &value = options.*Member;
      return value ? std::to_string(*value) : std::string();
    }};

template <auto Member>
constexpr OptionValue Stack = {setStack<Member>,
                               [](const EngineOptions &options) {
                                 return std::to_string(options.*Member);
                               }};

template <auto Member>
constexpr OptionValue Text = {
    setText<Member>,
    [](const EngineOptions &options) { return options.*Member; }};

template <std::uint32_t Bits>
constexpr OptionValue FloatControlBits = {
    setFloatControl<Bits>, [](const EngineOptions &options) {
      return textOf((options.floatControl & Bits) != 0);
    }};

constexpr OptionValue Folder = {setFolder, [](const EngineOptions &options) {
                                  return options.reportFolder;
                                }};
constexpr OptionValue PrintStyle = {
    setPrintStyle, [](const EngineOptions &options) {
      return std::string(PrintStyles[options.formatPrints]);
    }};
constexpr OptionValue Level = {
    setCountLevel, [](const EngineOptions &options) {
      return std::string(Levels[static_cast<unsigned>(options.countLevel)]);
    }};
constexpr OptionValue ExchangeCounts = {
    setExchangeCounts, [](const EngineOptions &options) {
      return textOf(options.countExternalExchanges &&
                    options.countHostExchanges);
    }};
constexpr OptionValue Threads = {setThreads, [](const EngineOptions &options) {
                                   return std::to_string(
                                       options.compilationThreads);
                                 }};
constexpr OptionValue Timeout = {setTimeout, [](const EngineOptions &options) {
                                   std::ostringstream text;
                                   text << options.hostSyncTimeout;
                                   return std::move(text).str();
                                 }};

/// The text of an option that is nothing until it is set.
std::string unset(const EngineOptions &) { return ""; }

constexpr OptionValue AllReports = {setAllReports, unset};
constexpr OptionValue AllCounts = {setAllCounts, unset};
constexpr OptionValue ProfileMode = {setProfileMode, unset};
constexpr OptionValue ExecutionReport = {setExecutionReport, unset};
constexpr OptionValue Filter = {setBlockFilter, unset};
constexpr OptionValue Seed = {setNumber<&EngineOptions::seed>, unset};

using enum OptionEffect;

constexpr EngineOption Options[] = {
    {"autoReport.all", Output, AllReports, "true",
     "all reports that follow here, but for instruction counts and the "
     "serialized graph"},
    {"autoReport.directory", Run, Folder, "@folder",
     "the folder of reports; made if it is not there"},
    {"autoReport.executionProfileProgramRunCount", Run,
     Number<&EngineOptions::reportedRuns>, "3",
     "the number of runs that the report describes"},
    {"autoReport.outputDebugInfo", Output,
     Flag<&EngineOptions::reportDebugInfo>, "true",
     "write what libraries record about their operations to `debug.cbor` of "
     "the report; in `POPLAR_ENGINE_OPTIONS` only, for an engine comes too "
     "late"},
    {"autoReport.outputExecutionProfile", Run, ExecutionReport, "true",
     "write a report with the execution, see below; `false` switches profiling "
     "off"},
    {"autoReport.outputGraphProfile", Run, Flag<&EngineOptions::reportGraph>,
     "true", "write a report, see below"},
    {"autoReport.outputInstructionCounts", Run,
     Flag<&EngineOptions::reportInstructions>, "true",
     "count in the report how often each instruction is executed, on the IPU "
     "device; slower, with the same results and cycles"},
    {"autoReport.outputLoweredVars", Output,
     Flag<&EngineOptions::reportVariables>, "true",
     "write where each part of a variable lies, as JSON, to `vars.json` of the "
     "report"},
    {"autoReport.outputSerializedGraph", Output,
     Flag<&EngineOptions::reportSerializedGraph>, "true",
     "write the graph and its programs (`Graph::serialize`) to "
     "`serialized_graph.cbor` of the report"},
    {"debug.allowOutOfMemory", Acceptance,
     Flag<&EngineOptions::allowOutOfMemory>, "true",
     "compile a program that does not fit"},
    {"debug.computeInstrumentationLevel", Run, Level, "vertex",
     "`tile`, `vertex`, `device`, `ipu`: what the execution profile of the IPU "
     "device calls its mode. Counting costs nothing there and changes nothing, "
     "so it has the fields of all modes; `vertexCycles` and its companions "
     "with `vertex` only"},
    {"debug.executable", Output, Text<&EngineOptions::debugExecutable>, "@file",
     "a file for the compiled program and the places of its variables, for "
     "`ipu-dbg` ([debugging.md](debugging.md))"},
    {"debug.executionProfile", Run, ProfileMode, "host_exchanges",
     "the only counts that the execution profile of the IPU device has: "
     "`no_profile`, `compute_sets`, `single_tile_compute_sets`, `vertices`, "
     "`external_exchanges` (between IPUs), `host_exchanges`"},
    {"debug.floatPointOpException", Run,
     FloatControlBits<float_control::Exceptions>, "true",
     "what `FloatingPointBehaviour` calls inv, div0 and oflo"},
    {"debug.graphReportDestination", Output,
     Text<&EngineOptions::summaryDestination>, "@file",
     "where the summary of the graph goes when it has been compiled "
     "(`printProfileSummary` without execution): `stdout`, `stderr`, or a "
     "file's name"},
    {"debug.instrument", Run, AllCounts, "false",
     "`false`: the execution profile of the IPU device is empty "
     "(`profilerMode` is `NONE`), unless an option that follows here wants "
     "counts"},
    {"debug.instrumentCompute", Run, Flag<&EngineOptions::countComputeSets>,
     "false",
     "the execution profile of the IPU device has counts of compute sets"},
    {"debug.instrumentExternalExchange", Run, ExchangeCounts, "false",
     "it has counts of exchanges between IPUs, and with the host; if it has "
     "no others, `profilerMode` is `EXTERNAL_EXCHANGES`"},
    {"debug.loweredVarDumpFile", Output, Text<&EngineOptions::variablesFile>,
     "@file", "a file for what `autoReport.outputLoweredVars` writes"},
    {"debug.nanOverflowMode", Run,
     FloatControlBits<float_control::NanOnOverflow>, "true",
     "what `FloatingPointBehaviour` calls nanoo"},
    {"debug.printTensorStyle", Run, PrintStyle, "format",
     "`braces`: `PrintTensor` writes `v: {1,2}`, as the user guide shows it; "
     "`format`: as a `PrintTensorFmt` with its defaults, `v: [1 2]`, where a "
     "program gives none"},
    {"debug.runtimeVerify", Run, Flag<&EngineOptions::checkRuns>, "true",
     "check codelets on the IPU device as `POPULUS_CHECK=mistakes` does"},
    {"debug.supervisorStackSizeInBytes", Executable,
     Stack<&EngineOptions::supervisorStackBytes>, "4096",
     "stacks of supervisors have at least this size"},
    {"debug.verifyLowering", Acceptance, Flag<&EngineOptions::verifyLowering>,
     "true",
     "check that the compiled program reads everywhere what the graph says "
     "([architecture.md](architecture.md#checking-what-was-lowered)); "
     "`POPULUS_VERIFY_LOWERING=1` in the environment makes it the default"},
    {"exchange.enablePrefetch", Run, Flag<&EngineOptions::enablePrefetch>,
     "false", "ask callbacks of streams for data ahead of time"},
    {"opt.maxCompilationThreads", Run, Threads, "1",
     "host threads of the graph compiler; 0 and -1: as many as the machine "
     "has"},
    {"prng.enableStochasticRounding", Run,
     FloatControlBits<float_control::StochasticRounding>, "true",
     "tiles start with stochastic rounding"},
    {"prng.seed", Run, Seed, "7", "the seed of the workers of tiles"},
    {"profiler.blocks.filter", Run, Filter, "x",
     "a regular expression: reports tell of executions of the blocks "
     "(`program::Block`) whose names have a match; default: of all"},
    {"target.firstRuntimeReplica", Run, Replica<&EngineOptions::firstReplica>,
     "1",
     "the first replica that this process runs, where other processes of the "
     "job run the rest ([poprun.md](poprun.md))"},
    {"target.hostSyncTimeout", Run, Timeout, "100",
     "stop a run after this many *modelled* seconds without contact to the "
     "host; 0: no limit",
     true},
    {"target.numberRuntimeReplica", Run, Replica<&EngineOptions::numReplicas>,
     "1", "the number of replicas that this process runs"},
    {"target.workerStackSizeInBytes", Executable,
     Stack<&EngineOptions::workerStackBytes>, "2048",
     "stacks of workers have at least this size"},
};

struct KeyWithoutEffect {
  std::string_view key;
  bool mayChangePerRun = false;
};

constexpr KeyWithoutEffect OtherKeys[] = {
    {"autoReport.outputArchive"},
    {"autoReport.streamAtEachRun"},
    {"debug.branchRecordFlush"},
    {"debug.branchRecordTile"},
    {"debug.instrumentControlFlow"},
    {"debug.outputAllSymbols"},
    {"debug.profilingTile"},
    {"debug.retainDebugInformation"},
    {"debug.trace"},
    {"debug.traceFile"},
    {"debug.verify"},
    {"exchange.multicastPolicy"},
    {"exchange.streamBufferOverlap"},
    {"opt.enableInlining"},
    {"opt.enableMultiAccessCopies"},
    {"opt.enableSkipSyncs"},
    {"opt.enableSwSyncs"},
    {"opt.internalExchangeOptimisationTarget"},
    {"opt.limitVertexStateToLower256K"},
    {"opt.maxComputeSetsPerLoweredCopy"},
    {"opt.maxCopyMergeSize"},
    {"opt.maxLinkerThreads"},
    {"opt.useAutoloader"},
    {"prng.enable"},
    {"profiler.blocks.implicitFlush"},
    {"profiler.format"},
    {"profiler.includeCycleEstimates"},
    {"profiler.includeFlopEstimates"},
    {"profiler.perExecutionStreamCopyCycles"},
    {"profiler.programs.filter"},
    {"profiler.replicaToProfile"},
    {"streamCallbacks.maxLookahead", true},
    {"streamCallbacks.multiThreadMode", true},
    {"streamCallbacks.numWorkerThreads", true},
    {"streamCallbacks.numaAware", true},
    {"target.deterministicWorkers"},
    {"target.exceptionPollPeriodUs", true},
    {"target.extendedMemory"},
    {"target.gatewayMode"},
    {"target.gatewayWriteCombining"},
    {"target.maxStreamCallbackThreadsPerNumaNode", true},
    {"target.saveArchive"},
    {"target.syncMethod", true},
    {"target.syncPollPeriodUs", true},
    {"target.syncReplicasIndependently"},
};

constexpr auto OtherNames = [] {
  std::array<std::string_view, std::size(OtherKeys)> names;
  std::ranges::transform(OtherKeys, names.begin(), &KeyWithoutEffect::key);
  return names;
}();

} // namespace

std::span<const EngineOption> engineOptions() { return Options; }

std::span<const std::string_view> keysWithoutEffect() { return OtherNames; }

bool mayChangePerRun(std::string_view key) {
  const auto isIt = [&](const auto &row) {
    return row.key == key && row.mayChangePerRun;
  };
  return std::ranges::any_of(Options, isIt) ||
         std::ranges::any_of(OtherKeys, isIt);
}

std::string engineOptionRows() {
  std::string rows;
  for (const EngineOption &option : Options) {
    const std::string usual = option.value.text(EngineOptions());
    rows += "| `" + std::string(option.key) + "` | " +
            (usual.empty() ? usual : "`" + usual + "`") + " | " +
            std::string(option.help) + " |\n";
  }
  return rows;
}

} // namespace poplar::core
