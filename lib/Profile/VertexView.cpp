// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A codelet: how often and how long it ran, and its code, with its loops.

#include "lib/Profile/Format.h"
#include "lib/Profile/RunFigures.h"
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

} // namespace

std::vector<int> findVertexTypes(const report::Report &report,
                                 const std::string &name) {
  std::vector<int> found;
  for (int i = 0; i != report.vertex_types_size(); ++i)
    if (report.vertex_types(i).name().find(name) != std::string::npos)
      found.push_back(i);
  // The whole name goes before what contains it.
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
  const std::uint32_t depth = deepest(type);
  out << "\n address  loop    line  code (S: goes to the stack)\n";
  for (const report::CodeLine &line : type.code()) {
    if (!line.function().empty())
      out << printable(line.function()) << ":\n";
    out << fmt::format("{:#8x}  {:<5} {:>5} {} {}{}\n", line.address(),
                       std::string(line.loops(), '|'),
                       line.line() == 0 ? "" : std::to_string(line.line()),
                       line.uses_stack() ? 'S' : ' ',
                       std::string(2 * line.loops(), ' '),
                       printable(line.assembly()));
  }
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
  json["code"] = Json::array();
  for (const report::CodeLine &line : type.code())
    json["code"].push_back({{"address", line.address()},
                            {"assembly", printable(line.assembly())},
                            {"line", line.line()},
                            {"loops", line.loops()},
                            {"uses_stack", line.uses_stack()},
                            {"function", printable(line.function())}});
  return json;
}

} // namespace populus::profile
