// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Thinning out, and percentiles.

#include "Latency.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace populus::run {

void Latency::add(double seconds) {
  if (++sinceKept < stride)
    return;
  sinceKept = 0;
  if (kept.size() == MostSamples) {
    for (std::size_t i = 0; i != MostSamples / 2; ++i)
      kept[i] = kept[2 * i + 1];
    kept.resize(MostSamples / 2);
    stride *= 2;
  }
  kept.push_back(seconds);
}

Latency::Summary Latency::summary() const {
  std::vector<double> sorted = kept;
  std::ranges::sort(sorted);
  const auto percentile = [&](double percent) {
    const auto rank = static_cast<std::size_t>(
        std::ceil(percent / 100 * static_cast<double>(sorted.size())));
    return sorted[std::max<std::size_t>(rank, 1) - 1];
  };
  const double sum = std::accumulate(sorted.begin(), sorted.end(), 0.0);
  return {sorted.front(), sum / static_cast<double>(sorted.size()),
          percentile(50), percentile(90),
          percentile(99), sorted.back()};
}

} // namespace populus::run
