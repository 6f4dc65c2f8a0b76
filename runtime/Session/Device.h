// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface of a device kind: it executes the vertices of a tile and knows
// their cost. Everything else (memory, exchange, streams, control) is common
// and lives in the session.

#ifndef POPULUS_RUNTIME_SESSION_DEVICE_H
#define POPULUS_RUNTIME_SESSION_DEVICE_H

#include "runtime/Format/Executable.h"
#include "runtime/Session/DeviceMemory.h"
#include "runtime/Session/Engine.h"
#include "runtime/Session/FaultReport.h"
#include "runtime/Session/InstructionCounts.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace populus::runtime {

/// The result of a tile's part of a compute set.
struct TileRun {
  std::uint64_t cycles = 0;
  std::uint64_t bundles = 0;
  std::uint64_t translatedBundles = 0;
  /// The fault, without the names of compute set and tile; null if there is
  /// none.
  std::unique_ptr<FaultReport> fault;
};

class Device {
public:
  virtual ~Device() = default;

  virtual std::string_view engine() const = 0;

  /// Runs the vertices that the first one of these tiles has in a compute set
  /// and fills in `result`, which is empty; the same thread is going to run the
  /// others soon, in this order. Called for different tiles from several
  /// threads at once; does not throw. `cycleLimit` is the number of cycles
  /// after which a vertex that does not end is stopped.
  virtual void runTile(std::span<const TileVertices> tiles,
                       std::uint64_t cycleLimit, TileRun &result) = 0;

  /// Returns whether the vertices of a tile may run at once: the session then
  /// calls runVertex() for each of them in place of runTile(), from several
  /// threads.
  virtual bool dividesTile(const TileVertices &) const { return false; }
  virtual void runVertex(const TileVertices &vertices, std::uint32_t index) {
    (void)vertices;
    (void)index;
  }

  /// The registers of a tile that has run.
  virtual std::vector<ContextState> contexts(std::uint32_t tile) const {
    (void)tile;
    return {};
  }

  /// Returns whether codelets are checked; the session then has to tell the
  /// device of writes to tiles, and to fetch its findings.
  virtual bool isChecking() const { return false; }
  virtual void written(const Segment &) {}
  virtual void copied(const CopyPiece &) {}
  /// Returns the findings on a tile since the last call, without the names of
  /// compute set and tile.
  virtual std::vector<Finding> takeFindings(std::uint32_t tile) {
    (void)tile;
    return {};
  }

  /// Returns the counts since the start or the last reset; null if the session
  /// was not asked to count.
  virtual const InstructionCounts *instructionCounts() const { return nullptr; }
  virtual void resetCounts() {}

  /// Cycles of vertices when they ran last, if they are recorded.
  virtual const std::vector<std::uint64_t> &vertexCycles() const {
    static const std::vector<std::uint64_t> None;
    return None;
  }

  /// Writes what codelets of a tile have printed since the last call.
  virtual void flushPrints(std::uint32_t tile) { (void)tile; }
  /// Returns whether vertices can have printed something.
  virtual bool isPrinting() const { return false; }

  /// Sets the bits of $FP_CTL that vertices start with. Host code has no such
  /// register and ignores them.
  virtual void setFloatControl(std::uint32_t) {}

  /// Read and write the state of the random number generators of a tile's
  /// workers, TargetInfo::seedBytes(). This default only stores it, to be read
  /// back.
  virtual void readSeeds(std::uint32_t tile, void *data);
  virtual void writeSeeds(std::uint32_t tile, const void *data,
                          std::size_t bytes);

private:
  std::map<std::uint32_t, std::vector<std::byte>> seeds; // by tile
};

inline void Device::readSeeds(std::uint32_t tile, void *data) {
  const auto known = seeds.find(tile);
  if (known != seeds.end())
    std::memcpy(data, known->second.data(), known->second.size());
}

inline void Device::writeSeeds(std::uint32_t tile, const void *data,
                               std::size_t bytes) {
  const auto *begin = static_cast<const std::byte *>(data);
  seeds[tile].assign(begin, begin + bytes);
}

/// Creates the device for DeviceKind::Cpu and IpuModel. Relocates the pointer
/// slots in `memory`. Throws RunError if the host code cannot be loaded.
std::unique_ptr<Device> createNativeDevice(const Executable &executable,
                                           DeviceMemory &memory);

/// Creates the device for DeviceKind::Ipu. Throws RunError if the host cannot
/// run the emulator.
std::unique_ptr<Device> createEmulator(const Executable &executable,
                                       DeviceMemory &memory,
                                       const SessionOptions &options,
                                       Engine engine);

} // namespace populus::runtime

#endif
