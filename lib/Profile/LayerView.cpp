// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operators of the model as a table.

#include "lib/Profile/Format.h"
#include "lib/Profile/Views.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

namespace populus::profile {

namespace {

std::uint64_t cyclesOf(const Layer &layer, Activity activity) {
  return layer.cycles[static_cast<std::size_t>(activity)];
}

std::string flopsText(double flops) {
  return flops == 0 ? "" : fmt::format("{:.3g}", flops);
}

} // namespace

void printLayers(std::ostream &out, const report::Report &report,
                 std::size_t most) {
  const Analysis analysis(report);
  if (analysis.layers.empty()) {
    out << "no layers: nothing in the program has a name\n";
    return;
  }
  out << fmt::format("{:>12} {:>7} {:>12} {:>12} {:>10} {:>6} {:>9} {:>7} "
                     "{:>10}  layer\n",
                     "cycles", "share", "compute", "exchange", "sync", "tiles",
                     "FLOP", "of peak", "memory");
  std::size_t shown = 0;
  for (const Layer &layer : analysis.layers) {
    if (layer.total == 0 && layer.memory == 0)
      continue;
    if (most != 0 && shown++ == most)
      break;
    out << fmt::format("{:>12} {:>7} {:>12} {:>12} {:>10} {:>6} {:>9} {:>7} "
                       "{:>10}  {}{}{}{}{}\n",
                       grouped(layer.total),
                       percent(layer.total, analysis.cycles),
                       grouped(cyclesOf(layer, Activity::Compute)),
                       grouped(cyclesOf(layer, Activity::Exchange)),
                       grouped(cyclesOf(layer, Activity::Sync)),
                       grouped(layer.tiles), flopsText(layer.flops),
                       layer.flops == 0 || layer.total == 0
                           ? ""
                           : fmt::format("{:.1f} %", 100 * layer.peakShare),
                       bytes(layer.memory), printable(layer.name),
                       layer.kind.empty() ? "" : "  ", printable(layer.kind),
                       layer.phase.empty() ? "" : ", ", printable(layer.phase));
  }
}

Json layersJson(const report::Report &report) {
  const Analysis analysis(report);
  Json list = Json::array();
  for (const Layer &layer : analysis.layers) {
    Json entry = {{"name", printable(layer.name)},
                  {"kind", printable(layer.kind)},
                  {"cycles", layer.total},
                  {"share", analysis.cycles == 0
                                ? 0
                                : static_cast<double>(layer.total) /
                                      static_cast<double>(analysis.cycles)}};
    for (std::size_t i = 0; i != layer.cycles.size(); ++i)
      entry[nameOf(static_cast<Activity>(i))] = layer.cycles[i];
    if (!layer.phase.empty())
      entry["phase"] = layer.phase;
    entry["tiles"] = layer.tiles;
    entry["tile_cycles"] = layer.tileCycles;
    entry["times"] = layer.times;
    entry["exchanged_bytes"] = layer.exchangedBytes;
    entry["flops"] = layer.flops;
    entry["share_of_peak"] = layer.peakShare;
    entry["memory_bytes"] = layer.memory;
    list.push_back(std::move(entry));
  }
  return {{"cycles", analysis.cycles}, {"layers", std::move(list)}};
}

} // namespace populus::profile
