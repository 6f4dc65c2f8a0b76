// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Element types and tensor infos of the interface, and ONNX's numbers for them.

#ifndef POPULUS_LIB_POPART_INTERFACE_ONNXTYPES_H
#define POPULUS_LIB_POPART_INTERFACE_ONNXTYPES_H

#include "lib/PopART/Interface/SessionProgram.h"

#include <popart/tensorinfo.hpp>

namespace popart::session {

int toOnnx(DataType type);
DataType fromOnnx(int onnxType);

inline TensorInfo toTensorInfo(const Info &info) {
  return {fromOnnx(info.onnxType), info.shape};
}

} // namespace popart::session

#endif
