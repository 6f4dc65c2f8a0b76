// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts optimizers of the interface to optimizers of the compiler.

#ifndef POPULUS_LIB_POPART_INTERFACE_OPTIMIZERS_H
#define POPULUS_LIB_POPART_INTERFACE_OPTIMIZERS_H

#include "lib/PopART/Training/Optimizer.h"

#include <popart/optimizer.hpp>

namespace popart {

populus::popir::Optimizer toCompiler(const Optimizer &optimizer);

} // namespace popart

#endif
