// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host times of single runs, for --stats: mean, extremes and percentiles.

#ifndef POPULUS_TOOLS_IPU_RUN_LATENCY_H
#define POPULUS_TOOLS_IPU_RUN_LATENCY_H

#include <cstddef>
#include <vector>

namespace populus::run {

/// Keeps at most MostSamples times. When they are full, every second one is
/// dropped, and from then on only every second (then fourth, ...) run is kept,
/// so that memory does not grow with the runs.
class Latency {
public:
  static constexpr std::size_t MostSamples = 1 << 16;

  void add(double seconds);

  bool empty() const { return kept.empty(); }
  /// In the order of the runs.
  const std::vector<double> &samples() const { return kept; }

  struct Summary {
    double least, mean, median, p90, p99, most; // seconds
  };
  /// Figures of the samples, of which there has to be one. A percentile is the
  /// smallest sample that so many of them do not exceed (nearest rank).
  Summary summary() const;

private:
  std::vector<double> kept;
  std::size_t stride = 1, sinceKept = 0;
};

} // namespace populus::run

#endif
