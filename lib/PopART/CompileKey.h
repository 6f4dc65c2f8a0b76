// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Under which key popart-compile's cache keeps an executable.

#ifndef POPULUS_LIB_POPART_COMPILEKEY_H
#define POPULUS_LIB_POPART_COMPILEKEY_H

#include "lib/PopART/Compile.h"
#include "runtime/Support/ContentHash.h"

namespace populus::popir {

/// Changes with the compiler, with the bytes of the model, and with each option
/// that changes what is compiled. Contents of other files that options name are
/// not in it.
runtime::ContentHash keyOf(const CompileOptions &options,
                           const std::string &model);

} // namespace populus::popir

#endif
