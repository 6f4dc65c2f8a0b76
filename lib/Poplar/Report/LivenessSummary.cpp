// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks the control programs of a graph profile in the order of the graph
// compiler's moments, with calls expanded, and prints the live variables of
// each.

#include "lib/Poplar/Report/LivenessSummary.h"

#include "lib/Poplar/Report/SummaryText.h"

#include <poplar/exceptions.hpp>

#include <algorithm>
#include <map>
#include <ostream>
#include <string>
#include <vector>

namespace poplar::core {

namespace {

using BytesByName = std::map<std::string, std::uint64_t>;

std::uint64_t sumOf(const BytesByName &variables) {
  std::uint64_t sum = 0;
  for (const auto &variable : variables)
    sum += variable.second;
  return sum;
}

class LivenessPrinter {
public:
  LivenessPrinter(std::ostream &out, const ProfileValue &graph)
      : out(out), graph(graph), moments(graph["liveness"]["programs"]) {
    const ProfileValue &names = graph["liveness"]["variables"];
    for (const ProfileValue &entry : graph["liveness"]["parts"].asVector()) {
      Part part{names[entry["variable"].asUint()].asString(), 0, {}};
      const auto tiles = entry["tiles"].asVector();
      for (std::size_t i = 0; i != tiles.size(); i += 2)
        part.bytes += tiles[i + 1].asUint() - tiles[i].asUint();
      part.bytes *= entry["bytes"].asUint();
      for (const ProfileValue &moment : entry["moments"].asVector())
        part.moments.push_back(moment.asUint());
      parts.push_back(std::move(part));
    }
  }

  void print() {
    const BytesByName always = alwaysLive();
    std::uint64_t most = 0;
    for (std::size_t moment = 0; moment != moments.size(); ++moment)
      most = std::max(most, sumOf(liveAt(moment)));
    out << "\n  Variable Storage Liveness: All tiles\n\n"
        << "    Always-live bytes: " << grouped(sumOf(always)) << '\n'
        << "    Always-live variables:\n";
    printList(always, 6);
    out << "\n    Maximum live bytes (including always-live): "
        << grouped(sumOf(always) + most) << "\n\n";
    if (moments.size() == 0)
      return;
    for (const ProfileValue &control : graph["controlPrograms"].asVector())
      for (const ProfileValue &root :
           graph["programs"][control.asUint()]["children"].asVector())
        printProgram(root.asUint(), 4);
  }

private:
  /// A part of a variable on all its tiles.
  struct Part {
    std::string name;
    std::uint64_t bytes;
    std::vector<std::uint64_t> moments; // first, last, ...; or always live
  };

  /// Includes code and stacks, which are not variables.
  BytesByName alwaysLive() const {
    BytesByName found;
    for (const Part &part : parts)
      if (part.moments.empty())
        found[part.name] += part.bytes;
    for (const char *category : {"vertexCode", "stack"})
      if (const ProfileValue *bytes =
              graph["memory"]["byCategory"].getOrNull(category))
        for (const ProfileValue &tile : (*bytes)["total"].asVector())
          found[category] += tile.asUint();
    return found;
  }

  BytesByName liveAt(std::uint64_t moment) const {
    BytesByName found;
    for (const Part &part : parts)
      for (std::size_t i = 0; i != part.moments.size(); i += 2)
        if (part.moments[i] <= moment && moment <= part.moments[i + 1])
          found[part.name] += part.bytes;
    return found;
  }

  void printList(const BytesByName &variables, std::size_t indent) {
    std::size_t name = 0, number = 0;
    for (const auto &variable : variables) {
      name = std::max(name, variable.first.size());
      number = std::max(number, grouped(variable.second).size());
    }
    for (const auto &variable : variables) {
      printRight(out, indent, variable.first, grouped(variable.second),
                 indent + name + 8 + number);
      out << '\n';
    }
  }

  void printProgram(std::uint64_t id, std::size_t indent) {
    const ProfileValue &program = graph["programs"][id];
    const std::string &type = program["type"].asString();
    out << std::string(indent, ' ') << type;
    if (const ProfileValue *name = program.getOrNull("name"))
      out << ": " << name->asString();
    out << '\n';
    std::vector<std::uint64_t> children;
    if (const ProfileValue *list = program.getOrNull("children"))
      for (const ProfileValue &child : list->asVector())
        children.push_back(child.asUint());
    if (type == "Call")
      children.push_back(
          graph["functionPrograms"][program["target"].asUint()].asUint());
    // A loop decides after its condition.
    std::size_t before = type == "RepeatWhile" ? 1 : 0;
    for (std::size_t i = 0; i != children.size(); ++i) {
      if (i == before)
        printLive(id, type, indent + 2);
      printProgram(children[i], indent + 2);
    }
    if (children.size() <= before)
      printLive(id, type, indent + 2);
  }

  /// Prints the variables live at the next moment. A step whose children hold
  /// all accesses prints nothing itself.
  void printLive(std::uint64_t id, const std::string &type,
                 std::size_t indent) {
    const std::uint64_t moment = next++;
    if (moments[moment].asUint() != id)
      throw poplar_error("the profile contradicts itself: program " +
                         std::to_string(id) + " is not at moment " +
                         std::to_string(moment));
    if (type == "Sequence" || type == "Repeat" || type == "Call")
      return;
    const BytesByName live = liveAt(moment);
    out << std::string(indent, ' ')
        << "Live Bytes (excluding always-live): " << grouped(sumOf(live))
        << '\n';
    if (live.empty())
      return;
    out << std::string(indent, ' ') << "Live Vars (excluding always-live):\n";
    printList(live, indent + 2);
  }

  std::ostream &out;
  const ProfileValue &graph;
  const ProfileValue &moments; // the program at each
  std::vector<Part> parts;
  std::uint64_t next = 0;
};

} // namespace

void printLiveness(std::ostream &out, const ProfileValue &graphProfile) {
  if (graphProfile.getOrNull("liveness"))
    LivenessPrinter(out, graphProfile).print();
  else
    out << "\n  Variable Storage Liveness: not known (the executable has "
           "no record of it)\n";
}

} // namespace poplar::core
