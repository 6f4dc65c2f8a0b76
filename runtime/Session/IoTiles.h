// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles that a program keeps for transfers with the host, and clocks. The I/O
// tiles of an IPU have a clock of their own, so that their transfers overlap
// with the work of the other tiles:
//
//    step                      compute     I/O
//    stream -> I/O tiles       .           0..500
//    execute on compute tiles  0..800      .
//    I/O -> compute tiles      800..850    800..850
//
// A program does not say which tiles are meant for I/O. They are those that
// hold data of streams or remote buffers and never run a vertex, if an IPU has
// as many as gcl::getMinIoTiles asks for.

#ifndef POPULUS_RUNTIME_SESSION_IOTILES_H
#define POPULUS_RUNTIME_SESSION_IOTILES_H

#include "runtime/Format/Executable.h"
#include "runtime/Session/StepPart.h"

#include <cstdint>
#include <vector>

namespace populus::runtime {

class IoTiles {
public:
  /// The fewest I/O tiles of an IPU.
  static constexpr std::uint32_t Least = 32;

  explicit IoTiles(const Executable &program);

  bool any() const { return numClocks != numIpus; }
  bool contains(std::uint32_t tile) const { return any() && isIo[tile]; }

  /// Clocks of IPUs have the numbers of these. Those of their I/O tiles follow,
  /// if there are any.
  std::uint32_t clocks() const { return numClocks; }
  std::uint32_t clockOf(std::uint32_t tile) const {
    return tile / tilesPerIpu + (contains(tile) ? numIpus : 0);
  }
  std::uint32_t ipuOf(std::uint32_t clock) const { return clock % numIpus; }

  /// Replaces the IPUs of each part by the clocks that \p step advances: those
  /// of the tiles that it touches. A step that touches no tile by itself, like
  /// a decision, involves all tiles.
  void setClocks(std::vector<StepPart> &parts, const Step &step) const;

  /// Parts without time, in which each IPU's tiles wait for each other.
  std::vector<StepPart> meetings() const;

private:
  /// For each clock, true if the step touches a tile that has it.
  std::vector<bool> touched(const Step &step) const;

  const Executable &program;
  std::uint32_t numIpus, tilesPerIpu;
  std::uint32_t numClocks;
  std::vector<bool> isIo; // by tile
};

} // namespace populus::runtime

#endif
