// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which operators of the model a program is of. Debug contexts give each part
// of a program the path of those above it; what was joined has the paths of all
// its parts. An operator owns what lies below its path. Programs that come from
// no model have no operators: then each path that has parts stands for one.

#ifndef POPULUS_LIB_PROFILE_DEBUGTREE_H
#define POPULUS_LIB_PROFILE_DEBUGTREE_H

#include "lib/Profile/Report.pb.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace populus::profile {

class DebugTree {
public:
  /// Adds operators to the report where it has none.
  explicit DebugTree(report::Report &report);

  /// Their numbers, each once; none: nothing is known.
  std::vector<std::uint32_t> operatorsOf(std::string_view path);

private:
  report::Report &report;
  const bool isKnown; // from the compiler of the model
  std::map<std::string, std::uint32_t, std::less<>> byPath;
};

} // namespace populus::profile

#endif
