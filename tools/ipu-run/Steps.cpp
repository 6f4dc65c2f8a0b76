// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The two ways to look at steps; Steps.h says which.

#include "Steps.h"

#include "runtime/Format/StepKinds.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <iomanip>
#include <map>
#include <ostream>

namespace populus::run {

using namespace runtime;

namespace {

/// All steps of one kind and name.
struct StepSum {
  std::string kind, name;
  std::uint64_t cycles = 0;
  std::uint64_t times = 0;
  /// For compute sets: busy tile cycles, and tile cycles available.
  std::uint64_t usedTileCycles = 0;
  std::uint64_t possibleTileCycles = 0;

  bool hasBalance() const { return possibleTileCycles != 0; }
  double balance() const {
    return static_cast<double>(usedTileCycles) /
           static_cast<double>(possibleTileCycles);
  }
};

void add(StepSum &sum, const StepTotal &total, bool isCompute,
         std::uint64_t numTiles) {
  sum.cycles += total.cycles.total;
  sum.times += total.times;
  if (!isCompute)
    return;
  sum.usedTileCycles += total.tileCycles;
  sum.possibleTileCycles += total.cycles.compute * numTiles;
}

using SumsByName = std::map<std::pair<std::string, std::string>, StepSum>;

/// Adds the steps of one IPU. Returns the cycles that its control program took
/// beside them.
std::uint64_t addIpu(SumsByName &byName, const Session &session,
                     std::uint32_t ipu) {
  const Executable &executable = session.executable();
  std::uint64_t rest = session.cycles(ipu).total;
  const std::vector<StepTotal> &totals = session.recorded(ipu).totals;
  for (std::size_t i = 0; i != totals.size(); ++i) {
    if (totals[i].times == 0)
      continue;
    const Step &step = executable.steps[i];
    add(byName[{shortName(step.kind), targetOf(executable, step)}], totals[i],
        step.kind == StepKind::Execute, executable.tilesPerIpu);
    rest -= totals[i].cycles.total;
  }
  return rest;
}

/// The longest first, added up over all IPUs. The control program itself is one
/// of them, so that the sum is that of the IPUs' clocks.
std::vector<StepSum> sumsOf(const Session &session) {
  SumsByName byName;
  std::uint64_t rest = 0;
  for (std::uint32_t ipu = 0; ipu != session.executable().numIpus; ++ipu)
    rest += addIpu(byName, session, ipu);
  std::vector<StepSum> sums;
  for (auto &[names, sum] : byName) {
    std::tie(sum.kind, sum.name) = names;
    sums.push_back(sum);
  }
  if (rest != 0) {
    StepSum control;
    control.kind = "control";
    control.cycles = rest;
    sums.push_back(control);
  }
  std::stable_sort(
      sums.begin(), sums.end(),
      [](const StepSum &a, const StepSum &b) { return a.cycles > b.cycles; });
  return sums;
}

void printTrace(std::ostream &out, const Executable &executable,
                const IpuProfile &recorded) {
  out << "cycles      step\n";
  for (const StepRecord &record : recorded.steps) {
    const Step &step = executable.steps[record.step];
    out << std::left << std::setw(12) << record.cycles.total
        << shortName(step.kind) << " " << targetOf(executable, step) << '\n';
  }
  if (recorded.executed != recorded.steps.size())
    out << "and " << recorded.executed - recorded.steps.size()
        << " more, which are counted in sums only\n";
}

/// The clocks of all IPUs together.
std::uint64_t clocksOf(const Session &session) {
  std::uint64_t cycles = 0;
  for (std::uint32_t ipu = 0; ipu != session.executable().numIpus; ++ipu)
    cycles += session.cycles(ipu).total;
  return cycles;
}

} // namespace

void printTrace(std::ostream &out, const Session &session) {
  const Executable &executable = session.executable();
  for (std::uint32_t ipu = 0; ipu != executable.numIpus; ++ipu) {
    if (executable.numIpus != 1)
      out << "IPU " << ipu << '\n';
    printTrace(out, executable, session.recorded(ipu));
  }
}

void printProfile(std::ostream &out, const Session &session, unsigned runs) {
  const std::uint64_t total = clocksOf(session);
  if (total == 0) {
    out << "no profile: this device knows no time\n";
    return;
  }
  const std::ios::fmtflags flags = out.flags();
  out << std::right << std::fixed
      << "      cycles    share     times  balance  step";
  if (runs != 1)
    out << " (sums of " << runs << " runs)";
  if (session.executable().numIpus != 1)
    out << " (sums of " << session.executable().numIpus << " IPUs)";
  out << '\n';
  for (const StepSum &sum : sumsOf(session)) {
    out << std::setw(12) << sum.cycles << std::setw(7) << std::setprecision(1)
        << 100.0 * static_cast<double>(sum.cycles) / static_cast<double>(total)
        << " %" << std::setw(10) << sum.times << std::setw(9)
        << std::setprecision(3);
    if (sum.hasBalance())
      out << sum.balance();
    else
      out << "";
    out << "  " << sum.kind << (sum.name.empty() ? "" : " ") << sum.name
        << '\n';
  }
  out.flags(flags);
}

void printProfileJson(std::ostream &out, const Session &session,
                      unsigned runs) {
  nlohmann::ordered_json json;
  json["cycles"] = session.stats().cycles.total;
  json["runs"] = runs;
  json["steps"] = nlohmann::ordered_json::array();
  for (const StepSum &sum : sumsOf(session)) {
    nlohmann::ordered_json step = {{"kind", sum.kind},
                                   {"name", sum.name},
                                   {"cycles", sum.cycles},
                                   {"times", sum.times}};
    if (sum.hasBalance())
      step["tile_balance"] = sum.balance();
    json["steps"].push_back(std::move(step));
  }
  out << json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace)
      << '\n';
}

} // namespace populus::run
