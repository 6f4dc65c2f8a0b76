// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// View of a codelet: its executions, its time, and its code with loops. Counted
// instructions have their share of the time.

#include "lib/Profile/CodeFigures.h"
#include "lib/Profile/Format.h"
#include "lib/Profile/RunFigures.h"
#include "lib/Profile/SourceText.h"
#include "lib/Profile/Views.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <ostream>

namespace populus::profile {

namespace {

constexpr const char *Kinds[] = {"worker", "supervisor", "multi"};

struct Figures {
  Figures(const report::Report &report, int type) {
    for (const TypeCycles &entry : cyclesByType(report))
      for (std::uint32_t of : entry.types)
        if (static_cast<int>(of) == type)
          (entry.types.size() == 1 ? alone : withOthers) += entry.cycles;
    for (const report::Domain &domain : report.execution().domains())
      for (const report::SetCycles &set : domain.sets())
        for (const report::VertexCount &count :
             report.compute_sets(static_cast<int>(set.compute_set())).types())
          if (static_cast<int>(count.type()) == type) {
            runs += count.count() * set.times();
            sets.push_back(
                {report.compute_sets(static_cast<int>(set.compute_set()))
                     .name(),
                 count.count()});
          }
  }
  std::uint64_t alone = 0, withOthers = 0; // cycles of tiles
  std::uint64_t runs = 0;
  std::vector<std::pair<std::string, std::uint64_t>> sets;
};

std::uint32_t deepest(const report::VertexType &type) {
  std::uint32_t depth = 0;
  for (const report::CodeLine &line : type.code())
    depth = std::max(depth, line.loops());
  return depth;
}

const char *kindName(const report::VertexType &type) {
  return type.kind() < std::size(Kinds) ? Kinds[type.kind()] : "unknown";
}

double ratio(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0
                    : static_cast<double>(part) / static_cast<double>(whole);
}

/// Prints the counts next to the limits of the instruction set.
void printCounts(std::ostream &out, const CodeFigures &code,
                 std::uint64_t tileCycles) {
  out << fmt::format("counted  {} bundles in {} cycles of contexts",
                     grouped(code.issued), grouped(code.cycles));
  if (tileCycles != 0)
    out << fmt::format("; {:.2f} cycles of a tile for each, of 1.00 with six "
                       "workers that always issue",
                       ratio(tileCycles, code.issued));
  out << fmt::format("\npipes    main has work in {}, auxiliary in {}, both in "
                     "{}, none in {}; always paired, {} bundles would do\n",
                     percent(code.main, code.issued),
                     percent(code.aux, code.issued),
                     percent(code.both, code.issued),
                     percent(code.idle, code.issued), grouped(code.least()));
}

constexpr const char *Pipes[] = {"", "m", "a", "ma"};

void printCode(std::ostream &out, const report::VertexType &type,
               const CodeFigures &figures) {
  out << fmt::format(
      "\n address  loop    line {}code (S: goes to the stack{})\n",
      figures.isCounted() ? "        times         cycles  share pipes " : "",
      figures.isCounted() ? "; pipes: m main, a auxiliary" : "");
  const std::vector<std::string> source = sourceOf(type);
  std::uint32_t shown = 0;
  for (const report::CodeLine &line : type.code()) {
    if (!line.function().empty())
      out << printable(line.function()) << ":\n";
    if (line.line() != shown && line.line() != 0 &&
        line.line() <= source.size())
      out << fmt::format("{:>22} : {}\n", line.line(),
                         printable(source[line.line() - 1]));
    shown = line.line();
    out << fmt::format("{:#8x}  {:<5} {:>5} ", line.address(),
                       std::string(line.loops(), '|'),
                       line.line() == 0 ? "" : std::to_string(line.line()));
    if (figures.isCounted())
      out << fmt::format("{:>13}  {:>13} {:>6} {:<5} ", grouped(line.times()),
                         grouped(line.cycles()),
                         percent(line.cycles(), figures.cycles),
                         Pipes[line.pipes() & 3]);
    out << fmt::format("{} {}{}\n", line.uses_stack() ? 'S' : ' ',
                       std::string(2 * line.loops(), ' '),
                       printable(line.assembly()));
  }
}

} // namespace

std::vector<int> findVertexTypes(const report::Report &report,
                                 const std::string &name) {
  std::vector<int> found;
  for (int i = 0; i != report.vertex_types_size(); ++i)
    if (report.vertex_types(i).name().find(name) != std::string::npos)
      found.push_back(i);
  // An exact match takes precedence over a partial one.
  for (int type : found)
    if (report.vertex_types(type).name() == name)
      return {type};
  return found;
}

void printVertex(std::ostream &out, const report::Report &report, int id) {
  const report::VertexType &type = report.vertex_types(id);
  const Figures figures(report, id);
  out << fmt::format("vertex   {} ({})\n", printable(type.name()),
                     kindName(type));
  if (!type.source_file().empty())
    out << fmt::format("source   {}:{}\n", printable(type.source_file()),
                       type.source_line());
  out << fmt::format("memory   {} with {} of state each, {} of code\n",
                     count(type.count(), "instance"), bytes(type.state_bytes()),
                     bytes(type.code_bytes()));
  if (figures.runs != 0)
    out << fmt::format("time     ran {} times; {} cycles of tiles{}\n",
                       grouped(figures.runs), grouped(figures.alone),
                       figures.withOthers == 0
                           ? ""
                           : fmt::format(", and {} together with other "
                                         "vertices on the tile",
                                         grouped(figures.withOthers)));
  for (const auto &[set, number] : figures.sets)
    out << fmt::format("         {} in {}\n", grouped(number), printable(set));
  if (type.code_size() == 0)
    return;
  const CodeFigures code(type);
  if (code.isCounted())
    printCounts(out, code, figures.alone);
  const std::uint32_t depth = deepest(type);
  printCode(out, type, code);
  std::uint64_t inner = 0, stack = 0;
  for (const report::CodeLine &line : type.code())
    if (depth != 0 && line.loops() == depth) {
      ++inner;
      stack += line.uses_stack();
    }
  if (inner != 0)
    out << fmt::format("innermost loops: {}, of which {} go to the stack; a "
                       "round takes a worker {} cycles at least\n",
                       count(inner, "instruction"), stack, 6 * inner);
}

Json vertexJson(const report::Report &report, int id) {
  const report::VertexType &type = report.vertex_types(id);
  const Figures figures(report, id);
  Json json = {{"name", printable(type.name())},
               {"kind", kindName(type)},
               {"instances", type.count()},
               {"state_bytes", type.state_bytes()},
               {"code_bytes", type.code_bytes()},
               {"runs", figures.runs},
               {"tile_cycles", figures.alone},
               {"tile_cycles_with_others", figures.withOthers}};
  if (!type.source_file().empty())
    json["source"] =
        fmt::format("{}:{}", printable(type.source_file()), type.source_line());
  const CodeFigures code(type);
  if (code.isCounted()) {
    json["counted"] = {
        {"bundles", code.issued},       {"context_cycles", code.cycles},
        {"main_pipe", code.main},       {"auxiliary_pipe", code.aux},
        {"both_pipes", code.both},      {"no_pipe", code.idle},
        {"least_bundles", code.least()}};
    if (figures.alone != 0)
      json["counted"]["tile_cycles_per_bundle"] =
          ratio(figures.alone, code.issued);
  }
  json["code"] = Json::array();
  for (const report::CodeLine &line : type.code()) {
    Json entry = {{"address", line.address()},
                  {"assembly", printable(line.assembly())},
                  {"line", line.line()},
                  {"loops", line.loops()},
                  {"uses_stack", line.uses_stack()},
                  {"function", printable(line.function())}};
    if (code.isCounted()) {
      entry["times"] = line.times();
      entry["cycles"] = line.cycles();
      entry["pipes"] = Pipes[line.pipes() & 3];
    }
    json["code"].push_back(std::move(entry));
  }
  return json;
}

} // namespace populus::profile
