// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Maps programs to operators of the model. Debug contexts give each part of a
// program a path below that of its caller; a merged step has the paths of all
// its parts. An operator owns everything below its path. A program that was not
// made from a model has no operators; each path with parts then counts as one.

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

  /// Numbers of the operators of a path, each once; empty if none is known.
  std::vector<std::uint32_t> operatorsOf(std::string_view path);

private:
  report::Report &report;
  const bool isKnown; // from the compiler of the model
  std::map<std::string, std::uint32_t, std::less<>> byPath;
};

} // namespace populus::profile

#endif
