// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The clocks of a session's IPUs, and its limits. The host executes one list of
// steps, but each step advances only the clocks of the IPUs that it involves,
// so work on different IPUs overlaps in time:
//
//     step             IPU 0     IPU 1
//     execute on 0     0..100    .
//     execute on 1     .         0..40
//     exchange 0 -> 1  100..130  40..130   IPU 1 waits, which counts as sync
//
// The time of a run is the largest clock. With one IPU it is the plain sum of
// its steps.

#ifndef POPULUS_RUNTIME_SESSION_CYCLEACCOUNT_H
#define POPULUS_RUNTIME_SESSION_CYCLEACCOUNT_H

#include "runtime/Session/IpuAccount.h"
#include "runtime/Session/Session.h"
#include "runtime/Session/StepPart.h"

#include <algorithm>
#include <cstdint>
#include <span>
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
  CycleAccount(std::uint32_t numIpus, const SessionOptions &options)
      : maxCycles(options.maxCycles), recording(options.recordSteps),
        ipus(numIpus) {
    findStop();
  }

  /// The largest clock.
  std::uint64_t now() const { return latest; }
  std::uint64_t now(std::uint32_t ipu) const { return ipus[ipu].now(); }

  /// Cycles that an IPU may still run: 0 if a limit is reached.
  std::uint64_t remaining(std::uint32_t ipu) const {
    return stopAt - std::min(stopAt, now(ipu));
  }

  /// The cycles of an IPU since its clock was at 0, recorded or not, and new
  /// ones of an IPU that another process runs.
  const Cycles &spent(std::uint32_t ipu) const { return ipus[ipu].spent(); }
  void take(std::uint32_t ipu, const Cycles &spent) {
    ipus[ipu].take(spent);
    latest = std::max(latest, now(ipu));
  }

  /// All IPUs wait for the last one, as they do between two runs.
  void meet();

  /// The program contacted the host, so the host timeout begins anew.
  void contactHost() {
    hostContact = now();
    findStop();
  }

  /// Sets the timeout of Session::setHostTimeout.
  void setHostTimeout(std::uint64_t cycles) {
    hostTimeoutCycles = cycles;
    findStop();
  }

  /// Adds a decision of the control program. Throws RunError at a limit.
  void addDecision(std::span<const StepPart> parts);

  /// Adds an execution of \p step. Its i-th part does not begin before the
  /// cycle \p earliest[i], if there are such numbers. Throws RunError at a
  /// limit.
  void addStep(std::uint32_t step, std::span<const StepPart> parts,
               std::span<const std::uint64_t> earliest = {});

  /// Advances the clocks by \p times rounds of a loop, of which each takes an
  /// IPU \p round. They are not recorded.
  void skip(std::span<const Cycles> round, std::uint64_t times);

  /// Sums over all IPUs, and the cycles of the IPU that took longest, of what
  /// was recorded since the last reset, or of everything if steps were never
  /// recorded.
  RunStats stats() const;
  Cycles cycles(std::uint32_t ipu) const { return ipus[ipu].cycles(); }
  /// The same of all IPUs.
  std::vector<Cycles> cycles() const;
  const IpuProfile &recorded(std::uint32_t ipu) const {
    return ipus[ipu].recorded();
  }

  void reset();

  /// Begins or ends recording; what runs in between does not count.
  void recordSteps(bool on);
  bool recordsSteps() const { return recording; }

  /// An execution of the block \p step ends, which began when the clocks stood
  /// at \p begins.
  void addBlock(std::uint32_t step, std::span<const std::uint64_t> begins);
  std::vector<std::uint64_t> clocks() const;

private:
  std::uint64_t beginOf(const StepPart &part, std::uint64_t earliest) const;
  /// \p spent by an IPU that waits until \p begin first.
  Cycles withWait(std::uint32_t ipu, std::uint64_t begin,
                  const Cycles &spent) const {
    Cycles cycles = spent;
    cycles.sync += begin - now(ipu);
    return cycles.addUp();
  }
  void findStop();
  void checkLimits() const {
    if (now() > stopAt) [[unlikely]]
      throwAtLimit();
  }
  [[noreturn]] void throwAtLimit() const;

  std::uint64_t maxCycles;
  std::uint64_t hostTimeoutCycles = 0;
  bool recording;
  std::vector<IpuAccount> ipus;
  std::uint64_t latest = 0; // of the clocks
  /// The largest clock at the last contact with the host.
  std::uint64_t hostContact = 0;
  /// The cycle of the limit that comes first.
  std::uint64_t stopAt = 0;
};

} // namespace populus::runtime

#endif
