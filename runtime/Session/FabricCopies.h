// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The copies of an exchange, seen from one process of a job: those between its
// own tiles, the bytes that it sends to each other process, and the places for
// the bytes that it receives. Both ends go through the same pieces in the same
// order, so messages need no addresses. Bytes for several tiles of a process
// are sent once.

#ifndef POPULUS_RUNTIME_SESSION_FABRICCOPIES_H
#define POPULUS_RUNTIME_SESSION_FABRICCOPIES_H

#include "runtime/Format/Executable.h"
#include "runtime/Session/DeviceMemory.h"
#include "runtime/Session/Fabric.h"
#include "runtime/Session/WorkerPool.h"

#include <cstdint>
#include <vector>

namespace populus::runtime {

class FabricCopies {
public:
  /// Tiles belong to processes in equal blocks of \p tilesPerProcess.
  FabricCopies(const Executable &program, const Exchange &exchange,
               std::uint32_t tilesPerProcess, const Fabric &fabric);

  /// Returns whether data leaves or enters any process, which all agree on.
  bool crosses() const { return hasCrossing; }
  void run(Fabric &fabric, const DeviceMemory &memory, WorkerPool &pool) const;

private:
  struct Place {
    std::uint32_t tile;
    Address address;
    std::uint32_t bytes;
    std::uint64_t offset; // in the message
  };
  struct Message {
    std::vector<Place> places;
    std::uint64_t bytes = 0;
  };

  void addCopies(const Executable &program, const CopyPiece &part);

  const std::uint32_t tilesPerProcess;
  const unsigned index;
  bool hasCrossing = false;
  std::vector<CopyPiece> local;
  std::vector<Message> sends, receives; // by process
};

} // namespace populus::runtime

#endif
