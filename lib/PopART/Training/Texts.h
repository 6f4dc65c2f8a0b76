// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses losses and optimizers of command lines:
//   softmax-nll:logits,labels,ignore=0
//   adam:lr=0.001,beta1=0.9

#ifndef POPULUS_LIB_POPART_TRAINING_TEXTS_H
#define POPULUS_LIB_POPART_TRAINING_TEXTS_H

#include "lib/PopART/Training/Loss.h"
#include "lib/PopART/Training/Optimizer.h"

namespace populus::popir {

// These throw a usage Error that names the option and the mistake.
Loss parseLoss(const std::string &text);
Optimizer parseOptimizer(const std::string &text);

} // namespace populus::popir

#endif
