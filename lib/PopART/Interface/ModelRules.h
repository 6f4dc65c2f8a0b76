// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What sessions refuse, as PopART does, though the compiler could go on with
// it: names that are reserved, operators without a gradient, IPUs that only
// some operators have, patterns without which an operator cannot be lowered.
// Programs and their tests know these errors by their texts.

#ifndef POPULUS_LIB_POPART_INTERFACE_MODELRULES_H
#define POPULUS_LIB_POPART_INTERFACE_MODELRULES_H

#include "lib/PopART/IR/Module.h"
#include "lib/PopART/Interface/SessionProgram.h"

#include <onnx/onnx_pb.h>

namespace popart::session {

/// What can be seen before types and shapes are known. Takes annotations away
/// that have no effect with the session's options.
void applyRules(onnx::ModelProto &model, const Setup &setup);

/// What can be seen after the import, before a backward pass is added.
void checkImported(const populus::popir::Module &module);

} // namespace popart::session

#endif
