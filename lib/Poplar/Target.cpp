// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// poplar::Target: all numbers come from the runtime's tables of targets and
// timing, or stand here if only planners ask for them.

#include "lib/Poplar/TargetData.h"

#include "lib/Poplar/Access.h"
#include "lib/Poplar/NearestName.h"
#include "lib/Poplar/Types.h"
#include "runtime/Target/Half.h"
#include "runtime/Target/Timing.h"

#include <cstring>
#include <tuple>

namespace poplar {

using core::TargetData;
namespace timing = populus::runtime::timing;

std::string toString(TargetType type) {
  switch (type) {
  case TargetType::IPU:
    return "IPU";
  case TargetType::IPU_MODEL:
    return "IPU_MODEL";
  case TargetType::CPU:
    return "CPU";
  }
  return "unknown";
}

namespace {

const populus::runtime::TargetInfo &findIpuTarget(const std::string &name) {
  const auto *info = populus::runtime::findTarget(name);
  if (info && info->isIpu())
    return *info;
  std::vector<std::string_view> names;
  for (const auto &target : populus::runtime::allTargets())
    if (target.isIpu())
      names.push_back(target.name);
  throw invalid_machine_model("there is no IPU target '" + name + "'" +
                              core::didYouMean(name, names) +
                              "; there are ipu1, ipu2 and ipu21");
}

std::shared_ptr<TargetData> ipuTarget(unsigned numIPUs, unsigned tilesPerIPU,
                                      const std::string &name) {
  auto data = std::make_shared<TargetData>();
  data->type = TargetType::IPU;
  data->info = &findIpuTarget(name);
  data->numIpus = numIPUs;
  data->tilesPerIpu = tilesPerIPU ? tilesPerIPU : data->info->tilesPerIpu;
  if (numIPUs == 0)
    throw invalid_machine_model("a target needs at least one IPU");
  return data;
}

auto key(const TargetData &data) {
  return std::make_tuple(data.type, data.info, data.numIpus, data.tilesPerIpu);
}

} // namespace

Target::Target(std::shared_ptr<const TargetData> data)
    : data(std::move(data)) {}
Target::Target() : Target(createCPUTarget()) {}

Target Target::createIPUTarget(unsigned numIPUs, StringRef system,
                               const OptionFlags &) {
  return Target(ipuTarget(numIPUs, 0, system));
}

Target Target::createIPUTarget(unsigned numIPUs, unsigned tilesPerIPU,
                               StringRef system, const OptionFlags &) {
  if (tilesPerIPU == 0)
    throw invalid_machine_model("an IPU needs at least one tile");
  return Target(ipuTarget(numIPUs, tilesPerIPU, system));
}

Target Target::createCPUTarget(bool, unsigned numIPUs) {
  auto data = std::make_shared<TargetData>();
  data->info = populus::runtime::findTarget("cpu");
  data->numIpus = numIPUs;
  return Target(std::move(data));
}

Target Target::createVirtualTarget(unsigned numIPUs,
                                   unsigned tilesPerIPU) const {
  auto result = std::make_shared<TargetData>(*data);
  result->numIpus = numIPUs;
  result->tilesPerIpu = tilesPerIPU;
  return Target(std::move(result));
}

TargetType Target::getTargetType() const { return data->type; }
std::string Target::getTargetSystemString() const {
  return std::string(data->info->name);
}
std::string Target::getTargetArchString() const {
  return std::string(data->info->name);
}
unsigned Target::getNumIPUs() const { return data->numIpus; }
unsigned Target::getTilesPerIPU() const { return data->tilesPerIpu; }
unsigned Target::getNumTiles() const {
  return data->numIpus * data->tilesPerIpu;
}
unsigned Target::getNumWorkerContexts() const {
  return data->info->workersPerTile;
}
unsigned Target::getBytesPerTile() const {
  return data->info->isIpu() ? data->info->bytesPerTile() : ~0u;
}
double Target::getTileClockFrequency() const { return data->info->clockHz; }

std::size_t Target::getTypeSize(const Type &type) const {
  core::requireValid(type, "the argument of getTypeSize");
  return core::sizeOf(type);
}
unsigned Target::getVectorWidth(const Type &type) const {
  if (type == FLOAT)
    return getFloatVectorWidth();
  if (type == HALF)
    return getHalfVectorWidth();
  return 1;
}
unsigned Target::getFloatVectorWidth() const {
  return data->info->isIpu() ? 2 : 1;
}
unsigned Target::getHalfVectorWidth() const {
  return data->info->isIpu() ? 4 : 1;
}
unsigned Target::getDataPathWidth() const {
  return timing::LoadBytesPerCycle * 8;
}
// The count of `rpt` is 16 bits wide in a register, 12 as an immediate.
unsigned Target::getRptCountMax() const { return 0xffff; }
unsigned Target::getAtomicStoreGranularity() const {
  return data->info->isIpu() ? 4 : 1;
}
unsigned Target::getExchangeBytesPerCycle() const {
  return data->info->exchangeBytesPerCycle;
}
unsigned Target::getMemcpyBytesPerCycle() const {
  return timing::LocalCopyBytesPerCycle;
}
unsigned Target::getTilesPerSharedExchangeBus() const { return 2; }
bool Target::supportsExchangeBusSharing() const { return false; }
unsigned Target::getNumStrideBits() const { return 10; }
unsigned Target::getMinIPUSyncDelay() const {
  return static_cast<unsigned>(timing::internalSyncCycles(*data->info));
}
unsigned Target::getMaxIPUSyncDelay() const { return getMinIPUSyncDelay(); }
unsigned Target::getGlobalSyncCycles() const {
  return timing::GlobalSyncCycles;
}
unsigned Target::getInterleavedMemoryElementIndex() const {
  return data->info->isIpu() ? 1 : 0;
}

unsigned Target::getFp16InFp16OutConvUnitsPerTile() const { return 16; }
unsigned Target::getFp16InFp32OutConvUnitsPerTile() const {
  return data->info->archVersion == 1 ? 8 : 16;
}
unsigned Target::getFp32InFp32OutConvUnitsPerTile() const {
  return data->info->archVersion == 1 ? 4 : 8;
}
unsigned Target::getNumConvUnits(const Type &input,
                                 const Type &partials) const {
  if (input == FLOAT && partials == FLOAT)
    return getFp32InFp32OutConvUnitsPerTile();
  if (input == HALF && partials == FLOAT)
    return getFp16InFp32OutConvUnitsPerTile();
  if (input == HALF && partials == HALF)
    return getFp16InFp16OutConvUnitsPerTile();
  throw poplar_error("there are no convolution units for " + input.toString() +
                     " with partial sums of " + partials.toString());
}
unsigned Target::getWeightsPerConvUnit(const Type &type) const {
  return type == HALF ? 16 : 8;
}
unsigned Target::getConvUnitMaxPipelineDepth(const Type &) const { return 4; }
unsigned Target::getConvUnitInputLoadElemsPerCycle(const Type &type) const {
  return timing::LoadBytesPerCycle / static_cast<unsigned>(getTypeSize(type));
}
unsigned Target::getConvUnitCoeffLoadBytesPerCycle() const {
  return timing::InterleavedLoadBytesPerCycle;
}

bool operator==(const Target &a, const Target &b) {
  return key(*a.data) == key(*b.data);
}
bool operator<(const Target &a, const Target &b) {
  return key(*a.data) < key(*b.data);
}
std::size_t Target::hash() const {
  std::size_t result = static_cast<std::size_t>(data->type);
  for (std::size_t part :
       {std::hash<std::string_view>()(data->info->name),
        std::size_t(data->numIpus), std::size_t(data->tilesPerIpu)})
    result = result * 1000003 + part;
  return result;
}

namespace {

template <typename T> void toHalf(const T *src, void *dst, std::size_t count) {
  for (std::size_t i = 0; i != count; ++i) {
    const std::uint16_t half =
        populus::runtime::floatToHalf(static_cast<float>(src[i]));
    std::memcpy(static_cast<char *>(dst) + 2 * i, &half, 2);
  }
}

template <typename T>
void fromHalf(const void *src, T *dst, std::size_t count) {
  for (std::size_t i = 0; i != count; ++i) {
    std::uint16_t half;
    std::memcpy(&half, static_cast<const char *>(src) + 2 * i, 2);
    dst[i] = populus::runtime::halfToFloat(half);
  }
}

} // namespace

void copyFloatToDeviceHalf(const Target &, const float *src, void *dst,
                           std::size_t count) {
  toHalf(src, dst, count);
}
void copyDeviceHalfToFloat(const Target &, const void *src, float *dst,
                           std::size_t count) {
  fromHalf(src, dst, count);
}
void copyDoubleToDeviceHalf(const Target &, const double *src, void *dst,
                            std::size_t count) {
  toHalf(src, dst, count);
}
void copyDeviceHalfToDouble(const Target &, const void *src, double *dst,
                            std::size_t count) {
  fromHalf(src, dst, count);
}

} // namespace poplar
