// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An older name for the vector types of codelets.

#ifndef POPLAR_VECTORTYPES_HPP
#define POPLAR_VECTORTYPES_HPP

#include <ipudef.h>
#include <poplar/FieldTypes.hpp>

#endif
