// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Advice on a report. Each item names the numbers behind it and the possible
// gain. A rule looks for one pattern and reports it if it matters.

#ifndef POPULUS_LIB_PROFILE_ADVICE_H
#define POPULUS_LIB_PROFILE_ADVICE_H

#include "lib/Profile/Analysis.h"

#include <string>
#include <vector>

namespace populus::profile {

struct Advice {
  /// For scripts: "few-tiles".
  std::string rule;
  std::string text;
  /// Upper bound of the cycles that could be saved; 0 for advice on memory.
  std::uint64_t cycles = 0;
  /// The view of the page that shows what it speaks of ("layers"), and the name
  /// of that there.
  std::string view = {}, name = {};
};

/// Sorted: advice on memory first, then by cycles.
std::vector<Advice> adviceFor(const report::Report &report,
                              const Analysis &analysis);

} // namespace populus::profile

#endif
