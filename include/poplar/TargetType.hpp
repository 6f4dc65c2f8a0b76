// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kinds of target that a graph can be compiled for.

#ifndef POPULUS_INCLUDE_POPLAR_TARGETTYPE_HPP
#define POPULUS_INCLUDE_POPLAR_TARGETTYPE_HPP

#include <string>

namespace poplar {

enum class TargetType { IPU = 0, IPU_MODEL = 1, CPU = 2 };

std::string toString(TargetType type);

} // namespace poplar

#endif
