// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// By LLVM's own means, which are global: users are counted.

#include "lib/Codelet/CrashGuard.h"

#include <llvm/Support/CrashRecoveryContext.h>
#include <llvm/Support/ErrorHandling.h>
#include <mutex>

namespace populus::codelet {

namespace {

thread_local std::string fatalMessage;
std::mutex mutex;
unsigned users = 0;

void onFatalError(void *, const char *reason, bool) {
  fatalMessage = reason;
  if (auto *context = llvm::CrashRecoveryContext::GetCurrent())
    context->HandleExit(1);
}

} // namespace

CrashGuard::CrashGuard() {
  std::lock_guard lock(mutex);
  static std::once_flag once;
  std::call_once(once, [] { llvm::install_fatal_error_handler(onFatalError); });
  if (users++ == 0)
    llvm::CrashRecoveryContext::Enable();
}

CrashGuard::~CrashGuard() {
  std::lock_guard lock(mutex);
  if (--users == 0)
    llvm::CrashRecoveryContext::Disable();
}

std::string CrashGuard::run(const std::function<void()> &function) const {
  llvm::CrashRecoveryContext context;
  fatalMessage.clear();
  if (context.RunSafely([&] { function(); }))
    return "";
  return fatalMessage.empty() ? "the compiler crashed" : fatalMessage;
}

} // namespace populus::codelet
