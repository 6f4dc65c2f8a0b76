// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A long run at the terminal: Ctrl-C ends the run and not the process, so that
// a report of what has run can be written, and a line on standard error says
// how far it is:
//
//     run 3 of 10, 12345678 cycles, 5 s, about 12 s left

#ifndef POPULUS_TOOLS_IPU_RUN_PROGRESS_H
#define POPULUS_TOOLS_IPU_RUN_PROGRESS_H

#include "runtime/Session/RunControl.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

namespace populus::run {

/// The runs that are wanted: as many, and for so long.
struct RunGoal {
  std::uint64_t runs = 1;
  double seconds = 0;
};

/// One at a time. SIGINT is as before when it ends, and already after the first
/// one, so that a second Ctrl-C ends the process.
class Progress {
public:
  explicit Progress(const RunGoal &goal, bool isShown);
  ~Progress();
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  runtime::RunControl &control();

  void endRun() { done.fetch_add(1, std::memory_order_relaxed); }

  static bool wasInterrupted();

  /// Takes the line away.
  void stop();

private:
  void show();
  std::string line() const;

  const RunGoal goal;
  const std::chrono::steady_clock::time_point start;
  std::atomic<std::uint64_t> done = 0; // runs
  std::mutex mutex;
  std::condition_variable ended;
  bool stopped = false; // guarded by mutex
  std::thread thread;
};

/// Returns true if standard error is a terminal that can write over a line.
bool canShowProgress();

/// "12 s", "3 min 20 s", "2 h 5 min".
std::string durationText(double seconds);

} // namespace populus::run

#endif
