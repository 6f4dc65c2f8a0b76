// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements of 8 bits and less in ONNX's files: floats of 8 and of 4 bits, and
// integers of 4 and of 2 bits. Programs compute with them as floats or ints,
// which is what they become here.

#ifndef POPULUS_TOOLS_IPU_RUN_SMALLELEMENTS_H
#define POPULUS_TOOLS_IPU_RUN_SMALLELEMENTS_H

#include "HostTensor.h"

namespace populus::run {

/// Returns true for the number in TensorProto.DataType of such a type.
bool isSmallType(std::uint64_t onnxType);

/// `tensor` with elements in place of bytes as files have them: one for each
/// float of 8 bits, and else as many elements in each byte as it holds, the
/// first one in its lowest bits. False where the bytes do not fit the shape.
bool unpackSmall(HostTensor &tensor, std::uint64_t onnxType);

} // namespace populus::run

#endif
