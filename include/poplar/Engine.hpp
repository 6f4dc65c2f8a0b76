// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles a graph with its programs, and runs them on a device. Programs that
// include nothing else get all of the host's interface with it.

#ifndef POPULUS_INCLUDE_POPLAR_ENGINE_HPP
#define POPULUS_INCLUDE_POPLAR_ENGINE_HPP

#include <poplar/ArrayRef.hpp>
#include <poplar/CSRFunctions.hpp>
#include <poplar/CycleCount.hpp>
#include <poplar/DebugContext.hpp>
#include <poplar/Device.hpp>
#include <poplar/DeviceManager.hpp>
#include <poplar/Executable.hpp>
#include <poplar/Graph.hpp>
#include <poplar/HostFunctionCallback.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/MetadataCreation.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/ProfileValue.hpp>
#include <poplar/Program.hpp>
#include <poplar/Quarter.hpp>
#include <poplar/RandomSeed.hpp>
#include <poplar/RuntimeOptions.hpp>
#include <poplar/StreamCallback.hpp>
#include <poplar/StringRef.hpp>
#include <poplar/TargetType.hpp>
#include <poplar/TypeConversion.hpp>
#include <poplar/exceptions.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

namespace pva {
class Report;
} // namespace pva

namespace poplar {

namespace core {
class EngineImpl;
} // namespace core

/// Told the number of the step that the compiler is at, and of all steps.
using ProgressFunc = std::function<void(int, int)>;

/// Compiles. Throws an error of exceptions.hpp that says what is wrong with the
/// graph, or graph_memory_allocation_error if a tile would be too full.
Executable compileGraph(const Graph &graph, ArrayRef<program::Program> programs,
                        const OptionFlags &options = {},
                        ProgressFunc progress = ProgressFunc(),
                        const DebugContext &debugContext = {});
Executable compileGraph(Graph &&graph, ArrayRef<program::Program> programs,
                        const OptionFlags &options = {},
                        ProgressFunc progress = ProgressFunc(),
                        const DebugContext &debugContext = {});

class Engine {
public:
  using TimerTimePoint = std::chrono::steady_clock::time_point;

  Engine(const Graph &graph, const program::Program &program,
         const OptionFlags &options = {});
  Engine(const Graph &graph, ArrayRef<program::Program> programs,
         const OptionFlags &options = {},
         ProgressFunc progress = ProgressFunc(),
         const DebugContext &debugContext = {});
  Engine(Executable &&executable, const OptionFlags &options = {});
  Engine(const Executable &executable, const OptionFlags &options = {});
  Engine(Engine &&other) noexcept;
  Engine &operator=(Engine &&other) noexcept;
  Engine(const Engine &) = delete;
  Engine &operator=(const Engine &) = delete;
  ~Engine();

  /// Puts the program on a device, whose target must be the graph's.
  void load(const Device &device);
  /// Runs take these options in place of the engine's from now on.
  void load(const Device &device, const RuntimeOptions &options);
  void prepare(const Device &device) { load(device); }
  void prepare(const Device &device, const RuntimeOptions &options) {
    load(device, options);
  }
  void deploy() { held(); }
  /// Runs a program, by its place in the list of programs.
  void run(unsigned program = 0, const std::string &debugName = "");
  /// The same with other options for this run.
  void run(unsigned program, const std::string &debugName,
           const RuntimeOptions &options);
  void loadAndRun(const Device &device, unsigned program = 0);

  /// Copies a tensor from or to the device; the buffer holds its elements in
  /// order.
  void readTensor(StringRef handle, void *buffer);
  void readTensor(StringRef handle, void *begin, void *end);
  void writeTensor(StringRef handle, const void *buffer);
  void writeTensor(StringRef handle, const void *begin, const void *end);

  /// The same for tensors of type QUARTER, whose bytes are in the buffer. Their
  /// metadata are written and read too. Where they are constant, or `metadata`
  /// cannot be changed, both sides must have the same.
  void readTensor(StringRef handle, QuarterMetadata &metadata, void *begin,
                  void *end);
  void readTensor(StringRef handle, const QuarterMetadata &metadata,
                  void *begin, void *end);
  void writeTensor(StringRef handle, const QuarterMetadata &metadata,
                   const void *begin, const void *end);

  /// A stream that transfers the same buffer each time, or walks round a
  /// circular buffer. The replicas of a graph take or give one part after
  /// another.
  void connectStream(StringRef handle, void *buffer);
  void connectStream(StringRef handle, void *begin, void *end);
  /// Streams of quarters need metadata, which are transferred too; those of a
  /// stream to the host are written to `metadata` with each transfer.
  void connectStream(StringRef handle, QuarterMetadata &metadata, void *begin,
                     void *end);
  void connectStream(StringRef handle, const QuarterMetadata &metadata,
                     void *begin, void *end);
  /// For all replicas, one after another, or for one of them. Data that a
  /// callback has prefetched is used by the next transfer, in this run or the
  /// next.
  void connectStreamToCallback(StringRef handle, StreamCallbackHandle callback);
  void connectStreamToCallback(StringRef handle, unsigned replica,
                               StreamCallbackHandle callback);
  std::vector<std::string> listStreams() const;

  /// Connects a host function to its callback, for all replicas or for one.
  void connectHostFunction(StringRef handle, HostCallbackHandle callback);
  void connectHostFunction(StringRef handle, unsigned replica,
                           HostCallbackHandle callback);

  /// Copies a row of a replica's remote buffer to or from the host.
  void copyToRemoteBuffer(const void *source, const std::string &handle,
                          int repeatIndex, unsigned replica = 0);
  void copyFromRemoteBuffer(const std::string &handle, void *destination,
                            int repeatIndex, unsigned replica = 0);
  template <typename T>
  void copyToRemoteBuffer(ArrayRef<T> source, const std::string &handle,
                          int repeatIndex, unsigned replica = 0) {
    copyToRemoteBuffer(static_cast<const void *>(source.data()), handle,
                       repeatIndex, replica);
  }
  template <typename T>
  void copyFromRemoteBuffer(const std::string &handle, ArrayRef<T> destination,
                            int repeatIndex, unsigned replica = 0) {
    copyFromRemoteBuffer(
        handle,
        static_cast<void *>(const_cast<typename std::remove_const<T>::type *>(
            destination.data())),
        repeatIndex, replica);
  }

  /// Sets the stream that PrintTensor writes to. The default is std::cerr.
  void setPrintStream(std::ostream &out);
  void setPrintTensorStream(std::ostream &out) { setPrintStream(out); }

  // Profiles. Runs are profiled from the begin, unless the option
  // autoReport.outputExecutionProfile is false.
  void enableExecutionProfiling();
  void disableExecutionProfiling();
  void resetExecutionProfile();
  ProfileValue getGraphProfile();
  ProfileValue getExecutionProfile();
  void printProfileSummary(std::ostream &out, const OptionFlags &options = {});
  /// Report of the compilation and, if asked for, of the execution
  /// (pva/pva.hpp).
  pva::Report getReport(bool reportExecution = true);

  // Host time.
  TimerTimePoint getTimeStamp() const;
  std::string reportTiming(const TimerTimePoint &from,
                           const TimerTimePoint &to) const;
  /// Writes the host time of each run since the program was loaded, the first
  /// 65,536 of them, as comma-separated values: name, program, begin and end in
  /// microseconds.
  void reportIntervals(std::ostream &out) const;

  void serializeExecutable(std::ostream &out) const;

private:
  friend struct core::Access;
  /// Throws if the program was moved to another engine.
  core::EngineImpl &held() const;
  void connectCircle(StringRef handle, void *begin, void *end);
  std::unique_ptr<core::EngineImpl> impl;
};

void printGraphSummary(std::ostream &out, const ProfileValue &graphProfile,
                       const OptionFlags &options = {});
/// The same of a report in a file (profile.pop). A path that is a literal has
/// overloads of its own, for `{}` as options is a ProfileValue as well.
void printGraphSummary(std::ostream &out, const std::string &profilePath,
                       const OptionFlags &options = {});
inline void printGraphSummary(std::ostream &out, const char *profilePath,
                              const OptionFlags &options = {}) {
  printGraphSummary(out, std::string(profilePath), options);
}
void printProfileSummary(std::ostream &out, const std::string &profilePath,
                         const OptionFlags &options = {});
inline void printProfileSummary(std::ostream &out, const char *profilePath,
                                const OptionFlags &options = {}) {
  printProfileSummary(out, std::string(profilePath), options);
}
void printExecutionSummary(std::ostream &out, const ProfileValue &graphProfile,
                           const ProfileValue &executionProfile,
                           const OptionFlags &options = {});
/// Without an execution profile, what was compiled. Options (values "true" or
/// "false"): showExecutionSteps.
void printProfileSummary(std::ostream &out, const ProfileValue &graphProfile,
                         const ProfileValue &executionProfile = {},
                         const OptionFlags &options = {});

} // namespace poplar

#endif
