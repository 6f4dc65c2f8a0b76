// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The thread that looks.

#include "Limits.h"

#include "runtime/Session/Session.h"

#include <chrono>
#include <cstdio>
#include <fstream>
#include <string>
#include <system_error>
#include <unistd.h>

namespace populus::run {

namespace {

/// Bytes of this process that are in memory.
std::uint64_t residentBytes() {
  std::ifstream statm("/proc/self/statm");
  std::uint64_t total = 0, resident = 0;
  statm >> total >> resident;
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

} // namespace

Limits::Limits(double seconds, std::uint64_t bytes, int exitCode, Say say)
    : say(std::move(say)) {
  if (seconds <= 0 && bytes == 0)
    return;
  try {
    thread = std::thread(
        [this, seconds, bytes, exitCode] { watch(seconds, bytes, exitCode); });
  } catch (const std::system_error &error) {
    throw runtime::RunError("limits of time and memory need a thread of their "
                            "own, and the system gives none: " +
                            error.code().message());
  }
}

Limits::~Limits() {
  {
    std::lock_guard lock(mutex);
    done = true;
  }
  ended.notify_all();
  if (thread.joinable())
    thread.join();
}

void Limits::end(const char *limit, const std::string &reached,
                 int exitCode) const {
  say(limit, "stopped at the limit of " + reached);
  _exit(exitCode);
}

void Limits::watch(double seconds, std::uint64_t bytes, int exitCode) {
  using namespace std::chrono;
  const auto start = steady_clock::now();
  std::unique_lock lock(mutex);
  while (!ended.wait_for(lock, milliseconds(10), [this] { return done; })) {
    const double passed = duration<double>(steady_clock::now() - start).count();
    if (seconds > 0 && passed > seconds) {
      char text[64];
      std::snprintf(text, sizeof(text), "%g seconds", seconds);
      end("time-limit", text, exitCode);
    }
    if (bytes != 0 && residentBytes() > bytes)
      end("host-memory-limit", std::to_string(bytes) + " bytes of host memory",
          exitCode);
  }
}

std::uint64_t parseBytes(const std::string &text) {
  const std::size_t digits = text.find_first_not_of("0123456789");
  if (digits == 0 || text.empty() || text.size() > 15)
    return 0;
  const std::uint64_t number = std::stoull(text);
  const std::string unit =
      digits == std::string::npos ? "" : text.substr(digits);
  if (unit.empty())
    return number;
  const std::size_t power = std::string("KMGT").find(unit);
  if (unit.size() != 1 || power == std::string::npos)
    return 0;
  return number << 10 * (power + 1);
}

} // namespace populus::run
