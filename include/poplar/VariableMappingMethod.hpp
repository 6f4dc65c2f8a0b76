// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ways in which Graph::addVariable maps a new variable to tiles.

#ifndef POPULUS_INCLUDE_POPLAR_VARIABLEMAPPINGMETHOD_HPP
#define POPULUS_INCLUDE_POPLAR_VARIABLEMAPPINGMETHOD_HPP

namespace poplar {

enum class VariableMappingMethod {
  NONE,   // the caller will map it
  LINEAR, // equal shares of its elements to tiles in order
};

} // namespace poplar

#endif
