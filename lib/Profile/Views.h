// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Views of ipu-report. Each view is printed as text for people and as JSON for
// scripts, from the same numbers.

#ifndef POPULUS_LIB_PROFILE_VIEWS_H
#define POPULUS_LIB_PROFILE_VIEWS_H

#include "lib/Profile/Advice.h"
#include "lib/Profile/Analysis.h"
#include "lib/Profile/HostTrace.h"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <iosfwd>
#include <string>
#include <vector>

namespace populus::profile {

using Json = nlohmann::ordered_json;

/// One screen: does it fit, what takes time and memory, what to do.
void printOverview(std::ostream &out, const report::Report &report);
Json overviewJson(const report::Report &report);

/// Operators of the model; `most` limits them to the longest, 0: all.
void printLayers(std::ostream &out, const report::Report &report,
                 std::size_t most);
Json layersJson(const report::Report &report);

/// Memory and cycles by tile. The text has the fullest and the busiest ones.
void printTiles(std::ostream &out, const report::Report &report,
                std::size_t most);
Json tilesJson(const report::Report &report);

/// Order of a list of live variables.
enum class LiveOrder { Bytes, Tiles, MostOnTile, Name };
struct LivenessChoice {
  /// Variables that are always live, and those that are for a time.
  bool withAlways = true, withPassing = true;
  LiveOrder order = LiveOrder::Bytes;
};
/// Live variables at each moment and at the peak.
void printLiveness(std::ostream &out, const report::Report &report,
                   std::size_t most, const LivenessChoice &choice = {});
Json livenessJson(const report::Report &report);

/// Vertex types whose name contains `name`; empty if there is none.
std::vector<int> findVertexTypes(const report::Report &report,
                                 const std::string &name);
/// One of them, with its code.
void printVertex(std::ostream &out, const report::Report &report, int type);
Json vertexJson(const report::Report &report, int type);

/// Lines of codelets' sources, of vertex types whose name contains `name`, with
/// cycles and stalls. Throws std::runtime_error if nothing was counted.
void printSource(std::ostream &out, const report::Report &report,
                 const std::string &name);
Json sourceJson(const report::Report &report, const std::string &name);

/// Traces of host programs: spans by name, sorted by the time without nested
/// spans, longest first.
void printHosts(std::ostream &out, const std::vector<HostTrace> &traces,
                std::size_t most);
Json hostsJson(const std::vector<HostTrace> &traces);

/// Compares two reports, per run. `growth`: the largest of the totals, as a
/// fraction.
struct Difference {
  Difference(const report::Report &a, const report::Report &b);

  struct Line {
    std::string name;
    double before = 0, after = 0;
    double change() const { return after - before; }
    /// 1 if there was nothing before.
    double growth() const;
  };
  std::vector<Line> totals, layers, steps;
  double growth() const;
};
void printDifference(std::ostream &out, const Difference &difference,
                     std::size_t most);
Json differenceJson(const Difference &difference);

} // namespace populus::profile

#endif
