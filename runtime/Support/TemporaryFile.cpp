// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A handler of signals may neither lock nor use the heap: the names of the
// files that exist are in a table of fixed size, whose entries the handler and
// the files' owners take with atomic exchanges. Whoever takes an entry owns the
// name in it; the handler never frees one.

#include "runtime/Support/TemporaryFile.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <random>
#include <unistd.h>

namespace populus::runtime {

namespace {

constexpr unsigned MostAttempts = 100;

/// Files beyond this number are not removed by signals.
std::array<std::atomic<char *>, 64> table;

/// The copy of `name` that is in the table; null if there is no room.
char *enter(const std::string &name) {
  char *copy = ::strdup(name.c_str());
  for (std::atomic<char *> &entry : table) {
    char *none = nullptr;
    if (copy && entry.compare_exchange_strong(none, copy))
      return copy;
  }
  std::free(copy);
  return nullptr;
}

/// False where the handler was first.
bool takeOut(char *name) {
  for (std::atomic<char *> &entry : table) {
    char *wanted = name;
    if (entry.compare_exchange_strong(wanted, nullptr))
      return true;
  }
  return false;
}

/// Removes the files and raises the signal again. Its handler is reset already,
/// so the default action follows.
void onSignal(int signal) {
  for (std::atomic<char *> &entry : table)
    if (const char *name = entry.exchange(nullptr))
      ::unlink(name);
  ::raise(signal);
}

std::error_code lastError() { return {errno, std::generic_category()}; }

} // namespace

TemporaryFile::TemporaryFile(std::filesystem::path path, std::error_code &error,
                             unsigned mode)
    : target(std::move(path)) {
  error = std::make_error_code(std::errc::file_exists);
  for (unsigned attempt = 0; attempt != MostAttempts; ++attempt) {
    // Computers that share a folder may have processes of the same number.
    name = target.string() + ".tmp" + std::to_string(::getpid()) + "-" +
           std::to_string(std::random_device()());
    // mkstemp would ignore the user's mask.
    const int file =
        ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (file >= 0) {
      known = enter(name);
      ::close(file);
      error.clear();
      return;
    }
    if (errno != EEXIST) {
      error = lastError();
      break;
    }
  }
  name.clear();
}

TemporaryFile::~TemporaryFile() {
  if (!name.empty())
    ::unlink(name.c_str());
  forget();
}

std::error_code TemporaryFile::takePlace() {
  if (::rename(name.c_str(), target.c_str()) != 0)
    return lastError();
  forget();
  name.clear();
  return {};
}

void TemporaryFile::forget() {
  if (known && takeOut(known))
    std::free(known);
  known = nullptr;
}

void removeTemporaryFilesOnSignals() {
  struct sigaction action = {};
  action.sa_handler = onSignal;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  for (int signal : {SIGHUP, SIGINT, SIGTERM}) {
    struct sigaction before = {};
    // The parent process may have had the signal ignored, as nohup does.
    if (::sigaction(signal, nullptr, &before) == 0 &&
        before.sa_handler == SIG_DFL)
      ::sigaction(signal, &action, nullptr);
  }
}

} // namespace populus::runtime
