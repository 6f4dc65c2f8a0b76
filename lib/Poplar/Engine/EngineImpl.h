// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// State of a poplar::Engine: the program, the session that runs it after
// loading, and the host's ends of its streams, which may be connected before
// loading.

#ifndef POPULUS_LIB_POPLAR_ENGINE_ENGINEIMPL_H
#define POPULUS_LIB_POPLAR_ENGINE_ENGINEIMPL_H

#include "lib/Poplar/Engine/ExecutableData.h"
#include "lib/Poplar/Report/Report.h"
#include "lib/Poplar/Support/EngineOptions.h"
#include "lib/Profile/ReportBuilder.h"
#include "runtime/Session/Session.h"

#include <poplar/HostFunctionCallback.hpp>
#include <poplar/Quarter.hpp>
#include <poplar/StringRef.hpp>
#include <poplar/Target.hpp>

#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

namespace poplar::core {

/// The size of a host buffer; 0 if its end is before its begin.
std::size_t bytesBetween(const void *begin, const void *end);

class EngineImpl {
public:
  EngineImpl(const ExecutableData &compiled, const EngineOptions &options);

  void load(const Target &target);
  populus::runtime::Session &session(const char *forWhat);
  /// Prints the findings of checks since the last call to stderr.
  void printFindings();
  /// Runs a program. `current` has the options that may change from run to run.
  void run(unsigned program, const std::string &name,
           const EngineOptions &current);

  void connect(StringRef handle, populus::runtime::StreamFunction function,
               std::uint32_t replica = populus::runtime::AllReplicas);
  void connectHostFunction(StringRef handle, std::uint32_t replica,
                           std::shared_ptr<HostCallback> callback);
  /// Finds a stream. The error for an unknown name suggests the closest one.
  std::uint32_t findStream(StringRef handle) const;
  std::uint32_t findRemoteBuffer(StringRef handle) const;
  std::uint32_t findHostFunction(StringRef handle) const;
  /// The host tensor that can be written, or read.
  std::uint32_t findHostTensor(StringRef handle, bool write) const;
  std::size_t bytesOf(std::uint32_t hostTensor) const;
  populus::runtime::ElementType typeOf(std::uint32_t hostTensor) const;

  // Metadata of quarters that the host transfers (EngineQuarters.cpp). Each
  // function takes the handle of the tensor or stream.
  /// Throws where quarters have no metadata, or others have some.
  void requireMetadata(StringRef handle, populus::runtime::ElementType type,
                       bool isGiven) const;
  void requireEqualMetadata(StringRef handle, QuarterMetadata device,
                            QuarterMetadata host) const;
  QuarterMetadata readMetadata(StringRef handle);
  void writeMetadata(StringRef handle, QuarterMetadata metadata);
  /// Connects metadata. A stream to the host writes to `result` if it is not
  /// null; otherwise the received metadata must equal `metadata`.
  void connectMetadata(StringRef handle, QuarterMetadata metadata,
                       QuarterMetadata *result);

  /// Report of the program and, once it is loaded, of its runs.
  populus::report::Report report() const;

  std::shared_ptr<const populus::runtime::Executable> executable;
  EngineOptions options;
  std::unique_ptr<populus::runtime::Session> loaded;
  /// The processes that share the program's replicas; 1 before it is loaded.
  unsigned numProcesses = 1;
  /// Connected functions, by stream or host function and by replica.
  std::vector<std::vector<populus::runtime::StreamFunction>> streams;
  std::vector<std::vector<populus::runtime::HostFunctionCall>> hostFunctions;
  double clockHz = 0; // of the device, once it is loaded
  std::ostream *printStream = nullptr;
  std::size_t numFindings = 0; // printed
  /// Runs since the program was loaded or the profile was reset.
  std::vector<populus::profile::RunRecord> runs;
  /// Path of the report; empty if none was requested.
  std::string reportPath;

private:
  void updateReport();
  std::uint64_t reportedRuns = 0;
};

} // namespace poplar::core

#endif
