// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Carries data between the processes of a job that poprun has started. A
// session that runs a part of a program's replicas (Distribution.h) knows only
// this interface. The implementation over MPI is a plug-in (lib/Distribution),
// so that nothing else needs MPI.

#ifndef POPULUS_RUNTIME_SESSION_FABRIC_H
#define POPULUS_RUNTIME_SESSION_FABRIC_H

#include <cstddef>
#include <span>
#include <vector>

namespace populus::runtime {

class Fabric {
public:
  virtual ~Fabric() = default;

  /// The number of this process, and of all processes.
  virtual unsigned index() const = 0;
  virtual unsigned size() const = 0;

  /// Sends `own` to all processes. `all` receives the parts of all of them, in
  /// the order of their numbers; parts have equal sizes. Throws RunError if
  /// another process has ended.
  virtual void gather(std::span<const std::byte> own,
                      std::span<std::byte> all) = 0;

  /// Sends sends[i] to process i, and fills receives[i], whose size is that of
  /// the other process' message, from it. There is no message of 0 bytes.
  virtual void exchange(const std::vector<std::vector<std::byte>> &sends,
                        std::vector<std::vector<std::byte>> &receives) = 0;
};

inline constexpr const char *FabricLibrary = "libpopulus-mpi.so";
inline constexpr const char *FabricEntry = "populusMpiFabric";
/// The type of the entry. On failure it returns null and writes the reason to
/// \p error, which has room for \p size characters.
using FabricFunction = Fabric *(*)(char *error, std::size_t size);

/// The fabric of the job that this process belongs to. Throws RunError where
/// there is none.
Fabric &connectFabric();

} // namespace populus::runtime

#endif
