// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The naming scheme of gradient values and operators.

#ifndef POPULUS_LIB_POPART_IR_GRADIENTNAMES_H
#define POPULUS_LIB_POPART_IR_GRADIENTNAMES_H

namespace populus::popir {

/// The gradient of value `x` is value `Gradient___x`. User programs rely on
/// this name.
inline constexpr const char *GradientPrefix = "Gradient___";

/// Names of gradient operators of `conv1` begin with `conv1/grad`.
inline constexpr const char *GradientScope = "/grad";

/// Names of operators that change variable `w` begin with `Update_w`.
inline constexpr const char *UpdatePrefix = "Update_";

} // namespace populus::popir

#endif
