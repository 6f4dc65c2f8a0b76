// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The account of a session's cycles: what all steps add up to, which of it was
// recorded for a profile, and how much is left of the limits. It knows nothing
// of programs or devices; the session tells it what each step took.

#ifndef POPULUS_RUNTIME_SESSION_CYCLEACCOUNT_H
#define POPULUS_RUNTIME_SESSION_CYCLEACCOUNT_H

#include "runtime/Session/Session.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace populus::runtime {

/// The limit of cycles was reached between two steps; reached inside of a
/// vertex, it is a fault.
class CycleLimitError : public RunError {
public:
  using RunError::RunError;
};

class CycleAccount {
public:
  /// Takes the limits, and whether steps are recorded, from \p options.
  explicit CycleAccount(const SessionOptions &options)
      : maxCycles(options.maxCycles), recording(options.recordSteps) {
    findStop();
  }

  /// Cycles that the device has run.
  std::uint64_t now() const { return sums.cycles.total; }

  /// Cycles that may still run: 0 if a limit is reached.
  std::uint64_t remaining() const { return stopAt - std::min(stopAt, now()); }

  /// The host was heard of, so that its timeout begins anew.
  void contactHost() {
    hostContact = now();
    findStop();
  }

  /// What Session::setHostTimeout says.
  void setHostTimeout(std::uint64_t cycles) {
    hostTimeoutCycles = cycles;
    findStop();
  }

  /// Adds a decision of the control program. Throws RunError at a limit.
  void addDecision(const Cycles &cycles) {
    sums.cycles += cycles;
    checkLimits();
  }

  /// Adds what \p step took, whose tiles ran \p tileCycles together and issued
  /// \p bundles. Throws RunError at a limit.
  void addStep(std::uint32_t step, const Cycles &spent,
               std::uint64_t tileCycles = 0, std::uint64_t bundles = 0) {
    if (recording) [[unlikely]]
      record(step, spent, tileCycles, bundles);
    sums.cycles += spent;
    if (spent.host != 0)
      contactHost();
    checkLimits();
  }

  /// Adds the work of a compute set: bundles, those of them that were
  /// translated, the cycles that its tiles used, and those that they would have
  /// used if all had been as slow as the slowest.
  void addCompute(std::uint64_t bundles, std::uint64_t translated,
                  std::uint64_t used, std::uint64_t possible);

  /// Cycles, bundles and tile balance of what was recorded since the last
  /// reset, or of everything if steps were never recorded.
  RunStats stats() const;

  void reset();

  /// Begins or ends recording; what runs in between does not count.
  void recordSteps(bool on);
  bool recordsSteps() const { return recording; }
  const std::vector<StepRecord> &records() const { return steps; }
  /// An execution of a block has ended.
  void addBlock(const BlockRecord &block) {
    if (blockRecords.size() < MostStepRecords)
      blockRecords.push_back(block);
  }
  const std::vector<BlockRecord> &blocks() const { return blockRecords; }
  const std::vector<StepTotal> &totals() const { return stepTotals; }

private:
  struct Sums {
    Cycles cycles;
    std::uint64_t bundles = 0;
    std::uint64_t translatedBundles = 0;
    std::uint64_t usedTileCycles = 0;
    std::uint64_t possibleTileCycles = 0;

    Sums operator-(const Sums &other) const;
  };

  void record(std::uint32_t step, const Cycles &spent, std::uint64_t tileCycles,
              std::uint64_t bundles);
  void findStop();
  void checkLimits() const {
    if (now() > stopAt) [[unlikely]]
      throwAtLimit();
  }
  [[noreturn]] void throwAtLimit() const;

  const std::uint64_t maxCycles;
  std::uint64_t hostTimeoutCycles = 0;
  bool recording;
  Sums sums;
  /// Cycles at the last contact with the host.
  std::uint64_t hostContact = 0;
  /// The cycle of the limit that comes first.
  std::uint64_t stopAt = 0;
  /// While steps are not recorded: the sums when that began. And what was added
  /// in earlier times of that kind.
  std::optional<Sums> paused;
  Sums unrecorded;
  std::vector<StepRecord> steps;
  std::vector<BlockRecord> blockRecords;
  std::vector<StepTotal> stepTotals; // by step
};

} // namespace populus::runtime

#endif
