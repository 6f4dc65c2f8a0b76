// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keys of the executables in the caches of popart-compile and of module
// programs.

#ifndef POPULUS_LIB_POPART_COMPILEKEY_H
#define POPULUS_LIB_POPART_COMPILEKEY_H

#include "lib/PopART/Compile.h"
#include "lib/PopART/ModuleProgram.h"
#include "runtime/Support/ContentHash.h"

namespace populus::popir {

/// A hash of the compiler, the bytes of the model, and each option that affects
/// the executable. Contents of other files that options name are not in it.
runtime::ContentHash keyOf(const CompileOptions &options,
                           const std::string &model);

/// The key of a module: a hash of its complete text, and of the options.
runtime::ContentHash keyOfModule(const ModuleProgram::Options &options,
                                 const std::string &module);

} // namespace populus::popir

#endif
