// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file whose bytes can be looked at where the operating system keeps them.
// What they say may change while they are mapped, if somebody else writes to
// the file, and to look behind its new end would be the end of the process. So
// whatever has to be verified, and whatever a run needs, is copied out of it by
// the operating system, which notices.

#ifndef POPULUS_RUNTIME_FORMAT_MAPPEDFILE_H
#define POPULUS_RUNTIME_FORMAT_MAPPEDFILE_H

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace populus::runtime {

class MappedFile {
public:
  /// Throws FormatError, which names the file.
  explicit MappedFile(const std::filesystem::path &path);
  ~MappedFile();
  MappedFile(const MappedFile &) = delete;
  MappedFile &operator=(const MappedFile &) = delete;

  const std::string &name() const { return path; }
  std::span<const std::uint8_t> bytes() const { return {data, size}; }

  /// Whether the file still has all of its bytes.
  bool isWhole() const;

  /// Copies some of bytes(). Throws FormatError if the file does not have them
  /// any more.
  void copy(std::span<const std::uint8_t> part, void *to) const;

private:
  std::string path;
  int file = -1;
  const std::uint8_t *data = nullptr;
  std::size_t size = 0;
};

} // namespace populus::runtime

#endif
