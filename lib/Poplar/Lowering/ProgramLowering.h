// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The control program: nodes to steps.

#ifndef POPULUS_LIB_POPLAR_LOWERING_PROGRAMLOWERING_H
#define POPULUS_LIB_POPLAR_LOWERING_PROGRAMLOWERING_H

#include "lib/Poplar/Lowering/Draft.h"

#include <poplar/ArrayRef.hpp>
#include <poplar/Program.hpp>

namespace poplar::core {

/// Lowers the programs with everything that they use.
void lowerPrograms(Draft &draft, ArrayRef<program::Program> programs);

} // namespace poplar::core

#endif
