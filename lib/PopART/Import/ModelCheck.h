// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether a model is a valid graph by ONNX's rules.

#ifndef POPULUS_LIB_POPART_IMPORT_MODELCHECK_H
#define POPULUS_LIB_POPART_IMPORT_MODELCHECK_H

#include <onnx/onnx_pb.h>

namespace populus::popir {

/// An Error with everything that makes the model invalid, node by node.
void checkValid(const onnx::ModelProto &model);

} // namespace populus::popir

#endif
