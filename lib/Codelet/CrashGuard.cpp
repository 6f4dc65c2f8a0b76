// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// By LLVM's own means, which are global: users are counted. LLVM's handler of
// signals runs on the stack that it finds. When that has ended there is nothing
// to run on, so the handler gets a stack of its own for each thread, and one of
// ours in front of it, which looks at where the program was.

#include "lib/Codelet/CrashGuard.h"

#include <llvm/Support/CrashRecoveryContext.h>
#include <llvm/Support/ErrorHandling.h>

#include <array>
#include <csignal>
#include <exception>
#include <memory>
#include <mutex>
#include <ucontext.h>

namespace populus::codelet {

namespace {

constexpr std::size_t HandlerStackBytes = 64 << 10;
/// An access so near to the stack pointer is the stack's; frames are smaller.
constexpr std::uintptr_t LargestFrame = 256 << 10;

thread_local std::string fatalMessage;
thread_local bool hasStackEnded = false;
std::mutex mutex;
unsigned users = 0;
struct sigaction afterOurs = {};

void onFatalError(void *, const char *reason, bool) {
  fatalMessage = reason;
  if (auto *context = llvm::CrashRecoveryContext::GetCurrent())
    context->HandleExit(1);
}

void onNoMemory(void *, const char *, bool) {
  onFatalError(nullptr, "it needs too much memory", false);
}

std::uintptr_t stackPointer(const void *context) {
  const auto &registers = static_cast<const ucontext_t *>(context)->uc_mcontext;
#if defined(__x86_64__)
  return static_cast<std::uintptr_t>(registers.gregs[REG_RSP]);
#elif defined(__aarch64__)
  return registers.sp;
#else
#error "where is this processor's stack pointer?"
#endif
}

void onSegmentationFault(int signal, siginfo_t *info, void *context) {
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  const std::uintptr_t stack = stackPointer(context);
  hasStackEnded =
      address > stack - LargestFrame && address < stack + LargestFrame;
  afterOurs.sa_handler(signal);
}

/// Installs our handler in front of LLVM's.
void installHandler() {
  ::sigaction(SIGSEGV, nullptr, &afterOurs);
  struct sigaction ours = {};
  ours.sa_sigaction = onSegmentationFault;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
  ours.sa_mask = afterOurs.sa_mask;
  ::sigaction(SIGSEGV, &ours, nullptr);
}

/// A stack for signal handlers, while this exists.
class HandlerStack {
public:
  HandlerStack() : bytes(std::make_unique<char[]>(HandlerStackBytes)) {
    stack_t stack = {};
    stack.ss_sp = bytes.get();
    stack.ss_size = HandlerStackBytes;
    ::sigaltstack(&stack, &previous);
  }
  ~HandlerStack() { ::sigaltstack(&previous, nullptr); }
  HandlerStack(const HandlerStack &) = delete;
  HandlerStack &operator=(const HandlerStack &) = delete;

private:
  std::unique_ptr<char[]> bytes;
  stack_t previous = {};
};

} // namespace

CrashGuard::CrashGuard() {
  std::lock_guard lock(mutex);
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::install_fatal_error_handler(onFatalError);
    llvm::install_bad_alloc_error_handler(onNoMemory);
  });
  if (users++ != 0)
    return;
  llvm::CrashRecoveryContext::Enable();
  installHandler();
}

CrashGuard::~CrashGuard() {
  std::lock_guard lock(mutex);
  if (--users == 0)
    llvm::CrashRecoveryContext::Disable();
}

Outcome CrashGuard::run(const std::function<void()> &function) const {
  HandlerStack stack;
  llvm::CrashRecoveryContext context;
  fatalMessage.clear();
  hasStackEnded = false;
  const auto guarded = [&] {
    try {
      function();
    } catch (const std::exception &error) {
      onFatalError(nullptr, error.what(), false);
    }
  };
  if (context.RunSafely(guarded))
    return {};
  if (!fatalMessage.empty())
    return {Ending::Refused, fatalMessage};
  if (hasStackEnded)
    return {Ending::StackOverflow, "it is nested too deeply"};
  return {Ending::Crashed, "the compiler crashed"};
}

} // namespace populus::codelet
