// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// State of a poplar::Target: a row of the runtime's target table, and the
// number of IPUs and tiles.

#ifndef POPULUS_LIB_POPLAR_DEVICE_TARGETDATA_H
#define POPULUS_LIB_POPLAR_DEVICE_TARGETDATA_H

#include "runtime/Target/TargetInfo.h"

#include <poplar/TargetType.hpp>

#include <poplar/IPUModel.hpp>
#include <poplar/Target.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace poplar::core {

/// Smallest unit that an IPU stores without rewriting bytes around it.
inline constexpr std::uint32_t WordBytes = 4;

/// Settings of an IPU Model.
struct ModelData {
  IPUModel settings;
  /// Settings that change estimated times and the memory available.
  populus::runtime::ModelSettings timing;
  populus::runtime::TargetInfo info;
};

/// The members of a model that are numbers, to be compared.
std::vector<double> numbersOf(const IPUModel &model);

struct TargetData {
  TargetType type = TargetType::CPU;
  const populus::runtime::TargetInfo *info = nullptr;
  unsigned numIpus = 1;
  unsigned tilesPerIpu = 1;
  OptionFlags options;
  std::shared_ptr<const ModelData> model; // of an IPU Model

  /// True if the model also measures the size of its code on an IPU.
  bool compilesIpuCode() const {
    return model && model->settings.compileIPUCode;
  }
};

} // namespace poplar::core

#endif
