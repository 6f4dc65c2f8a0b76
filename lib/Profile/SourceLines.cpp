// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Profile/SourceLines.h"
#include "lib/Profile/Format.h"
#include "lib/Profile/Views.h"

#include <algorithm>
#include <set>
#include <stdexcept>

namespace populus::profile {

namespace {

/// Cycles of a context for a bundle that waits for nothing.
constexpr std::uint64_t TurnCycles = 6;

using LineKey = std::tuple<std::string, std::uint32_t>; // function, line

/// Adds the lines of a type, without functions that were seen before.
void addLines(const report::VertexType &type,
              std::set<std::pair<std::string, std::uint32_t>> &seen,
              std::vector<SourceLine> &lines) {
  std::map<LineKey, std::size_t> places;
  std::string function(type.name());
  bool isKnown = false;
  for (const report::CodeLine &code : type.code()) {
    if (!code.function().empty()) {
      function = code.function();
      isKnown = !seen.emplace(function, code.address()).second;
    }
    if (isKnown)
      continue;
    const auto [place, isNew] =
        places.emplace(LineKey{function, code.line()}, lines.size());
    if (isNew)
      lines.push_back({printable(type.name()),
                       printable(function),
                       code.line() == 0 ? "" : type.source_file(),
                       code.line(),
                       {}});
    const std::uint64_t turns = TurnCycles * code.times();
    lines[place->second].figures.add(
        {code.times(), code.times(), code.cycles(),
         code.cycles() > turns ? code.cycles() - turns : 0});
  }
}

} // namespace

void LineFigures::add(const LineFigures &other) {
  times = std::max(times, other.times);
  bundles += other.bundles;
  cycles += other.cycles;
  stalls += other.stalls;
}

std::vector<SourceLine> sourceLines(const report::Report &report,
                                    const std::string &name) {
  std::set<std::pair<std::string, std::uint32_t>> seen;
  std::vector<SourceLine> lines;
  for (int type : findVertexTypes(report, name))
    addLines(report.vertex_types(type), seen, lines);
  if (std::none_of(lines.begin(), lines.end(), [](const SourceLine &line) {
        return line.figures.bundles != 0;
      }))
    throw std::runtime_error(
        "the report has no counts of instructions" +
        (name.empty() ? "" : " of a vertex type '" + name + "'") +
        "; ipu-run --report-instructions and the engine option "
        "autoReport.outputInstructionCounts make them");
  return lines;
}

LinesByFile byFile(const std::vector<SourceLine> &lines) {
  LinesByFile files;
  for (const SourceLine &line : lines)
    if (line.line != 0)
      files[line.file][line.line].add(line.figures);
  return files;
}

} // namespace populus::profile
