// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The module of a session: the imported model with pipeline stages, custom
// patterns and training, and the passes to run on it.

#ifndef POPULUS_LIB_POPART_INTERFACE_SESSIONMODULE_H
#define POPULUS_LIB_POPART_INTERFACE_SESSIONMODULE_H

#include "lib/PopART/IR/Module.h"
#include "lib/PopART/Interface/SessionProgram.h"
#include "lib/PopART/Passes/Pass.h"
#include "lib/PopART/Training/Training.h"

#include <memory>

namespace popart::session {

/// The module before any pass; \p states receives the variables that training
/// adds.
std::unique_ptr<populus::popir::Module>
importSetup(const Setup &setup, populus::popir::States &states);

/// Lets variables lie in the host's memory, as the setup requests. Anchors stay
/// on the chip, and so do variables that a called graph uses.
void placeOffChip(populus::popir::Module &module, const Setup &setup,
                  const populus::popir::States &states);

/// The passes that a setup requests.
populus::popir::Pipeline pipelineOf(const Setup &setup);

} // namespace popart::session

#endif
