// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stages of a compilation as users see them: each is announced, traced,
// logged and timed.

#ifndef POPULUS_LIB_POPART_STAGETIMER_H
#define POPULUS_LIB_POPART_STAGETIMER_H

#include "lib/PopART/Request.h"
#include "lib/PopART/Support/Log.h"

#include <pvti/pvti.hpp>

#include <chrono>
#include <vector>

namespace populus::popir {

struct StageTime {
  std::string name;
  double seconds = 0;
};

class StageTimer {
public:
  explicit StageTimer(std::function<void(const Progress &)> progress)
      : progress(std::move(progress)) {}

  /// Runs a stage and records its duration.
  template <class Function>
  decltype(auto) operator()(const std::string &name, Function &&function) {
    using Clock = std::chrono::steady_clock;
    struct Scope {
      StageTimer &timer;
      const std::string &name;
      Clock::time_point start = Clock::now();
      ~Scope() {
        std::chrono::duration<double> time = Clock::now() - start;
        timer.times.push_back({name, time.count()});
      }
    } scope{*this, name};
    logging::info(logging::Module::session, "{}", name);
    const pvti::Tracepoint span(&pvti::traceFramework, name);
    report({name});
    return function();
  }

  void report(const Progress &state) const {
    if (progress)
      progress(state);
  }

  std::vector<StageTime> times;

private:
  std::function<void(const Progress &)> progress;
};

} // namespace populus::popir

#endif
