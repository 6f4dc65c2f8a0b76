// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A simulated IPU. Vertices run as host code, and a cycle model estimates the
// time. Set the members before createDevice.

#ifndef POPULUS_INCLUDE_POPLAR_IPUMODEL_HPP
#define POPULUS_INCLUDE_POPLAR_IPUMODEL_HPP

#include <poplar/Device.hpp>
#include <poplar/GlobalExchangeConstraints.hpp>
#include <poplar/OptionFlags.hpp>

#include <limits>
#include <string>
#include <vector>

namespace poplar {

struct IPUModel {
  /// Delay of a tile's sync relative to the first tile. The timing model has no
  /// such delay, so both values mean the same.
  enum class RelativeSyncDelayType { AUTO, NO_DELAY };

  /// `version` is a target name: "ipu1", "ipu2" (the default) or "ipu21".
  explicit IPUModel(const char *version = nullptr);

  /// Throws invalid_machine_model for values that no IPU has.
  Device createDevice(
      const OptionFlags &options = {}, bool accurateHalf = false,
      unsigned deviceManagerId = std::numeric_limits<unsigned>::max()) const;

  bool operator==(const IPUModel &other) const;
  bool operator!=(const IPUModel &other) const { return !(*this == other); }

  std::string IPUVersion;
  unsigned numIPUs;
  unsigned tilesPerIPU;

  // Members that change estimated times and the memory available.
  /// Hertz.
  double tileClockFrequency;
  unsigned memoryBytesPerTile;
  unsigned exchangeBytesPerCycle;
  /// Cycles; 0 counts as 1.
  unsigned minIPUSyncDelay;
  unsigned globalSyncCycles;

  // Members that planners read from Target. The model itself always has six
  // workers and its own rates.
  unsigned numWorkerContexts;
  unsigned tilesPerSuperTile;
  unsigned memcpyBytesPerCycle;
  unsigned instructionBytes;
  bool supportsSuperTileSendReceive;
  unsigned interleavedMemoryElementIndex;
  RelativeSyncDelayType relativeSyncDelay;
  /// Bits.
  unsigned dataPathWidth;
  unsigned fp16ConvUnitMaxPipelineDepth;
  unsigned fp32ConvUnitMaxPipelineDepth;
  unsigned fp16ConvUnitInputLoadElemsPerCycle;
  unsigned fp32ConvUnitInputLoadElemsPerCycle;
  unsigned fp16InFp16OutConvUnitsPerTile;
  unsigned fp16InFp32OutConvUnitsPerTile;
  unsigned fp32InFp32OutConvUnitsPerTile;
  unsigned convUnitCoeffLoadBytesPerCycle;
  unsigned rptCountMax;
  unsigned atomicStoreGranularity;
  std::vector<GlobalExchangeConstraint> globalExchangeConstraints;

  /// Also compile codelets for the IPU, so that memory reports count their code
  /// and stacks; the vertex types' archives need code for the IPU.
  bool compileIPUCode;
};

} // namespace poplar

#endif
