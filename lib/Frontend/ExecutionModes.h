// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Supervisors and workers run different code: a supervisor has no auxiliary
// register file, so floats are passed in other registers and have no
// instructions. A function without a mark is for workers, but the functions
// that a supervisor calls must not be.

#ifndef POPULUS_LIB_FRONTEND_EXECUTIONMODES_H
#define POPULUS_LIB_FRONTEND_EXECUTIONMODES_H

#include "lib/Frontend/EntryPoints.h"

namespace populus::frontend {

/// Turns __attribute__((target("supervisor"))) and its like into the attribute
/// that the code generator knows, and gives it to the compute functions of
/// supervisors. Code that is not for workers then calls copies of unmarked
/// functions. Clang makes target features of these attributes, which would keep
/// unmarked functions from being inlined.
/// keep unmarked functions from being inlined.
void setExecutionModes(llvm::Module &module,
                       const std::vector<EntryPoint> &entries);

/// The symbol in the source of a function or of its copy.
llvm::StringRef withoutMode(llvm::StringRef symbol);

} // namespace populus::frontend

#endif
