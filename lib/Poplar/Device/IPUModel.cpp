// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// poplar::IPUModel. Its members are initialised from the target. Changed
// members are stored with the target in the executable (ModelSettings) or
// returned by the target's queries.

#include <poplar/IPUModel.hpp>

#include "lib/Poplar/Device/DeviceAccess.h"
#include "lib/Poplar/Device/DeviceData.h"
#include "lib/Poplar/Device/TargetData.h"

#include <poplar/exceptions.hpp>

#include <algorithm>

namespace poplar {

using core::DeviceAccess;
using core::ModelData;
using core::TargetData;

IPUModel::IPUModel(const char *version)
    : IPUVersion(version ? version : "ipu2"), numIPUs(1), instructionBytes(4),
      relativeSyncDelay(RelativeSyncDelayType::AUTO), compileIPUCode(false) {
  const Target target = Target::createIPUTarget(1, IPUVersion);
  tilesPerIPU = target.getTilesPerIPU();
  tileClockFrequency = target.getTileClockFrequency();
  memoryBytesPerTile = target.getBytesPerTile();
  exchangeBytesPerCycle = target.getExchangeBytesPerCycle();
  minIPUSyncDelay = target.getMinIPUSyncDelay();
  globalSyncCycles = target.getGlobalSyncCycles();
  numWorkerContexts = target.getNumWorkerContexts();
  tilesPerSuperTile = target.getTilesPerSharedExchangeBus();
  memcpyBytesPerCycle = target.getMemcpyBytesPerCycle();
  supportsSuperTileSendReceive = target.supportsExchangeBusSharing();
  interleavedMemoryElementIndex = target.getInterleavedMemoryElementIndex();
  dataPathWidth = target.getDataPathWidth();
  fp16ConvUnitMaxPipelineDepth = target.getConvUnitMaxPipelineDepth(HALF);
  fp32ConvUnitMaxPipelineDepth = target.getConvUnitMaxPipelineDepth(FLOAT);
  fp16ConvUnitInputLoadElemsPerCycle =
      target.getFp16ConvUnitInputLoadElemsPerCycle();
  fp32ConvUnitInputLoadElemsPerCycle =
      target.getFp32ConvUnitInputLoadElemsPerCycle();
  fp16InFp16OutConvUnitsPerTile = target.getFp16InFp16OutConvUnitsPerTile();
  fp16InFp32OutConvUnitsPerTile = target.getFp16InFp32OutConvUnitsPerTile();
  fp32InFp32OutConvUnitsPerTile = target.getFp32InFp32OutConvUnitsPerTile();
  convUnitCoeffLoadBytesPerCycle = target.getConvUnitCoeffLoadBytesPerCycle();
  rptCountMax = target.getRptCountMax();
  atomicStoreGranularity = target.getAtomicStoreGranularity();
}

std::vector<double> core::numbersOf(const IPUModel &model) {
  return {
      model.tileClockFrequency,
      double(model.memoryBytesPerTile),
      double(model.exchangeBytesPerCycle),
      double(model.minIPUSyncDelay),
      double(model.globalSyncCycles),
      double(model.numWorkerContexts),
      double(model.tilesPerSuperTile),
      double(model.memcpyBytesPerCycle),
      double(model.instructionBytes),
      double(model.supportsSuperTileSendReceive),
      double(model.interleavedMemoryElementIndex),
      double(static_cast<int>(model.relativeSyncDelay)),
      double(model.dataPathWidth),
      double(model.fp16ConvUnitMaxPipelineDepth),
      double(model.fp32ConvUnitMaxPipelineDepth),
      double(model.fp16ConvUnitInputLoadElemsPerCycle),
      double(model.fp32ConvUnitInputLoadElemsPerCycle),
      double(model.fp16InFp16OutConvUnitsPerTile),
      double(model.fp16InFp32OutConvUnitsPerTile),
      double(model.fp32InFp32OutConvUnitsPerTile),
      double(model.convUnitCoeffLoadBytesPerCycle),
      double(model.rptCountMax),
      double(model.atomicStoreGranularity),
      double(model.compileIPUCode),
  };
}

bool IPUModel::operator==(const IPUModel &other) const {
  return IPUVersion == other.IPUVersion && numIPUs == other.numIPUs &&
         tilesPerIPU == other.tilesPerIPU &&
         core::numbersOf(*this) == core::numbersOf(other) &&
         globalExchangeConstraints == other.globalExchangeConstraints;
}

namespace {

/// Returns the timing settings in which the model differs from the target.
populus::runtime::ModelSettings changes(const IPUModel &model,
                                        const IPUModel &target) {
  const auto changed = [](auto value, auto usual) {
    return value == usual ? decltype(value)() : value;
  };
  return {changed(model.tileClockFrequency, target.tileClockFrequency),
          changed(model.memoryBytesPerTile, target.memoryBytesPerTile),
          changed(model.exchangeBytesPerCycle, target.exchangeBytesPerCycle),
          changed(std::max(model.minIPUSyncDelay, 1u), target.minIPUSyncDelay),
          changed(model.globalSyncCycles, target.globalSyncCycles)};
}

void check(const IPUModel &model) {
  for (const double number :
       {model.tileClockFrequency, double(model.memoryBytesPerTile),
        double(model.exchangeBytesPerCycle), double(model.globalSyncCycles),
        double(model.numWorkerContexts)})
    if (!(number > 0 && number < 1e12))
      throw invalid_machine_model(
          "an IPUModel needs a clock, memory, exchange bandwidth, global sync "
          "cycles and worker contexts, but one of them is " +
          std::to_string(number));
}

} // namespace

Device IPUModel::createDevice(const OptionFlags &options, bool,
                              unsigned deviceManagerId) const {
  check(*this);
  auto data = std::make_shared<TargetData>(DeviceAccess::data(
      Target::createIPUTarget(numIPUs, tilesPerIPU, IPUVersion, options)));
  const auto timing = changes(*this, IPUModel(IPUVersion.c_str()));
  data->type = TargetType::IPU_MODEL;
  data->model = std::make_shared<const ModelData>(
      ModelData{*this, timing, withSettings(*data->info, timing)});
  data->info = &data->model->info;
  const bool isKnown = deviceManagerId != std::numeric_limits<unsigned>::max();
  return DeviceAccess::device(std::make_shared<core::DeviceData>(
      core::DeviceData{DeviceAccess::target(std::move(data)),
                       isKnown ? deviceManagerId : 0, false}));
}

} // namespace poplar
