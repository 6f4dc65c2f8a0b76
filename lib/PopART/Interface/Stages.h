// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stages of a pipelined model. They run one after the other and do not
// overlap, so results are those of the model without stages; which models are
// refused, which anchors there are and what is computed again is as PopART has
// it.

#ifndef POPULUS_LIB_POPART_INTERFACE_STAGES_H
#define POPULUS_LIB_POPART_INTERFACE_STAGES_H

#include "lib/PopART/IR/Module.h"
#include "lib/PopART/Interface/SessionProgram.h"

namespace popart::session {

/// The anchors that are values of the model. Others are copies that stages of
/// a pipeline keep for the backward pass, `Stashed___x` and `Restored___x`.
std::vector<std::string> modelAnchors(const Setup &setup);

/// Puts the operators of a model, before it is trained, into their stages. What
/// no pipeline can be is refused.
void placeStages(populus::popir::Module &module, const Setup &setup);

/// Lets the copies for the backward pass be anchors: they hold what the value
/// itself does.
void returnStashes(populus::popir::Module &module, const Setup &setup);

} // namespace popart::session

#endif
