// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What one part of lowering takes for granted about another one: said where it
// is relied on, and checked there, for else a wrong program would come of it.

#ifndef POPULUS_LIB_POPLAR_LOWERING_REQUIRE_H
#define POPULUS_LIB_POPLAR_LOWERING_REQUIRE_H

#include <stdexcept>
#include <string>

namespace poplar::core {

/// Throws std::logic_error, an internal error, where something is not so.
inline void require(bool isSo, const char *what) {
  if (!isSo)
    throw std::logic_error(
        std::string("the graph compiler takes for granted that ") + what);
}

} // namespace poplar::core

#endif
