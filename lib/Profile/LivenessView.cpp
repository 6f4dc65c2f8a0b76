// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// View of the liveness of variables.

#include "lib/Profile/Format.h"
#include "lib/Profile/Names.h"
#include "lib/Profile/Views.h"
#include "runtime/Format/Executable.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

namespace populus::profile {

namespace {

std::string describe(const report::Report &report, std::uint32_t moment) {
  const report::Program &program = report.programs(
      static_cast<int>(report.liveness().program_at(static_cast<int>(moment))));
  return fmt::format(
      "{} {}", programType(static_cast<runtime::StepKind>(program.kind())),
      printable(pathOf(report, program)));
}

} // namespace

void printLiveness(std::ostream &out, const report::Report &report,
                   std::size_t most) {
  if (!report.has_liveness()) {
    out << "the executable has no record of when variables are live\n";
    return;
  }
  const Peak peak = Analysis(report).peak;
  const std::vector<std::uint64_t> live = liveBytes(report.liveness());
  out << "always live  " << bytes(peak.alwaysLive) << '\n';
  if (live.empty() || peak.most == 0) {
    out << "nothing else is live at any step\n";
    return;
  }
  out << fmt::format("most at step {} of {}: {} more ({})\n", peak.moment,
                     live.size(), bytes(peak.most),
                     describe(report, peak.moment));
  const auto shown = [&](std::size_t size) {
    return most == 0 ? size : std::min(most, size);
  };
  for (std::size_t i = 0; i != shown(peak.variables.size()); ++i)
    out << fmt::format("{:>14}  {}\n", bytes(peak.variables[i].second),
                       printable(peak.variables[i].first));
  out << "steps with most\n";
  std::vector<std::uint32_t> moments(live.size());
  for (std::uint32_t i = 0; i != moments.size(); ++i)
    moments[i] = i;
  std::stable_sort(
      moments.begin(), moments.end(),
      [&](std::uint32_t a, std::uint32_t b) { return live[a] > live[b]; });
  for (std::size_t i = 0; i != shown(moments.size()); ++i)
    out << fmt::format("{:>14}  step {}: {}\n", bytes(live[moments[i]]),
                       moments[i], describe(report, moments[i]));
}

Json livenessJson(const report::Report &report) {
  const Peak peak = Analysis(report).peak;
  Json json = {{"always_live_bytes", peak.alwaysLive},
               {"peak_bytes", peak.alwaysLive + peak.most},
               {"peak_step", peak.moment}};
  json["steps"] = Json::array();
  const std::vector<std::uint64_t> live = liveBytes(report.liveness());
  for (std::uint32_t moment = 0; moment != live.size(); ++moment)
    json["steps"].push_back(
        {{"program", describe(report, moment)}, {"bytes", live[moment]}});
  json["peak_variables"] = Json::array();
  for (const auto &[name, size] : peak.variables)
    json["peak_variables"].push_back(
        {{"name", printable(name)}, {"bytes", size}});
  return json;
}

} // namespace populus::profile
