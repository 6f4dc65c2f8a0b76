// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts a session's parameters to the compiler's setup.

#ifndef POPULUS_LIB_POPART_INTERFACE_SESSIONSETUP_H
#define POPULUS_LIB_POPART_INTERFACE_SESSIONSETUP_H

#include "lib/PopART/Interface/SessionProgram.h"

#include <popart/session.hpp>

namespace popart {

/// Throws if an option is unsupported, and warns about options without effect.
/// `optimizer` is null for inference.
void checkOptions(const SessionOptions &options, const Optimizer *optimizer);

/// The setup of a session, without loss and optimizer.
session::Setup setupOf(const std::string &model, const DataFlow &dataFlow,
                       const DeviceInfo &device,
                       const InputShapeInfo &inputShapes,
                       const SessionOptions &options, const Patterns &patterns);

} // namespace popart

#endif
