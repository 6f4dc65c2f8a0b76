// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host code of codelets: shared objects held in memory, as popc compiled them
// for the `cpu` target, loaded into this process and searched for the entry
// points of vertices: those of the highest level that the processor has.

#ifndef POPULUS_RUNTIME_NATIVE_HOSTCODE_H
#define POPULUS_RUNTIME_NATIVE_HOSTCODE_H

#include "runtime/Format/Executable.h"

#include <cstdint>
#include <string>
#include <vector>

namespace populus::runtime {

/// `bool __runCodelet_…(void *state)`.
using VertexFunction = bool (*)(void *state);

class HostCode {
public:
  /// Loads all objects and finds all entries. Throws RunError.
  explicit HostCode(const Executable &executable);
  ~HostCode();
  HostCode(const HostCode &) = delete;
  HostCode &operator=(const HostCode &) = delete;

  VertexFunction function(std::uint32_t entry) const {
    return functions[entry];
  }
  /// Returns whether the vertices of an entry have to run one after the other.
  bool needsOrder(std::uint32_t entry) const { return ordered[entry]; }

private:
  struct Library {
    int file; // anonymous file that holds the object
    void *handle;
    bool needsOrder;
  };

  void load(const std::vector<std::uint8_t> &bytes);
  void unload();

  std::vector<Library> libraries;
  // Parallel to hostEntries.
  std::vector<VertexFunction> functions;
  std::vector<bool> ordered;
};

} // namespace populus::runtime

#endif
