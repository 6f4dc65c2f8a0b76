// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements writeFile with POSIX calls, which report errors where streams
// swallow them.

#include "lib/Archive/FileOutput.h"

#include "runtime/Support/TemporaryFile.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace populus::archive {

namespace {

bool writeAll(int fd, std::span<const std::uint8_t> bytes) {
  while (!bytes.empty()) {
    ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      return false;
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return true;
}

std::string message(const std::filesystem::path &path, int number = errno) {
  return "cannot write '" + path.string() + "': " + std::strerror(number);
}

bool isSpecialFile(const std::filesystem::path &path) {
  struct stat status;
  return ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) &&
         !S_ISDIR(status.st_mode);
}

/// Into what exists.
std::string writeInto(const std::string &file,
                      const std::filesystem::path &target,
                      std::span<const std::uint8_t> bytes) {
  int fd = ::open(file.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0)
    return message(target);
  bool good = writeAll(fd, bytes);
  // The first error is the one to report.
  std::string error = good ? "" : message(target);
  if (::close(fd) != 0 && good)
    error = message(target);
  return error;
}

} // namespace

std::string writeFile(const std::filesystem::path &path,
                      std::span<const std::uint8_t> bytes) {
  if (isSpecialFile(path))
    return writeInto(path.string(), path, bytes);
  std::error_code failure;
  runtime::TemporaryFile temporary(path, failure);
  if (failure)
    return message(path, failure.value());
  std::string error = writeInto(temporary.path(), path, bytes);
  if (!error.empty())
    return error;
  failure = temporary.takePlace();
  return failure ? message(path, failure.value()) : "";
}

} // namespace populus::archive
