// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// "Did you mean ...?": the known name closest to one that is unknown.

#ifndef POPULUS_LIB_POPLAR_SUPPORT_NEARESTNAME_H
#define POPULUS_LIB_POPLAR_SUPPORT_NEARESTNAME_H

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace poplar::core {

inline std::size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j != row.size(); ++j)
    row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitute = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({substitute, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

/// "; did you mean 'x'?" for the closest of `names`, or "" if none is close.
/// Equally close names are decided by their order.
template <typename Names>
std::string didYouMean(std::string_view name, const Names &names) {
  std::string_view best;
  std::size_t bestDistance = std::max<std::size_t>(3, name.size() / 2);
  for (std::string_view candidate : names) {
    const std::size_t distance = editDistance(name, candidate);
    if (distance < bestDistance ||
        (distance == bestDistance && candidate < best)) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best.empty() ? "" : "; did you mean '" + std::string(best) + "'?";
}

} // namespace poplar::core

#endif
