// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Models that sessions reject for compatibility with PopART, although the
// compiler could handle them: reserved names, operators without a gradient,
// partially annotated IPUs, disabled patterns that PopART needs to lower an
// operator. Programs and their tests compare the texts of these errors.

#ifndef POPULUS_LIB_POPART_INTERFACE_MODELRULES_H
#define POPULUS_LIB_POPART_INTERFACE_MODELRULES_H

#include "lib/PopART/IR/Module.h"
#include "lib/PopART/Interface/SessionProgram.h"

#include <onnx/onnx_pb.h>

namespace popart::session {

/// Checks rules that need no types and shapes. Removes annotations that have no
/// effect with the session's options.
void applyRules(onnx::ModelProto &model, const Setup &setup);

/// Checks the other rules, between import and differentiation.
void checkImported(const populus::popir::Module &module);

} // namespace popart::session

#endif
