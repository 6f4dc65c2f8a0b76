// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Executables that were compiled before, in a folder. An entry is found by a
// hash of everything that the result depends on: the model, the options, and
// the compiler itself.

#ifndef POPULUS_LIB_POPART_SUPPORT_CACHE_H
#define POPULUS_LIB_POPART_SUPPORT_CACHE_H

#include <string>

namespace popart {

/// What the compiler is made of: changes with every build of the libraries.
std::string compilerIdentity();

} // namespace popart

#endif
