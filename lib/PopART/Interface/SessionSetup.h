// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a program says of a session, as the compiler takes it.

#ifndef POPULUS_LIB_POPART_INTERFACE_SESSIONSETUP_H
#define POPULUS_LIB_POPART_INTERFACE_SESSIONSETUP_H

#include "lib/PopART/Interface/SessionProgram.h"

#include <popart/session.hpp>

namespace popart {

/// Throws where an option asks for what is not supported, and warns of those
/// that are set for nothing. `optimizer` is null where the session does not
/// train.
void checkOptions(const SessionOptions &options, const Optimizer *optimizer);

/// The setup of a session, but for its loss and optimizer.
session::Setup setupOf(const std::string &model, const DataFlow &dataFlow,
                       const DeviceInfo &device,
                       const InputShapeInfo &inputShapes,
                       const SessionOptions &options, const Patterns &patterns);

} // namespace popart

#endif
