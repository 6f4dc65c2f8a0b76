// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The calls of the operating system behind MappedFile.h.

#include "runtime/Format/MappedFile.h"

#include "runtime/Format/Verify.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace populus::runtime {

namespace {

/// Bytes of an open file; 0 of what is no regular file.
std::size_t sizeOf(int file) {
  struct stat status;
  if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode))
    return 0;
  return static_cast<std::size_t>(status.st_size);
}

} // namespace

MappedFile::MappedFile(const std::filesystem::path &from)
    : path(from.string()), file(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (file < 0)
    throw FormatError("cannot read " + path + ": " + std::strerror(errno));
  size = sizeOf(file);
  if (size == 0)
    return;
  void *mapped = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
  if (mapped == MAP_FAILED) {
    const std::string reason = std::strerror(errno);
    close(file);
    throw FormatError("cannot read " + path + ": " + reason);
  }
  data = static_cast<const std::uint8_t *>(mapped);
}

MappedFile::~MappedFile() {
  if (data)
    munmap(const_cast<std::uint8_t *>(data), size);
  close(file);
}

bool MappedFile::isWhole() const { return sizeOf(file) >= size; }

void MappedFile::copy(std::span<const std::uint8_t> part, void *to) const {
  auto *next = static_cast<std::uint8_t *>(to);
  for (std::size_t done = 0; done != part.size();) {
    const ssize_t count = pread(file, next + done, part.size() - done,
                                static_cast<off_t>(part.data() - data + done));
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      throw FormatError("cannot read " + path + ": " + std::strerror(errno));
    if (count == 0)
      throw FormatError(path + " has been cut off since it was read");
    done += static_cast<std::size_t>(count);
  }
}

} // namespace populus::runtime
