// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The attribute __attribute__((colossus_vertex)) of functions that supervisors
// start on workers by themselves: such a function sets up the worker's stack
// and ends with an exit instruction. Linking the implementation is what makes
// Clang accept it.

#ifndef POPULUS_LIB_FRONTEND_WORKERENTRY_H
#define POPULUS_LIB_FRONTEND_WORKERENTRY_H

#include <llvm/IR/Module.h>

#include <string>
#include <vector>

namespace populus::frontend {

/// Makes the functions with the attribute entry points of workers. Returns the
/// symbols of those that are also called, which is an error.
std::vector<std::string> setWorkerEntries(llvm::Module &module);

} // namespace populus::frontend

#endif
