// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ONNX's numbers for the element types of the interface for programs.

#ifndef POPULUS_LIB_POPART_SUPPORT_ONNXTYPES_H
#define POPULUS_LIB_POPART_SUPPORT_ONNXTYPES_H

#include <popart/tensorinfo.hpp>

namespace popart::session {

int toOnnx(DataType type);
DataType fromOnnx(int onnxType);

} // namespace popart::session

#endif
