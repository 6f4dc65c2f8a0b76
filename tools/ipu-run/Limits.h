// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Limits on a run's use of the host. A thread monitors the time and the
// resident memory. If a limit is exceeded, it reports that and ends the
// process. Outputs are written after the last run, so no output is partial.

#ifndef POPULUS_TOOLS_IPU_RUN_LIMITS_H
#define POPULUS_TOOLS_IPU_RUN_LIMITS_H

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace populus::run {

class Limits {
public:
  /// Says which limit ("time-limit", "host-memory-limit") and what the error
  /// is.
  using Say =
      std::function<void(const char *limit, const std::string &message)>;

  /// `seconds` and `bytes` of 0: no limit. `exitCode` is that of the process
  /// when it is ended.
  Limits(double seconds, std::uint64_t bytes, int exitCode, Say say);
  ~Limits();
  Limits(const Limits &) = delete;
  Limits &operator=(const Limits &) = delete;

private:
  void watch(double seconds, std::uint64_t bytes, int exitCode);
  [[noreturn]] void end(const char *limit, const std::string &reached,
                        int exitCode) const;

  const Say say;
  std::mutex mutex;
  std::condition_variable ended;
  bool done = false; // guarded by mutex
  std::thread thread;
};

/// "512M", "2G", "100000" in bytes; 0 if it is not of that form.
std::uint64_t parseBytes(const std::string &text);

} // namespace populus::run

#endif
