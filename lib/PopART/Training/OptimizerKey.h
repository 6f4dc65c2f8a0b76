// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds an optimizer to the keys of caches (OptionKey.h).

#ifndef POPULUS_LIB_POPART_TRAINING_OPTIMIZERKEY_H
#define POPULUS_LIB_POPART_TRAINING_OPTIMIZERKEY_H

namespace populus::popir {

class OptionKey;
struct Optimizer;

void addTo(OptionKey &key, const Optimizer &optimizer);

} // namespace populus::popir

#endif
