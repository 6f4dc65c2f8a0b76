// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// View of codelets' sources: each line with the cycles and stalls of what was
// made of it.

#include "lib/Profile/Format.h"
#include "lib/Profile/SourceLines.h"
#include "lib/Profile/SourceText.h"
#include "lib/Profile/Views.h"

#include <fmt/format.h>

#include <ostream>

namespace populus::profile {

namespace {

/// Lines without code that are shown around lines with code.
constexpr std::uint32_t Around = 2;

using Lines = std::map<std::uint32_t, LineFigures>;

std::uint64_t cyclesOf(const Lines &lines) {
  std::uint64_t cycles = 0;
  for (const auto &[line, figures] : lines)
    cycles += figures.cycles;
  return cycles;
}

bool isNear(const Lines &lines, std::uint32_t line) {
  const auto next = lines.lower_bound(line < Around ? 0 : line - Around);
  return next != lines.end() && next->first <= line + Around;
}

void printLine(std::ostream &out, std::uint32_t number, const std::string &text,
               const LineFigures *figures, std::uint64_t whole) {
  if (figures)
    out << fmt::format("{:>13} {:>6} {:>13} {:>13}", grouped(figures->cycles),
                       percent(figures->cycles, whole),
                       grouped(figures->stalls), grouped(figures->times));
  else
    out << fmt::format("{:>48}", "");
  out << fmt::format(" {:>5} : {}\n", number, printable(text));
}

void printFile(std::ostream &out, const std::string &file, const Lines &lines,
               std::uint64_t whole) {
  out << fmt::format("source   {}: {} of {} cycles of contexts\n",
                     printable(file), grouped(cyclesOf(lines)), grouped(whole));
  out << "       cycles  share        stalls         times  line\n";
  const std::vector<std::string> text = sourceOf(file);
  const std::uint32_t last = lines.rbegin()->first;
  bool isGap = false, isFirst = true;
  for (std::uint32_t number = 1; number <= last + Around; ++number) {
    const auto figures = lines.find(number);
    const bool hasText = number <= text.size();
    if (figures == lines.end() && (!hasText || !isNear(lines, number))) {
      isGap = true;
      continue;
    }
    if (isGap && !isFirst)
      out << fmt::format("{:>55}\n", "...");
    isGap = isFirst = false;
    printLine(out, number, hasText ? text[number - 1] : "",
              figures == lines.end() ? nullptr : &figures->second, whole);
  }
}

} // namespace

void printSource(std::ostream &out, const report::Report &report,
                 const std::string &name) {
  const std::vector<SourceLine> lines = sourceLines(report, name);
  std::uint64_t whole = 0, elsewhere = 0;
  for (const SourceLine &line : lines) {
    whole += line.figures.cycles;
    elsewhere += line.line == 0 ? line.figures.cycles : 0;
  }
  for (const auto &[file, figures] : byFile(lines))
    printFile(out, file, figures, whole);
  if (elsewhere != 0)
    out << fmt::format("without  lines (other files, code without -g): {} "
                       "cycles of contexts\n",
                       grouped(elsewhere));
}

Json sourceJson(const report::Report &report, const std::string &name) {
  Json list = Json::array();
  for (const SourceLine &line : sourceLines(report, name))
    list.push_back({{"vertex", line.vertex},
                    {"function", line.function},
                    {"file", printable(line.file)},
                    {"line", line.line},
                    {"times", line.figures.times},
                    {"bundles", line.figures.bundles},
                    {"cycles", line.figures.cycles},
                    {"stalls", line.figures.stalls}});
  return {{"lines", std::move(list)}};
}

} // namespace populus::profile
