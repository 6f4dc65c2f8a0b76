// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keeps errors inside the compiler from ending the process: LLVM's
// "unrecoverable" errors and crashes end the function that runs under the
// guard.

#ifndef POPULUS_LIB_CODELET_CRASHGUARD_H
#define POPULUS_LIB_CODELET_CRASHGUARD_H

#include <functional>
#include <string>

namespace populus::codelet {

/// Handles crash signals of the process as long as one of these exists.
class CrashGuard {
public:
  CrashGuard();
  ~CrashGuard();
  CrashGuard(const CrashGuard &) = delete;
  CrashGuard &operator=(const CrashGuard &) = delete;

  /// Runs a function, on any thread. Returns what went wrong inside the
  /// compiler, or nothing.
  std::string run(const std::function<void()> &function) const;
};

} // namespace populus::codelet

#endif
