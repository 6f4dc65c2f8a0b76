// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checked assumptions of one part of lowering about another. The code that
// relies on an assumption checks it, because a violation would give a wrong
// program.

#ifndef POPULUS_LIB_POPLAR_LOWERING_REQUIRE_H
#define POPULUS_LIB_POPLAR_LOWERING_REQUIRE_H

#include <stdexcept>
#include <string>

namespace poplar::core {

/// Throws std::logic_error, an internal error, unless \p isSo.
inline void require(bool isSo, const char *what) {
  if (!isSo)
    throw std::logic_error(
        std::string("the graph compiler takes for granted that ") + what);
}

} // namespace poplar::core

#endif
