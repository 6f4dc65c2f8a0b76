// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The handler of SIGINT, and the thread that writes the line.

#include "Progress.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <string_view>
#include <system_error>
#include <unistd.h>

namespace populus::run {

namespace {

using Seconds = std::chrono::duration<double>;

runtime::RunControl runControl;
struct sigaction before;

void interrupt(int) {
  runControl.interrupt = true;
  ::sigaction(SIGINT, &before, nullptr);
}

void takeInterrupts() {
  struct sigaction action = {};
  action.sa_handler = interrupt;
  ::sigemptyset(&action.sa_mask);
  action.sa_flags = 0; // a program that waits for input is to end, too
  // The parent process may have had the signal ignored, as nohup does.
  if (::sigaction(SIGINT, nullptr, &before) == 0 &&
      before.sa_handler != SIG_IGN)
    ::sigaction(SIGINT, &action, nullptr);
}

} // namespace

std::string durationText(double seconds) {
  const auto whole = static_cast<std::uint64_t>(seconds + 0.5);
  const auto pair = [](std::uint64_t large, const char *unit,
                       std::uint64_t small, const char *smaller) {
    return std::to_string(large) + unit + std::to_string(small) + smaller;
  };
  if (whole < 60)
    return std::to_string(whole) + " s";
  if (whole < 3600)
    return pair(whole / 60, " min ", whole % 60, " s");
  return pair(whole / 3600, " h ", whole / 60 % 60, " min");
}

bool canShowProgress() {
  const char *terminal = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) != 0 && terminal &&
         std::string_view(terminal) != "dumb";
}

Progress::Progress(const RunGoal &goal, bool isShown)
    : goal(goal), start(std::chrono::steady_clock::now()) {
  takeInterrupts();
  if (!isShown)
    return;
  try {
    thread = std::thread([this] { show(); });
  } catch (const std::system_error &) {
    // A run without the line is better than none.
  }
}

Progress::~Progress() {
  stop();
  ::sigaction(SIGINT, &before, nullptr);
}

runtime::RunControl &Progress::control() { return runControl; }

bool Progress::wasInterrupted() { return runControl.interrupt; }

void Progress::stop() {
  {
    std::lock_guard lock(mutex);
    stopped = true;
  }
  ended.notify_all();
  if (thread.joinable())
    thread.join();
}

void Progress::show() {
  using namespace std::chrono_literals;
  constexpr std::chrono::milliseconds ShortRun = 1s, Period = 200ms;
  std::unique_lock lock(mutex);
  if (ended.wait_for(lock, ShortRun, [this] { return stopped; }))
    return;
  do
    std::cerr << '\r' + line() + "\033[K" << std::flush;
  while (!ended.wait_for(lock, Period, [this] { return stopped; }));
  std::cerr << "\r\033[K" << std::flush;
}

std::string Progress::line() const {
  const double passed =
      Seconds(std::chrono::steady_clock::now() - start).count();
  const std::uint64_t runs = done.load(std::memory_order_relaxed);
  std::string text;
  if (goal.runs > 1)
    text += "run " + std::to_string(runs + 1) + " of " +
            std::to_string(std::max(goal.runs, runs + 1)) + ", ";
  text += std::to_string(runControl.cycles.load(std::memory_order_relaxed)) +
          " cycles, " + durationText(passed);
  double left = goal.seconds - passed;
  if (runs != 0 && runs < goal.runs)
    left = std::max(left, passed / static_cast<double>(runs) *
                              static_cast<double>(goal.runs - runs));
  if (left > 0)
    text += ", about " + durationText(left) + " left";
  return text;
}

} // namespace populus::run
