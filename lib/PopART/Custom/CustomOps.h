// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler's interface to custom operators, which user programs define.

#ifndef POPULUS_LIB_POPART_CUSTOM_CUSTOMOPS_H
#define POPULUS_LIB_POPART_CUSTOM_CUSTOMOPS_H

#include <string>

namespace populus::popir {

/// True if a custom operator or pattern is registered.
bool hasCustomOps();

/// Throws an Error if a registration was invalid. Registration itself runs in
/// constructors of static objects, which must not throw.
void checkRegistrations();

/// Loads a shared library, whose static objects register operators. Throws an
/// Error if it cannot be loaded.
void loadCustomOps(const std::string &path);

} // namespace populus::popir

#endif
