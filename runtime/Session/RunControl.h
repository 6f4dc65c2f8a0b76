// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A run seen from outside: another thread, or a handler of signals, follows its
// clock and ends it. The session publishes the clock before each step and looks
// for an interrupt there; the emulator looks inside of a vertex, too, so that
// an endless loop of a codelet can be ended and named.

#ifndef POPULUS_RUNTIME_SESSION_RUNCONTROL_H
#define POPULUS_RUNTIME_SESSION_RUNCONTROL_H

#include "runtime/Session/Session.h"

#include <atomic>
#include <cstdint>

namespace populus::runtime {

struct RunControl {
  /// Set by others: the run ends with an InterruptedError, or, inside of a
  /// vertex, with a FaultError of kind "interrupted".
  std::atomic<bool> interrupt = false;
  /// Session::clock.
  std::atomic<std::uint64_t> cycles = 0;
};

static_assert(std::atomic<bool>::is_always_lock_free,
              "a handler of signals sets it");

/// The run was ended between two steps.
class InterruptedError : public RunError {
public:
  using RunError::RunError;
};

} // namespace populus::runtime

#endif
