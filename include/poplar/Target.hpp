// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Target of a compilation: the number of IPUs and tiles, and the facts of a
// tile that libraries plan with. A small value, cheap to copy.

#ifndef POPULUS_INCLUDE_POPLAR_TARGET_HPP
#define POPULUS_INCLUDE_POPLAR_TARGET_HPP

#include <poplar/GlobalExchangeConstraints.hpp>
#include <poplar/IpuLinkConfiguration.hpp>
#include <poplar/IpuLinkTopology.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/StandardLibrary.hpp>
#include <poplar/StringRef.hpp>
#include <poplar/TargetType.hpp>
#include <poplar/Type.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace poplar {

namespace core {
struct TargetData;
struct DeviceAccess;
} // namespace core

class Target {
public:
  /// The CPU target.
  Target();
  // Has no move constructor, so that a moved-from target stays valid.
  Target(const Target &other) = default;
  Target &operator=(const Target &other) = default;

  /// `system` is the name of a target, "ipu1", "ipu2" or "ipu21", or of a
  /// system such as "IPU-POD16". Options, which may also come from the
  /// environment variable POPLAR_TARGET_OPTIONS: gatewayMode,
  /// ipuLinkConfiguration, ipuLinkDomainSize, ipuLinkTopology,
  /// syncConfiguration. Queries return them; they have no other effect.
  static Target createIPUTarget(unsigned numIPUs, StringRef system,
                                const OptionFlags &options = {});
  static Target createIPUTarget(unsigned numIPUs, unsigned tilesPerIPU,
                                StringRef system,
                                const OptionFlags &options = {});
  static Target createCPUTarget(bool accurateHalf = false,
                                unsigned numIPUs = 1);
  /// The same target with another number of IPUs and tiles.
  Target createVirtualTarget(unsigned numIPUs, unsigned tilesPerIPU) const;

  /// Reads a target that serialize has written.
  explicit Target(std::istream &in);
  void serialize(std::ostream &out) const;

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
  /// Number of elements of a type that one instruction operates on.
  unsigned getVectorWidth(const Type &type) const;
  unsigned getFloatVectorWidth() const;
  unsigned getHalfVectorWidth() const;
  /// Number of bits that one instruction loads.
  unsigned getDataPathWidth() const;
  unsigned getRptCountMax() const;
  /// Bytes of the smallest atomic store. A smaller store reads, changes and
  /// writes the bytes around it.
  unsigned getAtomicStoreGranularity() const;
  unsigned getExchangeBytesPerCycle() const;
  unsigned getMemcpyBytesPerCycle() const;
  unsigned getTilesPerSharedExchangeBus() const;
  bool supportsExchangeBusSharing() const;
  unsigned getNumStrideBits() const;
  unsigned getMinIPUSyncDelay() const;
  unsigned getMaxIPUSyncDelay() const;
  unsigned getGlobalSyncCycles() const;
  /// Offsets of a tile's memory elements from the start of its memory, and the
  /// index of the first interleaved element.
  std::vector<std::size_t> getMemoryElementOffsets() const;
  unsigned getInterleavedMemoryElementIndex() const;

  // The system of IPUs.
  const OptionFlags &getTargetOptions() const;
  bool getGatewayMode() const;
  unsigned getIpuLinkDomainSize() const;
  IpuLinkTopology getIpuLinkTopology() const;
  IpuLinkConfiguration getIpuLinkConfiguration() const;
  /// Number of IPUs that one host program drives: all of them.
  unsigned getInstanceSize() const { return getNumIPUs(); }
  std::vector<GlobalExchangeConstraint> getGlobalExchangeConstraints() const;

  /// Largest and lowest value of a type.
  template <typename T> T getTypeLimitsMaxAs(const Type &type) const {
    return static_cast<T>(getTypeLimit(type, true));
  }
  template <typename T> T getTypeLimitsLowestAs(const Type &type) const {
    return static_cast<T>(getTypeLimit(type, false));
  }

  /// Value of the tile's register for floating-point behaviour: exceptions for
  /// invalid operations, division by zero and overflow; stochastic rounding;
  /// NaN on overflow.
  unsigned makeFpIctlValue(bool inv, bool div0, bool oflo, bool esr,
                           bool nanoo) const;

  unsigned getFp16InFp16OutConvUnitsPerTile() const;
  unsigned getFp16InFp32OutConvUnitsPerTile() const;
  unsigned getFp32InFp32OutConvUnitsPerTile() const;
  unsigned getNumConvUnits(const Type &input, const Type &partials) const;
  unsigned getWeightsPerConvUnit(const Type &type) const;
  unsigned getConvUnitMaxPipelineDepth(const Type &type) const;
  unsigned getConvUnitInputLoadElemsPerCycle(const Type &type) const;
  unsigned getFp16ConvUnitInputLoadElemsPerCycle() const;
  unsigned getFp32ConvUnitInputLoadElemsPerCycle() const;
  unsigned getConvUnitCoeffLoadBytesPerCycle() const;

  friend bool operator==(const Target &a, const Target &b);
  friend bool operator!=(const Target &a, const Target &b) { return !(a == b); }
  friend bool operator<(const Target &a, const Target &b);
  std::size_t hash() const;

private:
  explicit Target(std::shared_ptr<const core::TargetData> data);
  long double getTypeLimit(const Type &type, bool isMax) const;
  friend struct core::DeviceAccess;

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
