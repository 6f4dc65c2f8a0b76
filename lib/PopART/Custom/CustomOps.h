// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the rest of the compiler has to know of operators that programs define.

#ifndef POPULUS_LIB_POPART_CUSTOM_CUSTOMOPS_H
#define POPULUS_LIB_POPART_CUSTOM_CUSTOMOPS_H

#include <string>

namespace populus::popir {

/// Whether any is registered, or a pattern of a program.
bool hasCustomOps();

/// An Error where something was registered that cannot be: exceptions may not
/// leave the constructors of static objects.
void checkRegistrations();

/// Loads a shared library, whose static objects register operators. An Error
/// where it cannot be loaded.
void loadCustomOps(const std::string &path);

} // namespace populus::popir

#endif
