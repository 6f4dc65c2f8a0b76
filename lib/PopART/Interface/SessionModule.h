// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The module of a session: the model as imported, with its training, pipeline
// stages and what programs change of it, and the pipeline of passes that it
// goes through.

#ifndef POPULUS_LIB_POPART_INTERFACE_SESSIONMODULE_H
#define POPULUS_LIB_POPART_INTERFACE_SESSIONMODULE_H

#include "lib/PopART/IR/Module.h"
#include "lib/PopART/Interface/SessionProgram.h"
#include "lib/PopART/Passes/Pass.h"
#include "lib/PopART/Training/Training.h"

#include <memory>

namespace popart::session {

/// Before any pass; \p states becomes what training keeps beside the weights.
std::unique_ptr<populus::popir::Module>
importSetup(const Setup &setup, populus::popir::States &states);

/// The passes that a setup asks for.
populus::popir::Pipeline pipelineOf(const Setup &setup);

} // namespace popart::session

#endif
