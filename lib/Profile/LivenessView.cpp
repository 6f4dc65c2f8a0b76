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

bool isBefore(const LiveVariable &a, const LiveVariable &b, LiveOrder order) {
  switch (order) {
  case LiveOrder::Bytes:
    return a.bytes > b.bytes;
  case LiveOrder::Tiles:
    return a.tiles > b.tiles;
  case LiveOrder::MostOnTile:
    return a.mostOnTile > b.mostOnTile;
  case LiveOrder::Name:
    return a.name < b.name;
  }
  return false;
}

void printVariables(std::ostream &out, std::vector<LiveVariable> variables,
                    std::size_t most, LiveOrder order) {
  std::stable_sort(variables.begin(), variables.end(),
                   [&](const LiveVariable &a, const LiveVariable &b) {
                     return isBefore(a, b, order);
                   });
  out << fmt::format("{:>14} {:>7} {:>15}  variable\n", "bytes", "tiles",
                     "most on a tile");
  const std::size_t shown =
      most == 0 ? variables.size() : std::min(most, variables.size());
  for (std::size_t i = 0; i != shown; ++i)
    out << fmt::format("{:>14} {:>7} {:>15}  {}\n", bytes(variables[i].bytes),
                       grouped(variables[i].tiles),
                       bytes(variables[i].mostOnTile),
                       printable(variables[i].name));
  if (shown == variables.size())
    return;
  std::uint64_t rest = 0;
  for (std::size_t i = shown; i != variables.size(); ++i)
    rest += variables[i].bytes;
  out << fmt::format("{:>14} {:>7} {:>15}  {} more\n", bytes(rest), "", "",
                     grouped(variables.size() - shown));
}

void printSteps(std::ostream &out, const report::Report &report,
                const std::vector<std::uint64_t> &live, std::size_t most) {
  out << "steps with most\n";
  std::vector<std::uint32_t> moments(live.size());
  for (std::uint32_t i = 0; i != moments.size(); ++i)
    moments[i] = i;
  std::stable_sort(
      moments.begin(), moments.end(),
      [&](std::uint32_t a, std::uint32_t b) { return live[a] > live[b]; });
  if (most != 0 && moments.size() > most)
    moments.resize(most);
  for (std::uint32_t moment : moments)
    out << fmt::format("{:>14}  step {}: {}\n", bytes(live[moment]), moment,
                       describe(report, moment));
}

Json variablesJson(const std::vector<LiveVariable> &variables) {
  Json list = Json::array();
  for (const LiveVariable &variable : variables)
    list.push_back({{"name", printable(variable.name)},
                    {"bytes", variable.bytes},
                    {"tiles", variable.tiles},
                    {"most_on_tile", variable.mostOnTile}});
  return list;
}

std::vector<LiveVariable> alwaysLive(const report::Report &report) {
  return liveVariables(report.liveness(),
                       {.withPassing = false, .moment = {}, .tile = {}});
}

} // namespace

void printLiveness(std::ostream &out, const report::Report &report,
                   std::size_t most, const LivenessChoice &choice) {
  if (!report.has_liveness()) {
    out << "the executable has no record of when variables are live\n";
    return;
  }
  const Peak peak = Analysis(report).peak;
  if (choice.withAlways) {
    out << "always live  " << bytes(peak.alwaysLive) << '\n';
    printVariables(out, alwaysLive(report), most, choice.order);
  }
  if (!choice.withPassing)
    return;
  const std::vector<std::uint64_t> live = liveBytes(report.liveness());
  if (live.empty() || peak.most == 0) {
    out << "nothing else is live at any step\n";
    return;
  }
  out << fmt::format("most at step {} of {}: {} more ({})\n", peak.moment,
                     live.size(), bytes(peak.most),
                     describe(report, peak.moment));
  printVariables(out, peak.variables, most, choice.order);
  printSteps(out, report, live, most);
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
  json["peak_variables"] = variablesJson(peak.variables);
  json["always_live_variables"] = variablesJson(alwaysLive(report));
  return json;
}

} // namespace populus::profile
