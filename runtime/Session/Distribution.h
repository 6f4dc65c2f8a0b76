// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of a program that one process of a job runs. All processes load the
// same executable, which has all replicas; with 4 replicas of 2 IPUs in 2
// processes:
//
//     process     IPUs        of a tensor with 4 rows, one for each replica
//     0           0 1 2 3     rows 0 1
//     1           4 5 6 7     rows 2 3
//
// Each process walks the whole control program, but runs only the vertices, and
// holds only the memory, of its own tiles. Where a step needs what another
// process has, they first exchange a header: the clocks of their IPUs, the step
// that each is at, and whether one has failed. Then follow the pieces of an
// exchange, or the bytes that decide a branch. All arithmetic is on the tiles,
// in the order of the program, so results and cycles are those of one process.

#ifndef POPULUS_RUNTIME_SESSION_DISTRIBUTION_H
#define POPULUS_RUNTIME_SESSION_DISTRIBUTION_H

#include "runtime/Format/Executable.h"
#include "runtime/Session/CycleAccount.h"
#include "runtime/Session/DeviceMemory.h"
#include "runtime/Session/Fabric.h"
#include "runtime/Session/WorkerPool.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace populus::runtime {

class FabricCopies;

class Distribution {
public:
  /// \p fabric is null where one process runs all, and \p numClocks as in
  /// IoTiles::clocks(). Throws RunError if the processes do not share this
  /// program evenly.
  Distribution(const Executable &program, Fabric *fabric,
               std::uint32_t numClocks);
  ~Distribution();

  bool isOn() const { return fabric; }
  unsigned index() const { return fabric ? fabric->index() : 0; }
  unsigned size() const { return fabric ? fabric->size() : 1; }

  TileRange tiles() const { return {numTiles * index(), numTiles}; }
  /// The process that runs a tile.
  unsigned ownerOf(std::uint32_t tile) const { return tile / numTiles; }
  /// The tiles of a compute set that this process runs.
  std::span<const TileVertices> own(std::span<const TileVertices> tiles) const;
  /// This process' share of things that there are for each replica.
  Range ownOf(std::uint32_t count) const {
    return {count / size() * index(), count / size()};
  }

  /// Returns whether the IPUs of a part are in several processes.
  bool crosses(std::span<const StepPart> parts) const;
  /// Waits for the other processes at a step, and takes over their clocks.
  /// Throws RunError if one of them has failed.
  void meet(std::uint32_t step, CycleAccount &account);
  /// Tells the others that this process has failed.
  void fail(const std::string &message) noexcept;

  /// Fills in what other processes hold of a packed tensor.
  void complete(std::uint32_t tensor, std::vector<std::byte> &data);
  /// Runs the copies of an exchange that concern this process. Without crossing
  /// pieces there is no message.
  void exchange(std::uint32_t index, std::uint32_t step, CycleAccount &account,
                const DeviceMemory &memory, WorkerPool &pool);

private:
  void checkTensors() const;
  void checkTensor(std::uint32_t tensor, const std::string &what) const;
  void checkPrograms();
  std::size_t messageBytes() const;
  std::uint32_t clockOf(unsigned process, std::uint32_t i) const;

  const Executable &program;
  Fabric *fabric;
  std::uint32_t numClocks; // of all
  std::uint32_t numTiles;  // of each process
  std::uint64_t meetings = 0;
  bool hasFailed = false;
  std::vector<std::unique_ptr<const FabricCopies>> copies; // by exchange
};

} // namespace populus::runtime

#endif
