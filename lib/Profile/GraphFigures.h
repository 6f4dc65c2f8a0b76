// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Figures of a compiled program that has not run: the work of each compute set,
// the traffic of each exchange, the memory in use. They are computed from the
// executable by the functions of the runtime itself, so a profile agrees with a
// run. lib/Poplar puts the figures into the form that users get
// (poplar::ProfileValue, the printed summary).

#ifndef POPULUS_LIB_PROFILE_GRAPHFIGURES_H
#define POPULUS_LIB_PROFILE_GRAPHFIGURES_H

#include "lib/Profile/Rows.h"
#include "runtime/Format/Executable.h"

#include <cstdint>
#include <vector>

namespace populus::profile {

struct ComputeSetFigures {
  struct TypeCount {
    std::uint32_t type = 0; // of Executable::vertexTypes
    std::uint64_t count = 0;
    /// Estimated cycles in which a vertex of the type issues.
    std::uint64_t activeCycles = 0;
    ByTile byTile; // how many there are
  };
  std::vector<TypeCount> types; // that occur, by type
  /// Estimates; empty unless the device is the IPU Model.
  ByTile cyclesByTile;
  ByTile activeCyclesByTile;
};

struct ExchangeFigures {
  ByTile bytesReceivedByTile;
  ByTile bytesSentByTile;
  ByTile cyclesByTile;
  /// Pieces, and bytes that stay on their tile.
  std::uint64_t sends = 0, receives = 0, localBytes = 0;
};

/// A compute set's vertices, and how they would be scheduled.
ComputeSetFigures figuresOf(const runtime::Executable &executable,
                            const runtime::ComputeSet &set);

/// An exchange between tiles; bytes copied within a tile are not counted.
ExchangeFigures figuresOf(const runtime::Executable &executable,
                          const runtime::Exchange &exchange);

/// The transfer of a step that copies between a stream and tiles.
ExchangeFigures figuresOfStream(const runtime::Executable &executable,
                                const runtime::Step &step);

/// Cycles in which a vertex occupies its worker's issue slots, or the tile's if
/// it is a supervisor's: a worker gets one slot in six.
std::uint64_t activeCycles(const runtime::Executable &executable,
                           const runtime::Vertex &vertex);

struct MemoryFigures {
  std::vector<std::uint64_t> byCategory; // bytes of all tiles
  /// Variables that share memory, and the memory that they share.
  std::uint64_t overlapped = 0, afterOverlapping = 0;
  ByTile overlappedByTile, afterOverlappingByTile;
  /// By category, then tile.
  std::vector<ByTile> byCategoryAndTile;
  ByTile totalByTile;
  ByTile includingGapsByTile;
  std::uint32_t tilesOutOfMemory = 0;
};

MemoryFigures memoryFigures(const runtime::Executable &executable);

/// Bytes of vertex state by vertex type.
std::vector<std::uint64_t> stateBytes(const runtime::Executable &executable);

/// Number of vertices of each type.
std::vector<std::uint64_t> vertexCounts(const runtime::Executable &executable);

} // namespace populus::profile

#endif
