// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libonnx knows the type rules of all operators; it is let find violations.

#ifndef POPULUS_LIB_POPART_IMPORT_TYPECHECK_H
#define POPULUS_LIB_POPART_IMPORT_TYPECHECK_H

#include <onnx/onnx_pb.h>

namespace populus::popir {

/// Throws where types or shapes of a model do not fit. libonnx trusts its
/// input, so this comes after our own checks of every node. The model is
/// changed: it is of no more use.
void checkTypes(onnx::ModelProto &model);

} // namespace populus::popir

#endif
