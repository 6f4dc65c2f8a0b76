// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the longest known path that is a prefix of another one.

#include "lib/Profile/DebugTree.h"

#include <algorithm>

namespace populus::profile {

DebugTree::DebugTree(report::Report &report)
    : report(report), isKnown(report.operators_size() != 0) {
  for (int i = 0; i != report.operators_size(); ++i)
    byPath.emplace(report.operators(i).name(), static_cast<std::uint32_t>(i));
}

namespace {

/// Calls function(path) for each of the paths that were joined.
template <typename Function>
void forEachPath(std::string_view paths, Function function) {
  for (std::size_t begin = 0; begin < paths.size();) {
    const std::size_t end = std::min(paths.find('+', begin), paths.size());
    function(paths.substr(begin, end - begin));
    begin = end + 1;
  }
}

std::string_view above(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view()
                                         : path.substr(0, slash);
}

} // namespace

std::vector<std::uint32_t> DebugTree::operatorsOf(std::string_view paths) {
  std::vector<std::uint32_t> found;
  const auto add = [&](std::uint32_t op) {
    if (std::find(found.begin(), found.end(), op) == found.end())
      found.push_back(op);
  };
  forEachPath(paths, [&](std::string_view path) {
    if (isKnown) {
      for (; !path.empty(); path = above(path))
        if (const auto known = byPath.find(path); known != byPath.end())
          return add(known->second);
      return;
    }
    const std::string_view parent = above(path).empty() ? path : above(path);
    const auto next = static_cast<std::uint32_t>(report.operators_size());
    const auto [known, isNew] = byPath.emplace(parent, next);
    if (isNew)
      report.add_operators()->set_name(std::string(parent));
    add(known->second);
  });
  return found;
}

} // namespace populus::profile
