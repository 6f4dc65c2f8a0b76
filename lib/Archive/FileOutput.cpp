// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements writeFile with POSIX calls, which report errors where streams
// swallow them.

#include "lib/Archive/FileOutput.h"

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

std::string message(const std::filesystem::path &path) {
  return "cannot write '" + path.string() + "': " + std::strerror(errno);
}

bool isSpecialFile(const std::filesystem::path &path) {
  struct stat status;
  return ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) &&
         !S_ISDIR(status.st_mode);
}

std::string writeDirectly(const std::filesystem::path &path,
                          std::span<const std::uint8_t> bytes) {
  int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0)
    return message(path);
  std::string error = writeAll(fd, bytes) ? "" : message(path);
  ::close(fd);
  return error;
}

/// Not mkstemp: the file is to have the mode that open() gives under the
/// user's mask.
int openTemporary(const std::filesystem::path &path, std::string &name) {
  for (unsigned attempt = 0; attempt != 100; ++attempt) {
    name = path.string() + ".tmp" + std::to_string(::getpid()) + "-" +
           std::to_string(attempt);
    int fd =
        ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0 || errno != EEXIST)
      return fd;
  }
  return -1;
}

} // namespace

std::string writeFile(const std::filesystem::path &path,
                      std::span<const std::uint8_t> bytes) {
  if (isSpecialFile(path))
    return writeDirectly(path, bytes);
  std::string temporary;
  int fd = openTemporary(path, temporary);
  if (fd < 0)
    return message(path);
  bool good = writeAll(fd, bytes);
  // The first error is the one to report.
  std::string error = good ? "" : message(path);
  if (::close(fd) != 0 && good)
    error = message(path);
  if (error.empty() && ::rename(temporary.c_str(), path.c_str()) != 0)
    error = message(path);
  if (!error.empty())
    ::unlink(temporary.c_str());
  return error;
}

} // namespace populus::archive
