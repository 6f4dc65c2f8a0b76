// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types and shapes of a model's tensors as programs see them.

#ifndef POPULUS_LIB_POPART_INTERFACE_TENSORINFOS_H
#define POPULUS_LIB_POPART_INTERFACE_TENSORINFOS_H

#include "lib/PopART/Interface/ModelBytes.h"
#include "lib/PopART/Support/OnnxTypes.h"

#include <popart/tensorinfo.hpp>

namespace popart::session {

inline TensorInfo toTensorInfo(const Info &info) {
  return {fromOnnx(info.onnxType), info.shape};
}

} // namespace popart::session

#endif
