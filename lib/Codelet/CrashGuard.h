// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keeps errors inside the compiler from ending the process: LLVM's
// "unrecoverable" errors and crashes (LLVM's readers of objects have them, too,
// for damaged ones) end the function that runs under the guard. Inputs that are
// nested so deeply that the stack ends are the most common crash, and not the
// compiler's mistake: they are told apart.

#ifndef POPULUS_LIB_CODELET_CRASHGUARD_H
#define POPULUS_LIB_CODELET_CRASHGUARD_H

#include <functional>
#include <string>

namespace populus::codelet {

/// The result of a function run under the guard.
enum class Ending {
  Normal,
  Refused, // by LLVM, which gave a reason
  StackOverflow,
  Crashed,
};

struct Outcome {
  Ending ending = Ending::Normal;
  std::string reason;
};

/// Handles crash signals of the process as long as one of these exists.
class CrashGuard {
public:
  CrashGuard();
  ~CrashGuard();
  CrashGuard(const CrashGuard &) = delete;
  CrashGuard &operator=(const CrashGuard &) = delete;

  /// Runs a function, on any thread.
  Outcome run(const std::function<void()> &function) const;
};

} // namespace populus::codelet

#endif
