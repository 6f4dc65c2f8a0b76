// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The contents of a program's remote buffers: host memory that the operating
// system fills with zero pages when they are touched, so that a large buffer
// costs what is used of it.

#ifndef POPULUS_RUNTIME_SESSION_REMOTEMEMORY_H
#define POPULUS_RUNTIME_SESSION_REMOTEMEMORY_H

#include "runtime/Format/Executable.h"

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <vector>

namespace populus::runtime {

class RemoteMemory {
public:
  /// Throws RunError if the host has no room.
  explicit RemoteMemory(const Executable &executable);

  /// Returns a row of a replica's buffer. Throws RunError if the row or the
  /// replica does not exist.
  std::byte *row(std::uint32_t buffer, std::uint64_t index,
                 std::uint32_t replica) const;
  std::size_t rowBytes(std::uint32_t buffer) const;

private:
  /// Writes the rows of all replicas.
  void fill(std::uint32_t buffer, const std::string &values);

  struct Free {
    void operator()(void *memory) const { std::free(memory); }
  };

  const std::vector<RemoteBuffer> &buffers;
  std::vector<std::unique_ptr<std::byte, Free>> memory; // by buffer
};

} // namespace populus::runtime

#endif
