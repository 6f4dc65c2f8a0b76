// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file whose bytes are read where the operating system keeps them. Another
// process that writes to the file may change mapped bytes, and an access behind
// a new, nearer end would kill the process. So the operating system, which
// notices that, copies all bytes that have to be verified or that a run needs.

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

  /// Returns whether the file still has all of its bytes.
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
