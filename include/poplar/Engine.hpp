// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles a graph with its programs and runs the programs on a device. This
// header alone includes all of the host interface.

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

/// Receives the number of the current compilation step and the number of all
/// steps.
using ProgressFunc = std::function<void(int, int)>;

/// Compiles a graph. Throws an error of exceptions.hpp that describes the fault
/// of the graph, or graph_memory_allocation_error if the data of a tile does
/// not fit.
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

  /// Loads the program onto a device. The device's target must be the graph's.
  void load(const Device &device);
  /// Later runs use these options instead of the engine's.
  void load(const Device &device, const RuntimeOptions &options);
  void prepare(const Device &device) { load(device); }
  void prepare(const Device &device, const RuntimeOptions &options) {
    load(device, options);
  }
  void deploy() { held(); }
  /// Runs a program, given its index in the list of programs.
  void run(unsigned program = 0, const std::string &debugName = "");
  /// The same with options for this run only.
  void run(unsigned program, const std::string &debugName,
           const RuntimeOptions &options);
  void loadAndRun(const Device &device, unsigned program = 0);

  /// Copies a tensor from or to the device. The buffer holds the elements in
  /// order.
  void readTensor(StringRef handle, void *buffer);
  void readTensor(StringRef handle, void *begin, void *end);
  void writeTensor(StringRef handle, const void *buffer);
  void writeTensor(StringRef handle, const void *begin, const void *end);

  /// The same for tensors of type QUARTER. The buffer holds their bytes, and
  /// the metadata is transferred as well. If the tensor's metadata is constant,
  /// or `metadata` is const, both sides must have equal metadata.
  void readTensor(StringRef handle, QuarterMetadata &metadata, void *begin,
                  void *end);
  void readTensor(StringRef handle, const QuarterMetadata &metadata,
                  void *begin, void *end);
  void writeTensor(StringRef handle, const QuarterMetadata &metadata,
                   const void *begin, const void *end);

  /// Connects a stream to a buffer, which is transferred whole each time, or to
  /// a circular buffer. Replicas of a graph transfer one part after another.
  void connectStream(StringRef handle, void *buffer);
  void connectStream(StringRef handle, void *begin, void *end);
  /// The same for a stream itself.
  void connectStream(const DataStream &stream, void *buffer) {
    connectStream(stream.handle(), buffer);
  }
  void connectStream(const DataStream &stream, void *begin, void *end) {
    connectStream(stream.handle(), begin, end);
  }
  /// Connects a stream of quarters. The metadata is transferred as well; for a
  /// stream to the host, each transfer writes it to `metadata`.
  void connectStream(StringRef handle, QuarterMetadata &metadata, void *begin,
                     void *end);
  void connectStream(StringRef handle, const QuarterMetadata &metadata,
                     void *begin, void *end);
  /// Connects a stream to a callback, for all replicas, one after another, or
  /// for one of them. Data that a callback has prefetched is used by the next
  /// transfer, in this run or a later one.
  void connectStreamToCallback(const DataStream &stream,
                               StreamCallbackHandle callback);
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

  // Profiles. Runs are profiled from the start unless the option
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
  /// Writes the host times of the first 65,536 runs since the program was
  /// loaded, as comma-separated values: name, program, begin and end in
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
/// The same for a report in a file (profile.pop). A literal path has its own
/// overloads, because `{}` as options would also convert to a ProfileValue.
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
/// Without an execution profile, only the compilation is described. Option
/// ("true" or "false"): showExecutionSteps.
void printProfileSummary(std::ostream &out, const ProfileValue &graphProfile,
                         const ProfileValue &executionProfile = {},
                         const OptionFlags &options = {});

} // namespace poplar

#endif
