// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of popart-compile as parts of a key.

#ifndef POPULUS_LIB_POPART_COMPILEKEY_H
#define POPULUS_LIB_POPART_COMPILEKEY_H

#include "lib/PopART/Compile.h"
#include "lib/PopART/Support/OptionKey.h"

namespace populus::popir {

/// The options that make a module of a model; the request has a key of its own.
/// Contents of other files that options name are not in it.
void addTo(OptionKey &key, const CompileOptions &options);

} // namespace populus::popir

#endif
