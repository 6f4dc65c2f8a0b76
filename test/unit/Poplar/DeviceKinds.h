// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A device of each kind, for tests that must have the same results on all.

#ifndef POPULUS_TEST_UNIT_POPLAR_DEVICEKINDS_H
#define POPULUS_TEST_UNIT_POPLAR_DEVICEKINDS_H

#include <poplar/Device.hpp>
#include <poplar/IPUModel.hpp>

#include <gtest/gtest.h>

#include <string>

/// A device with `ipus` IPUs of `tiles` tiles; the CPU has one, whatever it is
/// asked for.
inline poplar::Device makeDevice(poplar::TargetType type, unsigned tiles,
                                 unsigned ipus = 1) {
  using namespace poplar;
  if (type == TargetType::CPU)
    return Device::createCPUDevice();
  if (type == TargetType::IPU)
    return Device::createSimulatorDevice(
        Target::createIPUTarget(ipus, tiles, "ipu2"));
  IPUModel model;
  model.numIPUs = ipus;
  model.tilesPerIPU = tiles;
  return model.createDevice();
}

class AllDevices : public ::testing::TestWithParam<poplar::TargetType> {};

inline auto allDeviceKinds() {
  return ::testing::Values(poplar::TargetType::CPU,
                           poplar::TargetType::IPU_MODEL,
                           poplar::TargetType::IPU);
}

inline std::string
deviceKindName(const ::testing::TestParamInfo<poplar::TargetType> &info) {
  return poplar::toString(info.param);
}

#endif
