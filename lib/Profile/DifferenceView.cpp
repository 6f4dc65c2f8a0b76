// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Comparison of two reports: totals, layers and steps by name. Cycles are per
// run, so that reports with different numbers of runs can be compared.

#include "lib/Profile/Format.h"
#include "lib/Profile/Views.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <ostream>

namespace populus::profile {

namespace {

class Pairs {
public:
  void add(const std::string &name, double value, bool isAfter) {
    Difference::Line &line = lines[name];
    line.name = name;
    (isAfter ? line.after : line.before) += value;
  }

  /// Changed lines, the largest change first.
  std::vector<Difference::Line> changed() const {
    std::vector<Difference::Line> list;
    for (const auto &[name, line] : lines)
      if (line.change() != 0)
        list.push_back(line);
    std::stable_sort(list.begin(), list.end(),
                     [](const auto &a, const auto &b) {
                       return std::abs(a.change()) > std::abs(b.change());
                     });
    return list;
  }

private:
  std::map<std::string, Difference::Line> lines;
};

} // namespace

double Difference::Line::growth() const {
  if (before == 0)
    return after == 0 ? 0 : 1;
  return change() / before;
}

Difference::Difference(const report::Report &a, const report::Report &b) {
  const Analysis before(a), after(b);
  const auto total = [&](const char *name, auto value) {
    totals.push_back({name, value(before), value(after)});
  };
  const auto perRun = [](std::uint64_t number, const Analysis &analysis) {
    return static_cast<double>(number) / static_cast<double>(analysis.runs);
  };
  if (before.hasExecution && after.hasExecution) {
    total("cycles", [&](const Analysis &x) { return perRun(x.cycles, x); });
    for (std::size_t i = 0; i != before.byActivity.size(); ++i)
      totals.push_back(
          {std::string("cycles, ") + nameOf(static_cast<Activity>(i)),
           perRun(before.byActivity[i], before),
           perRun(after.byActivity[i], after)});
  }
  total("memory", [](const Analysis &x) { return double(x.memory); });
  total("memory with gaps",
        [](const Analysis &x) { return double(x.memoryWithGaps); });
  total("fullest tile", [](const Analysis &x) { return double(x.fullest); });
  Pairs ofLayers, ofSteps;
  for (const Analysis *analysis : {&before, &after}) {
    const bool isAfter = analysis == &after;
    for (const Layer &layer : analysis->layers)
      ofLayers.add(layer.name, perRun(layer.total, *analysis), isAfter);
    for (const StepSum &step : analysis->steps)
      ofSteps.add(std::string(nameOf(step.activity)) + " " + step.name,
                  perRun(step.cycles, *analysis), isAfter);
  }
  layers = ofLayers.changed();
  steps = ofSteps.changed();
}

double Difference::growth() const {
  double most = 0;
  // Only totals count: one activity may grow while another one shrinks.
  for (const Line &line : totals)
    if (line.name.find(',') == std::string::npos)
      most = std::max(most, line.growth());
  return most;
}

namespace {

void printLines(std::ostream &out, const std::vector<Difference::Line> &lines,
                std::size_t most) {
  const auto number = [](double value) {
    return grouped(static_cast<std::uint64_t>(std::llround(value)));
  };
  for (std::size_t i = 0; i != lines.size(); ++i) {
    if (most != 0 && i == most) {
      out << fmt::format("  and {} more\n", lines.size() - most);
      return;
    }
    const Difference::Line &line = lines[i];
    out << fmt::format("{:>14} {:>14} {:>9}  {}\n", number(line.before),
                       number(line.after),
                       line.before == 0 && line.after != 0
                           ? "new"
                           : fmt::format("{:+.1f} %", 100 * line.growth()),
                       printable(line.name));
  }
}

Json linesJson(const std::vector<Difference::Line> &lines) {
  Json list = Json::array();
  for (const Difference::Line &line : lines)
    list.push_back({{"name", printable(line.name)},
                    {"before", line.before},
                    {"after", line.after},
                    {"growth", line.growth()}});
  return list;
}

} // namespace

void printDifference(std::ostream &out, const Difference &difference,
                     std::size_t most) {
  out << fmt::format("{:>14} {:>14} {:>9}\n", "before", "after", "change");
  printLines(out, difference.totals, 0);
  if (!difference.layers.empty()) {
    out << "layers that changed\n";
    printLines(out, difference.layers, most);
  }
  if (!difference.steps.empty()) {
    out << "steps that changed\n";
    printLines(out, difference.steps, most);
  }
}

Json differenceJson(const Difference &difference) {
  return {{"totals", linesJson(difference.totals)},
          {"layers", linesJson(difference.layers)},
          {"steps", linesJson(difference.steps)},
          {"growth", difference.growth()}};
}

} // namespace populus::profile
