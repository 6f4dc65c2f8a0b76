// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first screen.

#include "lib/Profile/Format.h"
#include "lib/Profile/Names.h"
#include "lib/Profile/Views.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

namespace populus::profile {

namespace {

constexpr std::size_t Top = 5;
constexpr const char *Devices[] = {"CPU", "IPU Model", "IPU (emulated)"};

std::string machineOf(const report::Report &report) {
  const report::Target &target = report.target();
  return fmt::format("{}, {} with {} x {} tiles", Devices[target.device()],
                     target.name(), target.ipus(),
                     grouped(target.tiles_per_ipu()));
}

/// Says whether cycles are counted or estimated.
const char *exactness(const report::Report &report) {
  return report.target().device() == 2 ? "counted, unperturbed" : "estimated";
}

double balanceOf(const StepSum &step, std::uint64_t tiles) {
  const double possible =
      static_cast<double>(step.ownCycles()) * static_cast<double>(tiles);
  return possible == 0 ? 0 : static_cast<double>(step.tileCycles) / possible;
}

void printFit(std::ostream &out, const report::Report &report,
              const Analysis &analysis) {
  if (analysis.bytesPerTile == 0) {
    out << fmt::format("memory   {}; the device has no limit\n",
                       bytes(analysis.memory));
    return;
  }
  out << fmt::format(
      "fits     {}: tile {} is the fullest with {} of {} ({}); all "
      "tiles use {} of {} ({})\n",
      analysis.fits ? "yes" : "NO", analysis.fullestTile,
      bytes(analysis.fullest), bytes(analysis.bytesPerTile),
      percent(analysis.fullest, analysis.bytesPerTile), bytes(analysis.memory),
      bytes(analysis.bytesPerTile * analysis.tiles),
      percent(analysis.memory, analysis.bytesPerTile * analysis.tiles));
  std::string line;
  for (std::size_t i = 0; i != std::min(Top, analysis.categories.size()); ++i)
    line +=
        fmt::format("{}{} {}", i == 0 ? "" : ", ", analysis.categories[i].first,
                    percent(analysis.categories[i].second, analysis.memory));
  out << "memory   " << line << '\n';
  const Peak &peak = analysis.peak;
  if (peak.alwaysLive + peak.most == 0)
    return;
  const report::Program &program =
      report.programs(static_cast<int>(peak.program));
  out << fmt::format("peak     {} always live and {} more at step {}",
                     bytes(peak.alwaysLive), bytes(peak.most), peak.moment);
  if (peak.most != 0)
    out << fmt::format(
        " ({} {})", programType(static_cast<runtime::StepKind>(program.kind())),
        printable(pathOf(report, program)));
  out << '\n';
}

/// "compute 40 %, exchange 30 %, ..."
std::string shares(const ByActivity &cycles, std::uint64_t total) {
  std::string line;
  for (std::size_t i = 0; i != cycles.size(); ++i)
    line += fmt::format("{}{} {}", i == 0 ? "" : ", ",
                        nameOf(static_cast<Activity>(i)),
                        percent(cycles[i], total));
  return line;
}

void printDomains(std::ostream &out, const Analysis &analysis) {
  if (analysis.domains.size() < 2)
    return;
  out << fmt::format("domains  {} with clocks of their own; the longest is "
                     "what a run takes\n",
                     analysis.domains.size());
  for (const DomainSum &domain : analysis.domains)
    out << fmt::format("         tiles {} to {}: {} cycles; {}\n",
                       domain.firstTile, domain.firstTile + domain.tiles - 1,
                       grouped(domain.cycles),
                       shares(domain.byActivity, domain.cycles));
}

void printTime(std::ostream &out, const report::Report &report,
               const Analysis &analysis) {
  if (!analysis.hasExecution) {
    out << "time     not known: the program was not run; ipu-run --report "
           "makes a report with cycles\n";
    return;
  }
  out << fmt::format("time     {} cycles ({}), {} at {:.2f} GHz, {}\n",
                     grouped(analysis.cycles), exactness(report),
                     time(analysis.seconds), report.target().clock_hz() / 1e9,
                     count(analysis.runs, "run"));
  out << "         " << shares(analysis.byActivity, analysis.cycles) << '\n';
  printDomains(out, analysis);
  const auto ideal =
      analysis.tileCycles / std::max<std::uint64_t>(analysis.tiles, 1);
  out << fmt::format(
      "balance  tiles {:.2f}, workers {:.2f}; with the work spread evenly "
      "over all tiles, compute would take {} of {} cycles\n",
      analysis.tileBalance, analysis.threadBalance, grouped(ideal),
      grouped(analysis.computeCycles));
}

void printTop(std::ostream &out, const Analysis &analysis) {
  out << "\n   cycles       share  layer\n";
  for (std::size_t i = 0; i != std::min(Top, analysis.layers.size()); ++i) {
    const Layer &layer = analysis.layers[i];
    if (layer.total == 0)
      break;
    out << fmt::format("{:>12} {:>8}  {}{}{}\n", grouped(layer.total),
                       percent(layer.total, analysis.cycles),
                       printable(layer.name), layer.kind.empty() ? "" : "  ",
                       printable(layer.kind));
  }
  out << "\n   cycles       share  balance  step\n";
  for (std::size_t i = 0; i != std::min(Top, analysis.steps.size()); ++i) {
    const StepSum &step = analysis.steps[i];
    const std::string balance =
        step.activity == Activity::Compute
            ? fmt::format("{:.2f}", balanceOf(step, analysis.tiles))
            : "";
    out << fmt::format("{:>12} {:>8} {:>8}  {} {}\n", grouped(step.cycles),
                       percent(step.cycles, analysis.cycles), balance,
                       nameOf(step.activity), printable(step.name));
  }
}

} // namespace

void printOverview(std::ostream &out, const report::Report &report) {
  const Analysis analysis(report);
  out << "program  "
      << (report.model().empty() ? "" : printable(report.model()) + ", ")
      << machineOf(report) << '\n';
  printFit(out, report, analysis);
  printTime(out, report, analysis);
  if (analysis.hasExecution)
    printTop(out, analysis);
  const std::vector<Advice> advice = adviceFor(report, analysis);
  out << (advice.empty() ? "\nno advice: nothing stands out\n" : "\nadvice\n");
  for (const Advice &entry : advice)
    out << "- " << entry.text << '\n';
}

Json overviewJson(const report::Report &report) {
  const Analysis analysis(report);
  Json json;
  json["model"] = printable(report.model());
  json["device"] = Devices[report.target().device()];
  json["target"] = report.target().name();
  json["ipus"] = report.target().ipus();
  json["tiles"] = analysis.tiles;
  json["fits"] = analysis.fits;
  Json &memory = json["memory"];
  memory = {{"bytes", analysis.memory},
            {"bytes_with_gaps", analysis.memoryWithGaps},
            {"bytes_per_tile", analysis.bytesPerTile},
            {"fullest_tile", analysis.fullestTile},
            {"fullest_bytes", analysis.fullest},
            {"full_tiles", analysis.fullTiles},
            {"always_live_bytes", analysis.peak.alwaysLive},
            {"peak_live_bytes", analysis.peak.alwaysLive + analysis.peak.most},
            {"peak_step", analysis.peak.moment}};
  memory["categories"] = Json::object();
  for (const auto &[name, size] : analysis.categories)
    memory["categories"][name] = size;
  if (analysis.hasExecution) {
    Json &cycles = json["cycles"];
    cycles["total"] = analysis.cycles;
    for (std::size_t i = 0; i != analysis.byActivity.size(); ++i)
      cycles[nameOf(static_cast<Activity>(i))] = analysis.byActivity[i];
    json["domains"] = Json::array();
    for (const DomainSum &domain : analysis.domains) {
      Json entry = {{"first_tile", domain.firstTile},
                    {"tiles", domain.tiles},
                    {"total", domain.cycles}};
      for (std::size_t i = 0; i != domain.byActivity.size(); ++i)
        entry[nameOf(static_cast<Activity>(i))] = domain.byActivity[i];
      json["domains"].push_back(std::move(entry));
    }
    json["runs"] = analysis.runs;
    json["seconds_at_clock"] = analysis.seconds;
    json["host_seconds"] = analysis.hostSeconds;
    json["tile_balance"] = analysis.tileBalance;
    json["thread_balance"] = analysis.threadBalance;
    json["steps"] = Json::array();
    for (const StepSum &step : analysis.steps) {
      Json entry = {{"activity", nameOf(step.activity)},
                    {"name", printable(step.name)},
                    {"cycles", step.cycles},
                    {"sync_cycles", step.syncCycles},
                    {"times", step.times},
                    {"tiles", step.tiles}};
      if (step.activity == Activity::Compute)
        entry["tile_balance"] = balanceOf(step, analysis.tiles);
      else
        entry["bytes"] = step.bytes;
      json["steps"].push_back(std::move(entry));
    }
  }
  json["advice"] = Json::array();
  for (const Advice &entry : adviceFor(report, analysis))
    json["advice"].push_back({{"rule", entry.rule},
                              {"cycles", entry.cycles},
                              {"text", entry.text},
                              {"view", entry.view},
                              {"name", entry.name}});
  return json;
}

} // namespace populus::profile
