// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Losses and optimizers as command lines write them:
//   softmax-nll:logits,labels,ignore=0
//   adam:lr=0.001,beta1=0.9

#ifndef POPULUS_LIB_POPART_TRAINING_TEXTS_H
#define POPULUS_LIB_POPART_TRAINING_TEXTS_H

#include "lib/PopART/Training/Loss.h"
#include "lib/PopART/Training/Optimizer.h"

namespace populus::popir {

// A usage Error that names the option says what is wrong.
Loss parseLoss(const std::string &text);
Optimizer parseOptimizer(const std::string &text);

} // namespace populus::popir

#endif
