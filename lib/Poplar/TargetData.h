// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a poplar::Target refers to: a row of the runtime's target table, and how
// many of it there are.

#ifndef POPULUS_LIB_POPLAR_TARGETDATA_H
#define POPULUS_LIB_POPLAR_TARGETDATA_H

#include "runtime/Target/TargetInfo.h"

#include <poplar/TargetType.hpp>

namespace poplar::core {

struct TargetData {
  TargetType type = TargetType::CPU;
  const populus::runtime::TargetInfo *info = nullptr;
  unsigned numIpus = 1;
  unsigned tilesPerIpu = 1;
};

} // namespace poplar::core

#endif
