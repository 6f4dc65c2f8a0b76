// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM IR for a region: a function of the type of TranslatedRegion::code.

#ifndef POPULUS_LIB_TRANSLATE_EMITTER_H
#define POPULUS_LIB_TRANSLATE_EMITTER_H

#include "lib/Translate/Region.h"
#include "lib/Translate/SemanticsModule.h"

namespace populus::translate {

/// Adds the function to the module.
llvm::Function *emitRegion(SemanticsModule &semantics, const Region &region,
                           llvm::StringRef name);

} // namespace populus::translate

#endif
