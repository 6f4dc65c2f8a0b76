// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file whose bytes are read where the operating system keeps them. What they
// say may change while they are mapped, if somebody else writes to the file: so
// whatever had to be verified is copied, and only plain data stays here.

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

  /// Whether the file still has all of its bytes: to read behind its end would
  /// be the end of the process.
  bool isWhole() const;

  /// Gives back the memory of bytes that are not read again soon.
  void release(std::span<const std::uint8_t> part) const;

private:
  std::string path;
  int file = -1;
  const std::uint8_t *data = nullptr;
  std::size_t size = 0;
};

} // namespace populus::runtime

#endif
