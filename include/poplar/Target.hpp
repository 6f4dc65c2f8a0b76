// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a graph is compiled for: the number of IPUs and tiles, and the facts of
// a tile that libraries plan with. A small value, cheap to copy.

#ifndef POPULUS_INCLUDE_POPLAR_TARGET_HPP
#define POPULUS_INCLUDE_POPLAR_TARGET_HPP

#include <poplar/OptionFlags.hpp>
#include <poplar/StringRef.hpp>
#include <poplar/TargetType.hpp>
#include <poplar/Type.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>

namespace poplar {

namespace core {
struct TargetData;
struct Access;
} // namespace core

class Target {
public:
  /// The CPU target.
  Target();

  /// `system` is a target name: "ipu1", "ipu2" or "ipu21".
  static Target createIPUTarget(unsigned numIPUs, StringRef system,
                                const OptionFlags &options = {});
  static Target createIPUTarget(unsigned numIPUs, unsigned tilesPerIPU,
                                StringRef system,
                                const OptionFlags &options = {});
  static Target createCPUTarget(bool accurateHalf = false,
                                unsigned numIPUs = 1);
  /// The same target with another number of IPUs and tiles.
  Target createVirtualTarget(unsigned numIPUs, unsigned tilesPerIPU) const;

  TargetType getTargetType() const;
  std::string getTargetSystemString() const;
  std::string getTargetArchString() const;

  unsigned getNumIPUs() const;
  unsigned getTilesPerIPU() const;
  unsigned getNumTiles() const;
  unsigned getNumWorkerContexts() const;
  unsigned getBytesPerTile() const;
  double getTileClockFrequency() const;

  std::size_t getTypeSize(const Type &type) const;
  /// Elements of a type that one instruction works on.
  unsigned getVectorWidth(const Type &type) const;
  unsigned getFloatVectorWidth() const;
  unsigned getHalfVectorWidth() const;
  /// Bits that one instruction loads.
  unsigned getDataPathWidth() const;
  unsigned getRptCountMax() const;
  /// Stores of fewer bytes read, change and write the bytes around them.
  unsigned getAtomicStoreGranularity() const;
  unsigned getExchangeBytesPerCycle() const;
  unsigned getMemcpyBytesPerCycle() const;
  unsigned getTilesPerSharedExchangeBus() const;
  bool supportsExchangeBusSharing() const;
  unsigned getNumStrideBits() const;
  unsigned getMinIPUSyncDelay() const;
  unsigned getMaxIPUSyncDelay() const;
  unsigned getGlobalSyncCycles() const;
  unsigned getInterleavedMemoryElementIndex() const;

  unsigned getFp16InFp16OutConvUnitsPerTile() const;
  unsigned getFp16InFp32OutConvUnitsPerTile() const;
  unsigned getFp32InFp32OutConvUnitsPerTile() const;
  unsigned getNumConvUnits(const Type &input, const Type &partials) const;
  unsigned getWeightsPerConvUnit(const Type &type) const;
  unsigned getConvUnitMaxPipelineDepth(const Type &type) const;
  unsigned getConvUnitInputLoadElemsPerCycle(const Type &type) const;
  unsigned getConvUnitCoeffLoadBytesPerCycle() const;

  friend bool operator==(const Target &a, const Target &b);
  friend bool operator!=(const Target &a, const Target &b) { return !(a == b); }
  friend bool operator<(const Target &a, const Target &b);
  std::size_t hash() const;

private:
  explicit Target(std::shared_ptr<const core::TargetData> data);
  friend struct core::Access;

  std::shared_ptr<const core::TargetData> data;
};

bool operator==(const Target &a, const Target &b);
bool operator<(const Target &a, const Target &b);

/// Conversion between numbers of the host and the two-byte halves of a device.
void copyFloatToDeviceHalf(const Target &target, const float *src, void *dst,
                           std::size_t count);
void copyDeviceHalfToFloat(const Target &target, const void *src, float *dst,
                           std::size_t count);
void copyDoubleToDeviceHalf(const Target &target, const double *src, void *dst,
                            std::size_t count);
void copyDeviceHalfToDouble(const Target &target, const void *src, double *dst,
                            std::size_t count);

} // namespace poplar

namespace std {
template <> struct hash<poplar::Target> {
  size_t operator()(const poplar::Target &target) const {
    return target.hash();
  }
};
} // namespace std

#endif
