// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts ONNX's tensors and attributes to those of the IR.

#ifndef POPULUS_LIB_POPART_IMPORT_TENSORDATA_H
#define POPULUS_LIB_POPART_IMPORT_TENSORDATA_H

#include "lib/PopART/IR/Attributes.h"

#include <onnx/onnx_pb.h>

namespace populus::popir {

HostTensor importTensor(const onnx::TensorProto &proto);

/// Throws an Error for attributes that hold graphs or types: no supported
/// operator has them.
Attributes importAttributes(const onnx::NodeProto &node);

} // namespace populus::popir

#endif
