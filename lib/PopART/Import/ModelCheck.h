// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks a model by ONNX's rules.

#ifndef POPULUS_LIB_POPART_IMPORT_MODELCHECK_H
#define POPULUS_LIB_POPART_IMPORT_MODELCHECK_H

#include <onnx/onnx_pb.h>

namespace populus::popir {

/// True if the installed libonnx supports the model's opset; otherwise our own
/// checks replace it.
bool isKnownToLibonnx(const onnx::ModelProto &model);

/// Throws an Error with all violations, node by node. If libonnx checks the
/// model, its format version is lowered to one that libonnx supports.
void checkValid(onnx::ModelProto &model);

} // namespace populus::popir

#endif
