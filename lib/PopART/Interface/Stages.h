// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stages of a pipelined model. Results are those of the model without
// stages. PopART's rules decide which models are rejected, which anchors exist,
// and which values are recomputed.

#ifndef POPULUS_LIB_POPART_INTERFACE_STAGES_H
#define POPULUS_LIB_POPART_INTERFACE_STAGES_H

#include "lib/PopART/IR/Module.h"
#include "lib/PopART/Interface/SessionProgram.h"

namespace popart::session {

/// The anchors that are values of the model. The others, `Stashed___x` and
/// `Restored___x`, are copies that pipeline stages keep for the backward pass.
std::vector<std::string> modelAnchors(const Setup &setup);

/// Assigns stages to the operators of a model, before differentiation. Rejects
/// models that cannot be pipelined.
void placeStages(populus::popir::Module &module, const Setup &setup);

/// True if the stages work on different micro-batches at a time. Stages of
/// other pipelined models run one after the other, with a warning in the log.
bool isOverlapped(populus::popir::Module &module, const Setup &setup);

/// Returns the anchors that are copies for the backward pass: they equal the
/// value itself.
void returnStashes(populus::popir::Module &module, const Setup &setup);

} // namespace popart::session

#endif
