// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The clock of one IPU, and the record of its steps. The clock is the sum of
// the cycles that the IPU has spent, waiting included. Steps are recorded for
// profiles: sums by step, and the first executions one by one.

#ifndef POPULUS_RUNTIME_SESSION_IPUACCOUNT_H
#define POPULUS_RUNTIME_SESSION_IPUACCOUNT_H

#include "runtime/Session/Cycles.h"
#include "runtime/Session/Session.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace populus::runtime {

/// Work of tiles, which is counted beside the clock.
struct TileWork {
  /// Cycles in which tiles worked, and in which they could have worked if all
  /// had been as slow as the slowest.
  std::uint64_t used = 0;
  std::uint64_t possible = 0;
  std::uint64_t bundles = 0;
  std::uint64_t translatedBundles = 0;

  TileWork &operator+=(const TileWork &other) {
    used += other.used;
    possible += other.possible;
    bundles += other.bundles;
    translatedBundles += other.translatedBundles;
    return *this;
  }
  TileWork &operator-=(const TileWork &other) {
    used -= other.used;
    possible -= other.possible;
    bundles -= other.bundles;
    translatedBundles -= other.translatedBundles;
    return *this;
  }
};

class IpuAccount {
public:
  /// Cycles that this IPU has run.
  std::uint64_t now() const { return sums.cycles.total; }

  /// The sum behind the clock, and a new one from the process that runs this
  /// IPU.
  const Cycles &spent() const { return sums.cycles; }
  void take(const Cycles &spent) { sums.cycles = spent; }

  /// Advances the clock without a record.
  void add(const Cycles &spent) { sums.cycles += spent; }

  /// Advances the clock by an execution of \p step, which is recorded if
  /// \p recording.
  void add(std::uint32_t step, const Cycles &spent, const TileWork &work,
           bool recording) {
    if (recording) [[unlikely]]
      record(step, spent, work);
    sums.cycles += spent;
    sums.work += work;
  }

  void addBlock(const BlockRecord &block) {
    if (profile.blocks.size() < MostStepRecords)
      profile.blocks.push_back(block);
  }

  /// Begins or ends recording; what runs in between does not count.
  void recordSteps(bool on);

  /// Cycles and work of what was recorded since the last reset, or of
  /// everything if steps were never recorded.
  Cycles cycles() const { return counted().cycles; }
  TileWork work() const { return counted().work; }
  const IpuProfile &recorded() const { return profile; }

  void reset();

private:
  struct Sums {
    Cycles cycles;
    TileWork work;

    Sums operator-(const Sums &other) const;
  };

  Sums counted() const { return (paused ? *paused : sums) - unrecorded; }
  void record(std::uint32_t step, const Cycles &spent, const TileWork &work);

  Sums sums;
  /// The sums when recording was switched off, if it is off.
  std::optional<Sums> paused;
  /// The sums of what ran in earlier times without recording.
  Sums unrecorded;
  IpuProfile profile;
};

} // namespace populus::runtime

#endif
