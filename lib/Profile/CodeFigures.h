// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Figures derived from the counts of a codelet's instructions: cycles per
// bundle, compared with the limit of the instruction set. A tile issues at most
// one bundle per cycle, with six workers active. A bundle gives work to at most
// two pipes.

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
  /// Issued bundles with work for one pipe, for both pipes, or for none.
  std::uint64_t main = 0, aux = 0, both = 0, idle = 0;

  bool isCounted() const { return issued != 0; }
  /// Least number of bundles for the same work, with both pipes filled whenever
  /// possible.
  std::uint64_t least() const { return main > aux ? main : aux; }
};

} // namespace populus::profile

#endif
