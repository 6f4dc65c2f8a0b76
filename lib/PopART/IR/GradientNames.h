// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How gradients are called.

#ifndef POPULUS_LIB_POPART_IR_GRADIENTNAMES_H
#define POPULUS_LIB_POPART_IR_GRADIENTNAMES_H

namespace populus::popir {

/// The gradient of the value `x` is the value `Gradient___x`, programs know it
/// by this name.
inline constexpr const char *GradientPrefix = "Gradient___";

/// The operators of a gradient are in this scope of the operator that it is of.
inline constexpr const char *GradientScope = "/grad";

} // namespace populus::popir

#endif
