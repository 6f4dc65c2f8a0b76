// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What follows from the counts of a codelet's instructions: how many cycles of
// its tiles a bundle took, and what the instruction set allows. A tile issues a
// bundle in each cycle at best, when six workers are at work; and a bundle
// gives both pipes work at best.

#ifndef POPULUS_LIB_PROFILE_CODEFIGURES_H
#define POPULUS_LIB_PROFILE_CODEFIGURES_H

#include "lib/Profile/Report.pb.h"

#include <cstdint>

namespace populus::profile {

struct CodeFigures {
  explicit CodeFigures(const report::VertexType &type);

  /// Bundles and lone instructions that were issued; 0: nothing was counted.
  std::uint64_t issued = 0;
  std::uint64_t cycles = 0; // of contexts
  /// Of these, those that gave a pipe work, both of them, or none.
  std::uint64_t main = 0, aux = 0, both = 0, idle = 0;

  bool isCounted() const { return issued != 0; }
  /// Bundles that the same work needs if both pipes are given work as often as
  /// can be.
  std::uint64_t least() const { return main > aux ? main : aux; }
};

} // namespace populus::profile

#endif
