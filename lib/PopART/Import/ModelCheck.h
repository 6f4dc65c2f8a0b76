// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether a model is a valid graph by ONNX's rules.

#ifndef POPULUS_LIB_POPART_IMPORT_MODELCHECK_H
#define POPULUS_LIB_POPART_IMPORT_MODELCHECK_H

#include <onnx/onnx_pb.h>

namespace populus::popir {

/// Whether the distribution's libonnx has the model's opset; else we check what
/// it would.
bool isKnownToLibonnx(const onnx::ModelProto &model);

/// An Error with everything that makes the model invalid, node by node. Leaves
/// it with a version of the format that libonnx knows, where that checks it.
void checkValid(onnx::ModelProto &model);

} // namespace populus::popir

#endif
